import { Button, Center, Code, Stack, Text, Title } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { messages } from '../../contract/messages.ts';
import { ApiError, wordsOf } from '../api/errors.ts';

/** How often a page without a network looks whether it is back, and how soon it reloads again if that did not help. */
const LOOK_MS = 3_000;
const RELOAD_MS = 30_000;
const RELOADED = 'reloaded-at';

/** Reloads once the server answers, unless that has just been tried: then it is not the network that is missing. */
async function reloadIfBack(): Promise<void> {
  const { ok } = await fetch('/healthz', { cache: 'no-store' });
  if (!ok || Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_MS) return;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
}

/** The page for uncaught errors; Retry reloads (spec product 2, ROUT-03). */
export function ErrorPage({ error }: ErrorComponentProps) {
  const id = error instanceof ApiError ? error.requestId : undefined;
  // A page that was opened without a network (web/worker/sw.ts) goes on as soon as there is one. It may have come back
  // before anyone listened, or the server may have been what was missing.
  const isOffline = error instanceof ApiError && error.status === 0;
  useEffect(() => {
    if (!isOffline) return;
    const reload = () => location.reload();
    const timer = setInterval(() => reloadIfBack().catch(() => {}), LOOK_MS);
    addEventListener('online', reload);
    return () => {
      clearInterval(timer);
      removeEventListener('online', reload);
    };
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
