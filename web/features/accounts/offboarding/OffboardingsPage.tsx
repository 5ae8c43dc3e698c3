import { Button } from '@mantine/core';
import { IconDoorExit } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { dayWords } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { PageZone } from '../../../ui/zone.ts';
import { type Listed, STATE_TONES, STATE_WORDS } from './model.ts';

const Badge = ({ row }: { row: Listed }) =>
  row.state ? (
    <StatusBadge status={row.state} tone={STATE_TONES[row.state]}>
      {STATE_WORDS[row.state]}
    </StatusBadge>
  ) : (
    <None />
  );

/** The clients that leave an agency, and those that have left (BEY-13). */
export default function OffboardingsPage() {
  const user = useUser();
  const navigate = useNavigate();
  const list = useListState({ perPage: 25 });
  const { page, per_page, search } = list.input;
  const input = { page, per_page, ...(search ? { search } : {}) };
  const query = useQuery({
    queryKey: ['offboardings', input],
    queryFn: ({ signal }) => api.offboarding.list(input, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
  const columns: Column<Listed>[] = [
    { key: 'name', title: 'Client', fluid: 30, render: (row) => <Clip text={row.company_name} max="cell" /> },
    { key: 'state', title: 'Status', render: (row) => <Badge row={row} /> },
    { key: 'started', title: 'Started', from: 620, render: (row) => <When at={row.started_at} /> },
    {
      key: 'by',
      title: 'Started by',
      fluid: 18,
      from: 820,
      render: (row) => <Clip text={row.started_by_name} max="cell" />,
    },
    { key: 'ended', title: 'Ended', from: 620, render: (row) => <When at={row.ended_at} /> },
    {
      key: 'delete',
      title: 'Data kept until',
      render: (row) => (row.delete_on ? dayWords(row.delete_on, { dateStyle: 'medium' }) : <None />),
    },
  ];
  return (
    <PageZone value={user.time_zone}>
      <PageHeader
        title="Offboarding"
        line="Clients that leave you, with what is left to settle, and those that have left."
      />
      <DataTable
        label="Offboarded clients"
        name="offboarding"
        download={{ list: 'offboarding', of: 'offboarding.list', query: input }}
        columns={columns}
        query={query}
        state={list}
        search="Search by name"
        rowKey={(row) => row.id}
        onRow={(row) => void navigate({ to: `/configuration/offboarding/${row.id}` as '/' })}
        phoneRow={(row) => ({
          title: row.company_name,
          state: <Badge row={row} />,
          line: row.started_by_name,
          end: <When at={row.started_at} />,
        })}
        empty={
          <EmptyState
            icon={<IconDoorExit size={32} stroke={1.4} />}
            title="No client is leaving"
            text="To offboard a client, open its row’s menu in Client Management."
            action={
              <Button
                variant="default"
                renderRoot={(props) => <Link {...props} to={'/configuration/client-management' as '/'} />}
              >
                Client Management
              </Button>
            }
          />
        }
      />
    </PageZone>
  );
}
