import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { messages } from '../../contract/messages.ts';
import { usePageTitle } from '../ui/usePageTitle.ts';

/** The 404 page (spec product 2). */
export function NotFoundPage() {
  usePageTitle(messages.notFoundTitle);
  return (
    <Center component="section" mih="70dvh" p="md">
      <Stack align="center" gap="xs" ta="center">
        <Title order={1}>{messages.notFoundTitle}</Title>
        <Text c="dimmed">{messages.notFoundText}</Text>
        <Button mt="sm" renderRoot={(props) => <Link {...props} to="/" />}>
          {messages.goHome}
        </Button>
      </Stack>
    </Center>
  );
}
