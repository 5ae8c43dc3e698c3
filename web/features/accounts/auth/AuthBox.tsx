import { Alert, Anchor, Stack, Text, Title } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BrandMark } from '../../../brand/BrandMark.tsx';
import { useBrand } from '../../../brand/brand.ts';
import { keepFocus } from '../../../ui/forms.ts';
import { usePageTitle } from '../../../ui/usePageTitle.ts';
import classes from './LoginPage.module.css';

/** The bare page around everything that does not require signing in: the tenant's mark, a title, what went wrong. */
export function AuthBox(props: {
  title: string;
  line?: ReactNode;
  problem?: string | undefined;
  children: ReactNode;
}) {
  const brand = useBrand();
  usePageTitle(props.title);
  return (
    <main className={classes.page}>
      <div className={classes.box}>
        <BrandMark brand={brand} />
        <Title order={1} mt="lg">
          {props.title}
        </Title>
        {props.line && (
          <Text c="dimmed" size="sm" style={{ overflowWrap: 'anywhere' }}>
            {props.line}
          </Text>
        )}
        <Stack gap="md" mt="lg">
          {props.problem && <Problem>{props.problem}</Problem>}
          {props.children}
        </Stack>
      </div>
    </main>
  );
}

/** What went wrong, also announced to screen readers. */
export function Problem({ children }: { children: ReactNode }) {
  return (
    <Alert icon={<IconAlertCircle size={18} />} role="alert" className={classes.problem!}>
      {children}
    </Alert>
  );
}

/** An unobtrusive link back to the login. */
export function ToLogin({ words }: { words: string }) {
  return (
    <Anchor size="sm" {...keepFocus} renderRoot={(props) => <Link {...props} to="/login" />}>
      {words}
    </Anchor>
  );
}
