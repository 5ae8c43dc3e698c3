import { Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';
import classes from './delivery.module.css';
import { type DeliveryRow, durationWords, type Exchange, formatted, type Tries } from './words.ts';

/** What the parts of a delivery's view need of it. */
export type Shown = Pick<
  DeliveryRow,
  'id' | 'state' | 'message_id' | 'next_at' | 'attempts' | 'lead_id' | 'is_test'
>;

/** `unknown` is being checked; a pending one without a time waits for its connection. */
export function DeliveryState({ row }: { row: Pick<Shown, 'state' | 'next_at'> }) {
  if (row.state === 'unknown')
    return (
      <StatusBadge status="unknown" tone="warn">
        Checking
      </StatusBadge>
    );
  if (row.state === 'pending' && !row.next_at)
    return (
      <StatusBadge status="waiting" tone="warn">
        Waiting
      </StatusBadge>
    );
  return <StatusBadge status={row.state} />;
}

/** A delivery's attempts with what was sent and what came back, and what can be done about it. */
export function Attempts({
  row,
  onReplay,
  onErase,
}: {
  row: Shown;
  onReplay: (() => Promise<void>) | undefined;
  onErase?: () => void;
}) {
  const user = useUser();
  const [isBusy, setBusy] = useState(false);
  const query = useQuery({
    queryKey: ['deliveries', 'one', row.id, row.state, row.attempts],
    queryFn: ({ signal }) => api.delivery.one({ id: row.id }, { signal }),
  });
  return (
    <div className={classes.more}>
      <Group gap={4}>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Message ID {row.message_id}
        </Text>
        <CopyButton text={row.message_id} what="message ID" />
      </Group>
      {row.state === 'unknown' && (
        <Text size="sm">
          The response was lost. We check whether the service has this lead before sending it again.
        </Text>
      )}
      {row.state === 'pending' && !row.next_at && (
        <Text size="sm">It is waiting for the connection and resumes automatically once it works again.</Text>
      )}
      {row.next_at && (
        <Text size="sm">
          Next attempt <When at={row.next_at} relative />
        </Text>
      )}
      {query.error && !query.data ? (
        <ErrorState
          error={query.error}
          what="The attempts could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : !query.data ? (
        <Stack gap={8} py={8} aria-busy="true">
          <Skeleton height={20} width="60%" />
          <Skeleton height={80} />
        </Stack>
      ) : (
        <Tried tries={query.data.tries} isSkipped={row.state === 'skipped'} />
      )}
      <Group gap="sm" mt="xs">
        {onReplay && !row.is_test && row.state !== 'pending' && row.state !== 'unknown' && (
          <Button
            size="xs"
            variant="default"
            loading={isBusy}
            leftSection={<IconRefresh size={14} />}
            onClick={async () => {
              setBusy(true);
              await onReplay();
              setBusy(false);
            }}
          >
            {row.state === 'skipped' ? 'Send anyway' : 'Resend'}
          </Button>
        )}
        {query.data?.can_erase && onErase && (
          <Button size="xs" variant="default" leftSection={<IconTrash size={14} />} onClick={onErase}>
            Delete at the service
          </Button>
        )}
        {row.lead_id && (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link
                {...props}
                to="/$slug/dashboard"
                params={{ slug: user.local_url }}
                search={{ lead: row.lead_id } as never}
              />
            )}
          >
            Open the lead
          </Anchor>
        )}
      </Group>
    </div>
  );
}

function Tried({ tries, isSkipped }: { tries: Tries; isSkipped: boolean }) {
  if (tries.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No attempt has been made yet.
      </Text>
    );
  return (
    <ol className={classes.tries}>
      {tries.map((one, at) => (
        <li key={one.number} className={classes.try}>
          <Group gap="sm" justify="space-between">
            <span>
              Attempt {one.number}:{' '}
              <b>
                {one.status !== null
                  ? `response ${one.status}`
                  : one.error?.startsWith('Not sent')
                    ? 'not sent'
                    : one.error?.startsWith('Deleted at')
                      ? 'deleted'
                      : 'no response'}
              </b>
            </span>
            <Text size="xs" c="dimmed" className="num">
              <When at={one.started_at} />, {durationWords(one.duration_ms)}
            </Text>
          </Group>
          {one.error && <div style={isSkipped ? undefined : { color: 'var(--bad)' }}>{one.error}</div>}
          {one.exchanges.map((exchange, number) => (
            <Sent
              // biome-ignore lint/suspicious/noArrayIndexKey: they have no id and never change their order
              key={number}
              exchange={exchange}
              isOpen={at === tries.length - 1 && number === one.exchanges.length - 1}
            />
          ))}
          {one.exchanges.length === 0 && one.answer && (
            <Box label={`Response to attempt ${one.number}`} text={one.answer} />
          )}
        </li>
      ))}
    </ol>
  );
}

/** One request and its response. Values of the person stand as the names of their fields. */
function Sent({ exchange, isOpen }: { exchange: Exchange; isOpen: boolean }) {
  return (
    <details className={classes.exchange} open={isOpen}>
      <summary>
        <b>{exchange.method}</b> <span className={classes.url}>{exchange.url}</span>{' '}
        <span className="dim num">
          {exchange.status ?? 'no response'} · {durationWords(exchange.ms)}
        </span>
      </summary>
      {exchange.headers.length > 0 && (
        <Box
          label="Request headers"
          text={exchange.headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
        />
      )}
      {exchange.body && <Box label="Request body" text={formatted(exchange.body)} />}
      {exchange.answer ? (
        <Box label="Response" text={formatted(exchange.answer)} />
      ) : (
        <Text size="xs" c="dimmed" mt={8}>
          {exchange.status === null ? 'No response came.' : 'The response was empty.'}
        </Text>
      )}
    </details>
  );
}

function Box({ label, text }: { label: string; text: string }) {
  return (
    <>
      <Text size="xs" c="dimmed" mt={8} aria-hidden="true">
        {label}
      </Text>
      <section
        className={classes.answer}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box has to be reachable by keyboard
        tabIndex={0}
        aria-label={label}
      >
        {text}
      </section>
    </>
  );
}
