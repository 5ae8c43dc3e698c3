import { SegmentedControl, Title } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { bytesWords } from '../../../ui/FileDrop.tsx';
import { num } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatTile } from '../../../ui/StatTile.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, When } from '../../../ui/Values.tsx';
import { type ImportJob, isRunning } from './fields.ts';
import { ImportPanel, ImportState } from './ImportPanel.tsx';
import classes from './people.module.css';
import { UploadZone } from './UploadZone.tsx';

const columns: Column<ImportJob>[] = [
  { key: 'file', title: 'File', render: (row) => <Clip text={row.file_name} max={280} /> },
  { key: 'state', phone: 'state', title: 'State', render: (row) => <ImportState job={row} /> },
  { key: 'size', title: 'Size', align: 'right', hidden: true, render: (row) => bytesWords(row.file_bytes) },
  { key: 'read', phone: 'line', title: 'Rows', align: 'right', render: (row) => num(row.rows_read) },
  { key: 'added', phone: 'line', title: 'New', align: 'right', render: (row) => num(row.rows_added) },
  { key: 'changed', title: 'Changed', align: 'right', render: (row) => num(row.rows_changed) },
  { key: 'same', title: 'Same', align: 'right', render: (row) => num(row.rows_same) },
  { key: 'bad', phone: 'line', title: 'Bad', align: 'right', render: (row) => num(row.rows_bad) },
  { key: 'created', phone: 'end', title: 'Uploaded', render: (row) => <When at={row.created_at} /> },
  { key: 'finished', title: 'Ended', from: 800, render: (row) => <When at={row.finished_at} /> },
];

/** A root's people data: how much there is, and importing more. */
export default function ImportPage() {
  const cache = useQueryClient();
  const [params, set] = useSearchParams();
  const state = useListState({ perPage: 10 });
  const kind = params.kind === 'signals' ? ('signals' as const) : ('people' as const);
  const isSignals = kind === 'signals';
  const input = {
    kind,
    page: state.page,
    per_page: state.perPage,
    ...(state.q ? { search: state.q } : {}),
  };
  const totals = useQuery({
    queryKey: ['people', 'totals'],
    queryFn: ({ signal }) => api.people.totals(undefined, { signal }),
  });
  const history = useQuery({
    queryKey: ['imports', input],
    queryFn: ({ signal }) => api.people.imports(input, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (query.state.data?.data.some(isRunning) ? 3000 : false),
  });
  // After a reload, an import that is still running is shown, even though the address doesn't name it.
  const recent = useQuery({
    queryKey: ['imports', 'recent', kind],
    queryFn: ({ signal }) => api.people.imports({ kind, page: 1, per_page: 10 }, { signal }),
  });
  const underWay = recent.data?.data.find((job) => isRunning(job) || job.state === 'mapping');
  const shown = params.import ?? underWay?.id;
  const open = (id: string) => {
    set({ import: id });
    scrollTo({
      top: 0,
      behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth',
    });
  };
  const total = (value: number | undefined) =>
    totals.error ? 'Unknown' : value === undefined ? undefined : num(value);

  return (
    <>
      <PageHeader
        title={isSignals ? 'Intent signals' : 'People data'}
        line={
          isSignals
            ? 'What people in the people data looked for, where, and when. Signals are kept for 35 days. Importing the same file twice changes nothing.'
            : 'The people that visits are matched with. Importing the same file twice changes nothing.'
        }
      />
      <SegmentedControl
        aria-label="Import type"
        mb="md"
        data={[
          { value: 'people', label: 'People' },
          { value: 'signals', label: 'Intent signals' },
        ]}
        value={kind}
        onChange={(next) =>
          set({
            kind: next === 'signals' ? next : undefined,
            import: undefined,
            page: undefined,
            q: undefined,
          })
        }
      />
      <div className={classes.totals}>
        {isSignals ? (
          <>
            <StatTile plain label="Signals imported, 7 days" value={total(totals.data?.signals)} />
            <StatTile plain label="Keywords" value={total(totals.data?.keywords)} />
          </>
        ) : (
          <>
            <StatTile plain label="People" value={total(totals.data?.people)} />
            <StatTile plain label="Keys that identify them" value={total(totals.data?.keys)} />
          </>
        )}
      </div>
      <UploadZone
        key={kind}
        kind={kind}
        onUploaded={(job) => {
          cache.setQueryData(['import', job.id], job);
          open(job.id);
        }}
      />
      {shown && <ImportPanel key={shown} id={shown} onClose={() => set({ import: undefined })} />}
      <Title order={2} size="h3" mb="xs">
        History
      </Title>
      <DataTable
        label="Imports"
        download={{ list: 'imports' }}
        name="imports"
        columns={columns}
        query={history}
        state={state}
        rowKey={(row) => row.id}
        onRow={(row) => open(row.id)}
        search="Search imports"
        empty={
          <EmptyState
            icon={<IconUsers size={32} stroke={1.4} />}
            title="Nothing has been imported yet"
            text={
              isSignals
                ? 'Search ID campaigns find their leads in these signals. Drop a CSV or Parquet file above to get started.'
                : 'Visitors become leads when they match the people data. Drop a CSV file above to get started.'
            }
          />
        }
      />
    </>
  );
}
