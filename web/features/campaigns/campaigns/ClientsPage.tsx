import { IconBuildingStore } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CLIENT_SORTS } from '../../../../contract/choices.ts';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, Money } from '../../../ui/Values.tsx';

type Row = Awaited<ReturnType<Client['analytics']['clients']>>['data'][number];

/** The clients with what their campaigns bring in, each linking to those campaigns (spec product 2: /client). */
export default function ClientsPage() {
  const user = useUser();
  const navigate = useNavigate();
  const state = useListState({ sorts: CLIENT_SORTS, sort: 'company_name', perPage: 25 });
  const { input } = state;
  const query = useQuery({
    queryKey: ['clients', 'figures', input],
    queryFn: ({ signal }) => api.analytics.clients(input, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader
        title="Clients"
        line="The companies you run campaigns for. Choose one to see its campaigns."
      />
      <DataTable
        label="Clients"
        download={{ list: 'clients', of: 'analytics.clients', query: input }}
        name="campaign.clients"
        columns={columnsFor(user.company_kind === 'root')}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        onRow={(row) => void navigate({ to: `/campaign?client=${row.id}` as '/' })}
        search="Search clients"
        empty={
          <EmptyState
            icon={<IconBuildingStore size={32} stroke={1.4} />}
            title="No clients yet"
            text="Add clients under Client Management. Each client has its own campaigns."
          />
        }
      />
    </>
  );
}

function columnsFor(withAgency: boolean): Column<Row>[] {
  const agency: Column<Row> = {
    key: 'agency_name',
    phone: 'line',
    title: 'Agency',
    render: (row) => <Clip text={row.agency_name} max={280} />,
  };
  return [
    {
      key: 'company_name',
      title: 'Client',
      sortable: true,
      render: (row) => <Clip text={row.company_name} max={360} />,
    },
    ...(withAgency ? [agency] : []),
    {
      key: 'active',
      phone: 'line',
      title: 'Active campaigns',
      sortable: true,
      align: 'right',
      render: (row) => (
        <>
          {num(row.active)}
          <span className="dim"> of {num(row.campaigns)}</span>
        </>
      ),
    },
    {
      key: 'leads_30d',
      phone: 'line',
      title: 'Leads 30d',
      sortable: true,
      align: 'right',
      render: (row) => num(row.leads_30d),
    },
    {
      key: 'spend_30d',
      phone: 'line',
      title: 'Spend 30d',
      sortable: true,
      align: 'right',
      render: (row) => <Money micros={row.spend_30d_micros} />,
    },
    {
      key: 'balance',
      phone: 'end',
      title: 'Balance',
      sortable: true,
      align: 'right',
      render: (row) => row.balance_micros !== null && <Money micros={row.balance_micros} />,
    },
  ];
}
