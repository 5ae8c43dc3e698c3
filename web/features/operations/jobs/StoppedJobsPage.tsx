import { Button, Text } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num } from '../../../ui/format.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { When } from '../../../ui/Values.tsx';
import { SpoolNotices } from './SpoolNotices.tsx';

type StoppedJob = Awaited<ReturnType<Client['backgroundJobs']['stoppedJobs']>>['data'][number];

/** Background jobs that brought down the server twice and are waiting to be retried. */
export default function StoppedJobsPage() {
  const mayWrite = useMay('job.write');
  const cache = useQueryClient();
  const state = useListState({});
  const [busy, setBusy] = useState<string>();
  const query = useQuery({
    queryKey: ['background', 'stopped', state.input],
    queryFn: ({ signal }) => api.backgroundJobs.stoppedJobs(state.input, { signal }),
    placeholderData: keepPreviousData,
  });
  const again = async (row: StoppedJob) => {
    setBusy(row.id);
    try {
      await api.backgroundJobs.tryAgain({ id: row.id });
      notifyDone(`${row.title}: trying again`);
    } catch (error) {
      notifyFailed(error);
    } finally {
      setBusy(undefined);
      await cache.invalidateQueries({ queryKey: ['background', 'stopped'] });
    }
  };
  const columns: Column<StoppedJob>[] = [
    { key: 'title', title: 'Job', render: (row) => row.title },
    {
      key: 'about',
      phone: 'line',
      title: 'Details',
      render: (row) => (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {row.about || row.kind}
        </Text>
      ),
    },
    { key: 'starts', title: 'Attempts', align: 'right', phone: false, render: (row) => num(row.starts) },
    { key: 'set_aside_at', phone: 'line', title: 'Stopped', render: (row) => <When at={row.set_aside_at} /> },
    ...(mayWrite
      ? [
          {
            key: 'again',
            phone: 'end' as const,
            title: 'Action',
            render: (row: StoppedJob) => (
              <Button
                size="compact-sm"
                variant="default"
                loading={busy === row.id}
                aria-label={`Try again: ${row.title}`}
                onClick={() => void again(row)}
              >
                Try again
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <PageHeader
        title="Background jobs"
        line="Jobs that were stopped because the server went down twice while running them appear here. Fix the cause, then try again."
      />
      <SpoolNotices />
      <DataTable
        label="Stopped jobs"
        name="stopped-jobs"
        download={{ list: 'stopped-jobs', of: 'backgroundJobs.stoppedJobs', query: state.input }}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        columns={columns}
        empty={
          <EmptyState title="No stopped jobs" text="Everything in the background is running normally." />
        }
      />
    </>
  );
}
