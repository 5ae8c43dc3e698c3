import { Box, Button, CloseButton, Group, Progress, Skeleton, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api } from '../../../api/client.ts';
import { download } from '../../../api/download.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { bytesWords } from '../../../ui/FileDrop.tsx';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';
import { type ImportJob, isRunning, leftOutWords } from './fields.ts';
import { MappingStep } from './MappingStep.tsx';
import classes from './people.module.css';

/** Downloads the skipped rows and values of an import, each with the reason. */
function downloadLeftOut(id: string): void {
  void download(`/identity/imports/${id}/errors.csv`);
}

/** Whether a running import is waiting for a reported problem to end, such as a full disk. */
const isWaiting = (job: Pick<ImportJob, 'state' | 'error'>): boolean => isRunning(job) && Boolean(job.error);

/** The state of an import in words. */
export function ImportState({ job }: { job: Pick<ImportJob, 'state' | 'error'> }) {
  if (isWaiting(job))
    return (
      <StatusBadge status={job.state} tone="warn">
        Waiting
      </StatusBadge>
    );
  return (
    <StatusBadge status={job.state}>
      {job.state === 'mapping' ? 'Waiting for you' : job.state === 'held' ? 'On hold' : undefined}
    </StatusBadge>
  );
}

/** One import, at its current step: its columns, its progress, or its result. Polled every second while it runs. */
export function ImportPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const cache = useQueryClient();
  const heading = useRef<HTMLHeadingElement>(null);
  const query = useQuery({
    queryKey: ['import', id],
    queryFn: ({ signal }) => api.people.get({ id }, { signal }),
    refetchInterval: (one) => (one.state.data && isRunning(one.state.data) ? 1000 : false),
  });
  const job = query.data;
  const state = job?.state;
  const before = useRef<string>(undefined);
  // Each step updates the history and the totals; the previous step's button, which had the focus, is gone.
  useEffect(() => {
    if (!state) return;
    if (before.current && document.activeElement === document.body)
      heading.current?.focus({ preventScroll: true });
    before.current = state;
    void cache.invalidateQueries({ queryKey: ['imports'] });
    void cache.invalidateQueries({ queryKey: ['people', 'totals'] });
  }, [state, cache]);
  const changed = (next?: ImportJob) => {
    if (next) cache.setQueryData(['import', id], next);
    else void cache.invalidateQueries({ queryKey: ['import', id], exact: true });
  };
  const cancel = async () => {
    if (!job) return;
    const isMapping = job.state === 'mapping';
    const isSure = await confirm({
      title: isMapping ? `Discard “${job.file_name}”?` : `Stop the import of “${job.file_name}”?`,
      body: isMapping
        ? 'The uploaded file is deleted. Nothing has been imported from it.'
        : 'The import stops after the rows in progress. Anything already imported stays.',
      verb: isMapping ? 'Discard' : 'Stop import',
      danger: true,
    });
    if (!isSure) return;
    try {
      await api.people.cancel({ id });
      notifyDone(isMapping ? 'File discarded' : 'Import stopped');
      if (isMapping) onClose();
    } catch (error) {
      notifyFailed(error);
    }
    changed();
    void cache.invalidateQueries({ queryKey: ['imports'] });
  };

  const again = async () => {
    try {
      await api.people.tryAgain({ id });
      notifyDone('Import resumed');
    } catch (error) {
      notifyFailed(error);
    }
    changed();
    void cache.invalidateQueries({ queryKey: ['imports'] });
  };

  return (
    <section className={`card ${classes.panel}`} aria-label="Import">
      {query.error && !job ? (
        <ErrorState
          error={query.error}
          what="This import could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : !job ? (
        <>
          <Skeleton height={24} width={280} maw="70%" />
          <Skeleton height={16} width={200} mt="sm" />
          <Skeleton height={120} mt="md" />
        </>
      ) : (
        <>
          <Group justify="space-between" align="flex-start" wrap="nowrap" gap="sm" mb="xs">
            <div style={{ minWidth: 0 }}>
              <Title order={2} size="h3" ref={heading} tabIndex={-1} style={{ overflowWrap: 'anywhere' }}>
                {job.file_name}
              </Title>
              <Text size="sm" c="dimmed">
                {bytesWords(job.file_bytes)}, uploaded <When at={job.created_at} relative />
              </Text>
            </div>
            <Group gap="xs" wrap="nowrap">
              <ImportState job={job} />
              {!isRunning(job) && job.state !== 'mapping' && (
                <CloseButton aria-label="Close this import" onClick={onClose} />
              )}
            </Group>
          </Group>
          {job.state === 'mapping' ? (
            <MappingStep job={job} onStarted={changed} onCancel={() => void cancel()} />
          ) : (
            <Outcome job={job} onCancel={() => void cancel()} onAgain={() => void again()} />
          )}
        </>
      )}
    </section>
  );
}

function Outcome({ job, onCancel, onAgain }: { job: ImportJob; onCancel: () => void; onAgain: () => void }) {
  const isSignals = job.kind === 'signals';
  const numbers: [string, number][] = [
    ['Rows read', job.rows_read],
    [isSignals ? 'New signals' : 'New people', job.rows_added],
    ...(isSignals ? [] : ([['Changed', job.rows_changed]] as [string, number][])),
    ['Same as before', job.rows_same],
    ['Bad rows', job.rows_bad],
    ...(isSignals
      ? []
      : ([
          ['Values skipped', job.values_bad],
          ['On do-not-call lists', job.phones_marked],
        ] as [string, number][])),
    ...(isSignals ? [] : ([['New keys', job.keys_added]] as [string, number][])),
  ];
  return (
    <>
      {isRunning(job) && (
        <>
          <Progress value={job.percentage} aria-label={`Import of ${job.file_name}`} mt="sm" />
          <Text size="sm" c="dimmed" className="num" mt={4}>
            {job.state === 'queued'
              ? 'Waiting in the queue'
              : `${job.percentage.toFixed(0)}% of the file, ${num(job.rows_read)} rows`}
            {isWaiting(job) ? ' so far.' : '. You can leave this page. The import will continue.'}
          </Text>
          {isWaiting(job) && (
            <Box my="sm">
              <Notice tone="warn" live="status" title="This import is waiting">
                {job.error} Anything already imported stays. You can leave this page.
              </Notice>
            </Box>
          )}
        </>
      )}
      {job.state === 'failed' && (
        <Notice tone="bad" title="The import stopped">
          {job.error ?? 'The cause is unknown.'} Anything already imported stays.
        </Notice>
      )}
      {job.state === 'held' && (
        <Notice tone="warn" title="This import is on hold">
          {job.error} Anything already imported stays.
        </Notice>
      )}
      {job.state === 'cancelled' && (
        <Notice tone="info">The import was stopped. Anything already imported stays.</Notice>
      )}
      {job.state === 'done' && (
        <Notice tone="good">
          {job.rows_added + job.rows_changed + job.keys_added === 0
            ? 'This file contained nothing new.'
            : 'The file has been imported.'}
        </Notice>
      )}
      <dl className={classes.numbers}>
        {numbers.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{num(value)}</dd>
          </div>
        ))}
      </dl>
      {job.left_out.length > 0 && (
        <section className={classes.told} aria-label="Excluded">
          <Title order={3} size="h5">
            Excluded
          </Title>
          <ul>
            {job.left_out
              .toSorted((a, b) => b.count - a.count)
              .map((one) => {
                const { what, why } = leftOutWords(one);
                return (
                  <li key={`${one.what} ${one.field} ${one.reason}`}>
                    <span>
                      {what}
                      <small>{why}</small>
                    </span>
                    <span className="num">
                      {num(one.count)} {one.count === 1 ? one.what : `${one.what}s`}
                    </span>
                  </li>
                );
              })}
          </ul>
        </section>
      )}
      {job.ignored.length > 0 && (
        <section className={classes.told} aria-label="Unused columns">
          <Title order={3} size="h5">
            Unused columns
          </Title>
          <ul>
            {job.ignored.map(({ column, reason }) => (
              <li key={column}>
                <span>
                  {column}
                  <small>{reason}</small>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Group justify="flex-end" gap="xs" mt="md">
        {job.rows_bad + job.values_bad > 0 && (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() => downloadLeftOut(job.id)}
          >
            Download skipped data
          </Button>
        )}
        {(isRunning(job) || job.state === 'held') && (
          <Button variant="default" onClick={onCancel}>
            Stop import
          </Button>
        )}
        {job.state === 'held' && <Button onClick={onAgain}>Try again</Button>}
      </Group>
    </>
  );
}
