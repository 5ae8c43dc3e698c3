import { Button, Center, Code, Stack, Text, Title } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { messages } from '../../contract/messages.ts';
import { ApiError, wordsOf } from '../api/errors.ts';

/** The page for uncaught errors; Retry reloads (spec product 2, ROUT-03). */
export function ErrorPage({ error }: ErrorComponentProps) {
  const id = error instanceof ApiError ? error.requestId : undefined;
  // A page that was opened without a network (web/worker/sw.ts) goes on as soon as there is one.
  const isOffline = error instanceof ApiError && error.status === 0;
  useEffect(() => {
    if (!isOffline) return;
    const reload = () => location.reload();
    addEventListener('online', reload);
    return () => removeEventListener('online', reload);
  }, [isOffline]);
  return (
    <Center component="section" mih="70dvh" p="md">
      <Stack align="center" gap="xs" maw={480} ta="center" role="alert">
        <Title order={1}>{isOffline ? 'No connection' : messages.errorTitle}</Title>
        <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {wordsOf(error) || messages.errorText}
        </Text>
        <Button mt="sm" onClick={() => location.reload()}>
          Retry
        </Button>
        {id && (
          <Text size="xs" c="dimmed">
            Request ID <Code>{id}</Code>
          </Text>
        )}
      </Stack>
    </Center>
  );
}
