import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import type { Column } from '../../../ui/DataTable.types.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Clip, None, When } from '../../../ui/Values.tsx';

type Row = Awaited<ReturnType<Client['auth']['activity']>>['data'][number];

const columns: Column<Row>[] = [
  { key: 'at', phone: 'end', title: 'When', render: (row) => <When at={row.at} relative /> },
  {
    key: 'what',
    phone: 'title',
    title: 'What',
    render: (row) =>
      row.suspicious ? (
        <StatusBadge status="warning" tone="warn">
          {row.what}
        </StatusBadge>
      ) : (
        row.what
      ),
  },
  {
    key: 'place',
    phone: 'line',
    title: 'Place',
    render: (row) => (row.place ? <Clip text={row.place} /> : <None />),
  },
  {
    key: 'ip',
    phone: 'line',
    title: 'IP address',
    render: (row) => (row.ip ? <span className="num">{row.ip}</span> : <None />),
  },
  { key: 'detail', title: 'Details', hidden: true, render: (row) => <Clip text={row.detail} max={420} /> },
];

/** What happened to the user's own ways to sign in: who signs in with them, and who tries to. */
export function Activity() {
  const query = useQuery({
    queryKey: ['activity'],
    queryFn: ({ signal }) => api.auth.activity(undefined, { signal }),
  });
  return (
    <div style={{ marginTop: 32 }}>
      <Title order={2}>Account activity</Title>
      <Text c="dimmed" size="sm" mb="md">
        Sign-ins, failed sign-in attempts, and changes to your password, email, and two-factor authentication.
      </Text>
      <DataTable
        label="Account activity"
        name="activity"
        columns={columns}
        query={query}
        rowKey={(row) => row.id}
        download={{ list: 'activity' }}
        empty={<EmptyState title="No activity" text="There is no activity on your account yet." />}
      />
    </div>
  );
}
