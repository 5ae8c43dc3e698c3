import { Button, Code, Stack, Text } from '@mantine/core';
import { IconCloudOff, IconInbox } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ApiError, wordsOf } from '../api/errors.ts';

/** An empty state: what this is, why it is empty, and the one next step. */
export function EmptyState(props: { title: string; text: ReactNode; action?: ReactNode; icon?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      <span style={{ color: 'var(--mantine-color-dimmed)' }} aria-hidden="true">
        {props.icon ?? <IconInbox size={32} stroke={1.4} />}
      </span>
      <Text fw={600}>{props.title}</Text>
      <Text c="dimmed" size="sm" maw={420}>
        {props.text}
      </Text>
      {props.action && <div style={{ marginTop: 8 }}>{props.action}</div>}
    </Stack>
  );
}

/** An error state: what failed, Retry, and the request's id for support. */
export function ErrorState({ error, what, onRetry }: { error: unknown; what: string; onRetry?: () => void }) {
  const id = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center" role="alert">
      <IconCloudOff size={32} stroke={1.4} color="var(--bad)" aria-hidden="true" />
      <Text fw={600}>{what}</Text>
      <Text c="dimmed" size="sm" maw={480} style={{ overflowWrap: 'anywhere' }}>
        {wordsOf(error)}
      </Text>
      {onRetry && (
        <Button variant="default" onClick={onRetry} mt="xs">
          Retry
        </Button>
      )}
      {id && (
        <Text size="xs" c="dimmed">
          Request ID <Code>{id}</Code>
        </Text>
      )}
    </Stack>
  );
}
