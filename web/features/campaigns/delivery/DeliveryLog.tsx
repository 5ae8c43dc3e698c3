import { Button, Group, Pagination, Select, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconChevronRight, IconRefresh } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { DownloadData } from '../../../ui/DownloadData.tsx';
import { num } from '../../../ui/format.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { When } from '../../../ui/Values.tsx';
import { Attempts, DeliveryState } from './Attempts.tsx';
import classes from './delivery.module.css';
import { aboutWords, type DeliveryRow, isHeld, type Webhook } from './words.ts';

const STATES = { pending: 'Pending', delivered: 'Delivered', failed: 'Failed', skipped: 'Skipped' } as const;

/** Every message to a webhook, newest first; each expands to its attempts and their responses. */
export function DeliveryLog({ hook, onChanged }: { hook: Webhook; onChanged: () => void }) {
  const mayWrite = useMay('integration.write') && isHeld(hook);
  const isEnabled = hook.state === 'enabled';
  const [params, set] = useSearchParams();
  const state = useListState({ perPage: 10 }, 'log_');
  const filter = (params.log_state ?? '') in STATES ? (params.log_state as keyof typeof STATES) : undefined;
  const [isBusy, setBusy] = useState(false);
  const input = {
    id: hook.id,
    page: state.page,
    per_page: state.perPage,
    ...(filter ? { state: filter } : {}),
  };
  const query = useQuery({
    // The counts are polled more often and show when something has changed.
    queryKey: ['deliveries', input, hook.delivered, hook.pending, hook.failed, hook.skipped],
    queryFn: ({ signal }) => api.delivery.log(input, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: (one) =>
      one.state.data?.data.some((row) => row.state === 'pending' || row.state === 'unknown') ? 5_000 : 15_000,
  });
  const rows = query.data?.data;

  const replay = async (row?: DeliveryRow) => {
    const isSure =
      row !== undefined ||
      (await confirm({
        title: `Resend ${hook.failed === 1 ? 'the failed lead' : `all ${num(hook.failed)} failed leads`}?`,
        body: `They go to ${hook.url} with the same IDs as before, so the receiver can recognize duplicates.`,
        verb: 'Resend',
      }));
    if (!isSure) return;
    setBusy(true);
    try {
      notifyDone(
        (await api.delivery.replay({ id: hook.id, ...(row ? { delivery_id: row.id } : {}) })).message,
      );
    } catch (error) {
      notifyFailed(error);
    }
    setBusy(false);
    onChanged();
  };

  return (
    <div className="card">
      <div className={classes.bar}>
        <Select
          aria-label="Delivery status"
          placeholder="Any status"
          w={150}
          clearable
          clearButtonProps={{ 'aria-label': 'Any status' }}
          data={Object.entries(STATES).map(([value, label]) => ({ value, label }))}
          value={filter ?? null}
          onChange={(next) => set({ log_state: next ?? undefined, log_page: undefined })}
        />
        <Group ml="auto" gap="xs">
          <DownloadData list="deliveries" of="delivery.log" query={input} compact />
        </Group>
        {mayWrite && hook.failed > 0 && (
          <Group gap="xs">
            {!isEnabled && (
              <Text size="sm" c="dimmed">
                Enable it to resend failed leads.
              </Text>
            )}
            <Button
              variant="default"
              loading={isBusy}
              disabled={!isEnabled}
              leftSection={<IconRefresh size={16} />}
              onClick={() => void replay()}
            >
              Resend failed
            </Button>
          </Group>
        )}
      </div>
      {query.error && !rows ? (
        <ErrorState
          error={query.error}
          what="The log could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : !rows ? (
        <Stack gap={8} p="sm" aria-busy="true">
          {[0, 1, 2, 3, 4].map((at) => (
            <Skeleton key={at} height={32} />
          ))}
        </Stack>
      ) : rows.length === 0 ? (
        filter ? (
          <Text c="dimmed" size="sm" ta="center" py={48}>
            No deliveries have this status.
          </Text>
        ) : (
          <EmptyState
            title="Nothing has been sent yet"
            text="The campaign’s next lead appears here with the response it gets. Send a test to try the address now."
          />
        )
      ) : (
        <ul className={classes.log} aria-label="Deliveries">
          {rows.map((row) => (
            <Row key={row.id} row={row} onReplay={mayWrite && isEnabled ? () => replay(row) : undefined} />
          ))}
        </ul>
      )}
      {query.data && query.data.total > 0 && (
        <div className={classes.foot}>
          <Text size="sm" c="dimmed" className="num" aria-live="polite">
            Showing {num(query.data.from ?? 0)} to {num(query.data.to ?? 0)} of {num(query.data.total)}{' '}
            entries
          </Text>
          {query.data.last_page > 1 && (
            <Pagination
              size="sm"
              total={query.data.last_page}
              value={Math.min(state.page, query.data.last_page)}
              onChange={state.setPage}
              getControlProps={(control) => ({ 'aria-label': `${control} page` })}
              getItemProps={(page) => ({ 'aria-label': `Page ${page}` })}
            />
          )}
        </div>
      )}
    </div>
  );
}

function Row({ row, onReplay }: { row: DeliveryRow; onReplay: (() => Promise<void>) | undefined }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li className={classes.row}>
      <UnstyledButton className={classes.head} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <IconChevronRight size={16} aria-hidden="true" />
        <span className={classes.name}>
          <span className="clip" title={aboutWords(row)}>
            {aboutWords(row)}
          </span>
          {row.is_test && <StatusBadge status="test" tone="info" />}
        </span>
        <DeliveryState row={row} />
        <span className={`${classes.right} num`}>
          {row.attempts === 1 ? '1 attempt' : `${num(row.attempts)} attempts`}
        </span>
        <span className={classes.right}>
          <When at={row.created_at} />
        </span>
      </UnstyledButton>
      {isOpen && <Attempts row={row} onReplay={onReplay} />}
    </li>
  );
}
