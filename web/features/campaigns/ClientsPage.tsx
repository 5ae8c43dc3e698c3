import { IconBuildingStore } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Client } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { useUser } from '../../api/user.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useListState } from '../../ui/useListState.ts';
import { Clip } from '../../ui/Values.tsx';

type Row = Awaited<ReturnType<Client['tenants']['clients']>>['data'][number];

/** The clients, each a way to its campaigns (spec product 2: /client). */
export default function ClientsPage() {
  const user = useUser();
  const navigate = useNavigate();
  const state = useListState({ perPage: 25 });
  const { Page, PerPage, searchQuery } = state.input;
  const input = { Page, PerPage, ...(searchQuery ? { searchQuery } : {}) };
  const query = useQuery({
    queryKey: ['clients', 'list', input],
    queryFn: ({ signal }) => api.tenants.clients(input, { signal }),
    placeholderData: keepPreviousData,
  });
  const agency: Column<Row> = {
    key: 'agency_name',
    title: 'Agency',
    render: (row) => <Clip text={row.agency_name} max={280} />,
  };
  return (
    <>
      <PageHeader
        title="Clients"
        line="The companies you run campaigns for. Choose one to see its campaigns."
      />
      <DataTable
        label="Clients"
        download={{ list: 'clients', query: input }}
        name="campaign.clients"
        columns={[
          {
            key: 'company_name',
            title: 'Client',
            render: (row) => <Clip text={row.company_name} max={360} />,
          },
          ...(user.company_kind === 'root' ? [agency] : []),
        ]}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        onRow={(row) => void navigate({ to: `/campaign?client=${row.id}` as '/' })}
        search="Search clients"
        empty={
          <EmptyState
            icon={<IconBuildingStore size={32} stroke={1.4} />}
            title="No clients yet"
            text="Clients are added under Client Management. Each has campaigns of its own."
          />
        }
      />
    </>
  );
}
