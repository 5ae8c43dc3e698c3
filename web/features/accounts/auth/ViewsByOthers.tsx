import { Text, Title } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import type { Column } from '../../../ui/DataTable.types.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';

type Row = Awaited<ReturnType<Client['auth']['views']>>['data'][number];

const columns: Column<Row>[] = [
  { key: 'who', title: 'Who', render: (row) => (row.who ? <Clip text={row.who} max={280} /> : <None />) },
  { key: 'started_at', phone: 'line', title: 'From', render: (row) => <When at={row.started_at} /> },
  {
    key: 'until',
    phone: 'line',
    title: 'Until',
    render: (row) =>
      row.active ? (
        <StatusBadge status="active">Viewing now</StatusBadge>
      ) : row.until ? (
        <When at={row.until} />
      ) : (
        <None />
      ),
  },
  {
    key: 'reason',
    phone: 'line',
    title: 'Why',
    render: (row) => (row.reason ? <Clip text={row.reason} max={320} /> : <None />),
  },
];

/** Who looked at the user's own company in view mode, when, why, and until when (BEY-12). */
export function ViewsByOthers() {
  const state = useListState({ perPage: 10 }, 'v');
  const query = useQuery({
    queryKey: ['views', state.input],
    queryFn: ({ signal }) => api.auth.views(state.input, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <div style={{ marginTop: 32 }}>
      <Title order={2}>Views by others</Title>
      <Text c="dimmed" size="sm" mb="md">
        When someone from a company above yours views the product as one of your users, the view appears here.
      </Text>
      <DataTable
        label="Views by others"
        download={{ list: 'views', of: 'auth.views', query: state.input }}
        name="views"
        columns={columns}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        empty={
          <EmptyState
            icon={<IconEye size={32} stroke={1.4} />}
            title="No views yet"
            text="No one has viewed your company as one of its users."
          />
        }
      />
    </div>
  );
}
