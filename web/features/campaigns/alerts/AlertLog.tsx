import { Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, When } from '../../../ui/Values.tsx';

type Message = Awaited<ReturnType<Client['alerts']['messages']>>['data'][number];

const COLUMNS: Column<Message>[] = [
  {
    key: 'recipient',
    title: 'To',
    fluid: 50,
    render: (row) => (
      <>
        <Clip text={row.recipient} max="cell" />
        {row.error && (
          <Text size="xs" c="dimmed" style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
            {row.error}
          </Text>
        )}
      </>
    ),
  },
  { key: 'state', title: 'Status', render: (row) => <MessageState row={row} /> },
  {
    key: 'events',
    title: 'Alerts',
    align: 'right',
    render: (row) => (row.is_test ? 'Test' : <span className="num">{num(row.events)}</span>),
  },
  { key: 'created_at', title: 'Time', render: (row) => <When at={row.created_at} /> },
];

/** What an alert has sent. */
export function AlertLog({ id }: { id: string }) {
  const state = useListState({ perPage: 10 }, 'm_');
  const { page, per_page } = state.input;
  const query = useQuery({
    queryKey: ['alert-messages', id, page, per_page],
    queryFn: ({ signal }) => api.alerts.messages({ id, page, per_page }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: at }) =>
      at.data?.data.some((row) => row.state === 'pending') ? 3_000 : 30_000,
  });
  return (
    <section aria-label="Messages">
      <Title order={3} mb="xs">
        Messages
      </Title>
      <DataTable
        label="Messages"
        name="alert-messages"
        download={{ list: 'alert-messages', of: 'alerts.messages', query: { id, page, per_page } }}
        bare
        columns={COLUMNS}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        phoneRow={(row) => ({
          title: row.recipient,
          state: <MessageState row={row} />,
          line: row.error ?? (row.is_test ? 'Test' : `${num(row.events)} alerts`),
          end: <When at={row.created_at} brief />,
        })}
        empty={
          <Text size="sm" c="dimmed">
            Nothing has been sent lately.
          </Text>
        }
      />
    </section>
  );
}

const MessageState = ({ row }: { row: Message }) => <StatusBadge status={row.state} />;
