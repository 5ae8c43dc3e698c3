import { Button, Group, Pagination, Text, Title } from '@mantine/core';
import { IconDownload, IconShieldOff } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../../api/client.ts';
import { download } from '../../../api/download.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { Clip, When } from '../../../ui/Values.tsx';
import { entriesWords, type List, listsOf, type Place, STATES } from './model.ts';
import { listsKey } from './useSuppression.ts';

const PER_PAGE = 10;
const columns: Column<List>[] = [
  { key: 'file', title: 'File', render: (row) => <Clip text={row.file_name} max={320} /> },
  {
    key: 'state',
    phone: 'state',
    title: 'State',
    render: (row) => (
      <StatusBadge status={row.state === 'loading' ? 'running' : row.state}>{STATES[row.state]}</StatusBadge>
    ),
  },
  {
    key: 'entries',
    phone: 'line',
    title: 'Entries',
    align: 'right',
    render: (row) => num(row.entries_added),
  },
  { key: 'bad', phone: 'line', title: 'Bad rows', align: 'right', render: (row) => num(row.rows_bad) },
  { key: 'created', phone: 'end', title: 'Uploaded', render: (row) => <When at={row.created_at} /> },
];

/** When a list was last filled: by its file, or from its connection. */
const filledAt = (row: List): string | null => (row.connection_id ? row.refreshed_at : row.created_at);
/** Lists of customers also say where they come from, and when they were last read. */
const customerColumns: Column<List>[] = [
  { ...columns[0]!, key: 'file', title: 'List' },
  {
    key: 'state',
    phone: 'state',
    title: 'State',
    render: (row) =>
      row.refresh_error && row.state === 'active' ? (
        <StatusBadge status="failed">Not refreshed</StatusBadge>
      ) : (
        columns[1]!.render(row)
      ),
  },
  { key: 'source', phone: 'line', title: 'Source', render: (row) => (row.connection_id ? 'CRM' : 'File') },
  {
    key: 'entries',
    phone: 'line',
    title: 'Entries',
    align: 'right',
    render: (row) => num(row.entries_added),
  },
  { key: 'bad', title: 'Bad rows', align: 'right', render: (row) => num(row.rows_bad) },
  {
    key: 'filled',
    phone: 'end',
    title: 'Last read',
    render: (row) => (filledAt(row) ? <When at={filledAt(row)!} /> : 'Not yet'),
  },
];

/** A place's lists, newest first; each opens its report. */
export function ListHistory(props: {
  place: Place;
  mayWrite: boolean;
  onChanged: () => void;
  action: ReactNode;
}) {
  const { place } = props;
  const isCustomers = place.use === 'customers';
  const [page, setPage] = useState(1);
  const [open, setOpen] = useState<string>();
  const input = { ...listsOf(place), page, per_page: PER_PAGE };
  const query = useQuery({
    queryKey: [...listsKey(place), 'lists', page],
    queryFn: ({ signal }) => api.exclusions.lists(input, { signal }),
    placeholderData: keepPreviousData,
  });
  const pages = query.data?.last_page ?? 1;
  return (
    <>
      <Group justify="space-between" mb="xs" gap="sm">
        <Title order={2} size="h3">
          Lists
        </Title>
        {query.data && query.data.total > 0 && props.action}
      </Group>
      <DataTable
        label="Lists"
        name="exclusion-lists"
        download={{
          list: 'exclusion-lists',
          of: 'exclusions.lists',
          query: listsOf(place),
        }}
        bare
        columns={isCustomers ? customerColumns : columns}
        query={query}
        rowKey={(row) => row.id}
        onRow={(row) => setOpen(open === row.id ? undefined : row.id)}
        below={(row) => (open === row.id ? <Report row={row} {...props} /> : null)}
        empty={
          <EmptyState
            icon={<IconShieldOff size={32} stroke={1.4} />}
            title={isCustomers ? 'No known customers here yet' : 'No one is excluded here yet'}
            text={
              isCustomers
                ? 'Files and connected CRMs are listed here, with the result for each row.'
                : 'Files you upload are listed here, with the result for each row.'
            }
          />
        }
      />
      {pages > 1 && (
        <Group justify="center" mt="md">
          <Pagination
            total={pages}
            value={page}
            onChange={setPage}
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          />
        </Group>
      )}
    </>
  );
}

/** The result of a file: what it contained, its first bad rows by line, and how to undo it. */
function Report(props: { row: List; place: Place; mayWrite: boolean; onChanged: () => void }) {
  const { row } = props;
  const isCustomers = row.use === 'customers';
  const [busy, setBusy] = useState(false);
  const query = useQuery({
    queryKey: [...listsKey(props.place), 'report', row.id, row.state, row.rows_read],
    queryFn: ({ signal }) => api.exclusions.report({ id: row.id }, { signal }),
  });
  const undo = async () => {
    const isSure = await confirm(
      isCustomers
        ? {
            title: `Remove “${row.file_name}”?`,
            body: 'Its people will no longer be known customers. They can become leads, which are charged.',
            verb: 'Remove',
            danger: true,
          }
        : {
            title: `Undo “${row.file_name}”?`,
            body: 'This list will no longer exclude anyone. People on another list stay excluded.',
            verb: 'Undo',
            danger: true,
          },
    );
    if (!isSure) return;
    setBusy(true);
    try {
      const { message } = await api.exclusions.undo({ id: row.id });
      notifyDone(message);
    } catch (error) {
      notifyFailed(error);
    } finally {
      setBusy(false);
      props.onChanged();
    }
  };
  const again = async () => {
    setBusy(true);
    try {
      notifyDone((await api.exclusions.tryAgain({ id: row.id })).message);
    } catch (error) {
      notifyFailed(error);
    } finally {
      setBusy(false);
      props.onChanged();
    }
  };
  const refresh = async () => {
    setBusy(true);
    try {
      notifyDone((await api.customers.refresh({ id: row.id })).message);
    } catch (error) {
      notifyFailed(error);
    } finally {
      setBusy(false);
      props.onChanged();
    }
  };
  const bad = query.data?.bad ?? [];
  return (
    <section aria-label={`Report for ${row.file_name}`} style={{ padding: 16 }}>
      {row.error && (
        <div style={{ marginBottom: 12 }}>
          <Notice tone={row.state === 'failed' ? 'bad' : 'warn'}>{row.error}</Notice>
        </div>
      )}
      {row.refresh_error && (
        <div style={{ marginBottom: 12 }}>
          <Notice tone="warn" title="The last refresh failed. The previous customers stay on the list.">
            {row.refresh_error}
          </Notice>
        </div>
      )}
      <Text size="sm">
        {num(row.rows_read)} rows read: {entriesWords(row)}
        {row.entries_same > 0 && `; ${num(row.entries_same)} already on the list`}.
      </Text>
      {row.emails > 0 && (
        <Text size="sm" c="dimmed">
          {row.ignore_aliases
            ? 'Dots and +tags in Gmail addresses are ignored.'
            : 'Gmail addresses match exactly as written.'}
        </Text>
      )}
      {row.phones > 0 && (
        <Text size="sm" c="dimmed">
          Phone numbers without a country code were assumed to be from {row.country}.
        </Text>
      )}
      {row.rows_bad > 0 && (
        <>
          <Text size="sm" fw={500} mt="sm" mb={4}>
            {row.rows_bad > bad.length && bad.length > 0
              ? `The first ${num(bad.length)} of ${num(row.rows_bad)} bad rows`
              : 'Bad rows'}
          </Text>
          {query.error ? (
            <ErrorState
              error={query.error}
              what="The bad rows could not be loaded"
              onRetry={() => void query.refetch()}
            />
          ) : query.isPending ? (
            <SkeletonRows />
          ) : bad.length === 0 ? (
            <Text size="sm" c="dimmed">
              They were deleted with the list.
            </Text>
          ) : (
            <section
              aria-label="Bad rows"
              // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keyboard
              tabIndex={0}
              style={{ maxHeight: 240, overflowY: 'auto' }}
            >
              {bad.map((fault) => (
                <Text key={fault.line} size="sm" style={{ overflowWrap: 'anywhere' }}>
                  <span className="num">Line {num(fault.line)}</span>:{' '}
                  {fault.value && <code>{fault.value}</code>} {fault.reason}
                </Text>
              ))}
            </section>
          )}
        </>
      )}
      <Group gap="xs" mt="md">
        {bad.length > 0 && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconDownload size={16} />}
            onClick={() => void download(`/exclusions/lists/${row.id}/report.csv`)}
          >
            Download bad rows
          </Button>
        )}
        {props.mayWrite && row.connection_id && row.state === 'active' && (
          <Button size="xs" loading={busy} onClick={() => void refresh()}>
            Refresh now
          </Button>
        )}
        {props.mayWrite && row.state === 'held' && (
          <Button size="xs" loading={busy} onClick={() => void again()}>
            Try again
          </Button>
        )}
        {props.mayWrite && row.state !== 'removed' && !row.is_standing && (
          <Button variant="default" size="xs" loading={busy} onClick={() => void undo()}>
            {isCustomers ? 'Remove' : 'Undo'}
          </Button>
        )}
      </Group>
    </section>
  );
}
