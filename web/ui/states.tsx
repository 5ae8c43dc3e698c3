import { Button, Code, Stack, Text } from '@mantine/core';
import { IconCloudOff, IconInbox } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ApiError, wordsOf } from '../api/errors.ts';
import classes from './states.module.css';

/** An empty state: what this is, why it is empty, and the one next step. */
export function EmptyState(props: { title: string; text: ReactNode; action?: ReactNode; icon?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      <Scene>{props.icon ?? <IconInbox stroke={1.4} />}</Scene>
      <Text fw={600}>{props.title}</Text>
      <Text c="dimmed" size="sm" maw={420} style={{ textWrap: 'balance' }}>
        {props.text}
      </Text>
      {props.action && <div style={{ marginTop: 8 }}>{props.action}</div>}
    </Stack>
  );
}

/** Rows that are still to come, drawn in the tenant's color, around the icon of what they will be. */
function Scene({ children }: { children: ReactNode }) {
  return (
    <div className={classes.scene} aria-hidden="true">
      <svg viewBox="0 0 200 104" aria-hidden="true">
        {[0, 1, 2].map((at) => (
          <g
            key={at}
            transform={`translate(${[26, 8, 26][at]} ${[2, 36, 70][at]})`}
            opacity={at === 1 ? 1 : 0.6}
          >
            <rect className={classes.row} x="0.5" y="0.5" width={at === 1 ? 183 : 147} height="31" rx="8" />
            <circle className={classes.dot} cx="16" cy="16" r="7" />
            <rect className={classes.bar} x="30" y="9" width="34" height="5" rx="2.5" />
            <rect className={classes.bar} x="30" y="18" width="22" height="5" rx="2.5" />
            <rect className={classes.bar} x={at === 1 ? 142 : 106} y="13" width="28" height="6" rx="3" />
          </g>
        ))}
        <path className={classes.spark} d="M186 12v8M182 16h8M13 84v6M10 87h6M188 92h.1M12 18h.1" />
      </svg>
      <span className={classes.tile}>{children}</span>
    </div>
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
