import { Title } from '@mantine/core';
import { IconPackageImport } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { prettyCode } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { PageZone } from '../../../ui/zone.ts';
import { isUnderWay, type Listed } from './model.ts';
import { NewImport } from './NewImport.tsx';
import { RunPanel, RunState } from './RunPanel.tsx';

const columns: Column<Listed>[] = [
  { key: 'file', title: 'Archive', fluid: 30, render: (row) => <Clip text={row.file_name} max="cell" /> },
  {
    key: 'name',
    title: 'Company',
    fluid: 22,
    render: (row) => (row.name ? <Clip text={row.name} max="cell" /> : <None />),
  },
  {
    key: 'kind',
    title: 'Type',
    from: 820,
    render: (row) => (row.kind ? prettyCode(row.kind) : <None />),
  },
  { key: 'state', title: 'Status', render: (row) => <RunState run={row} /> },
  {
    key: 'receiver',
    title: 'Receiving agency',
    fluid: 18,
    from: 980,
    render: (row) => (row.receiver_name ? <Clip text={row.receiver_name} max="cell" /> : <None />),
  },
  { key: 'created', title: 'Started', from: 620, render: (row) => <When at={row.created_at} /> },
];

/** Imports of full exports as agencies of the root or clients of its agencies (BEY-13). */
export default function CompanyImportsPage() {
  const user = useUser();
  const [params, set] = useSearchParams();
  const list = useListState({ perPage: 10 });
  const { page, per_page, search } = list.input;
  const input = { page, per_page, ...(search ? { search } : {}) };
  const query = useQuery({
    queryKey: ['company-imports', 'list', input],
    queryFn: ({ signal }) => api.companyImports.list(input, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? 3000 : false),
  });
  const open = (id: string) => set({ import: id });
  return (
    <PageZone value={user.time_zone}>
      <PageHeader
        title="Import companies"
        line="Agencies and clients from full exports of this or another installation. Each is checked first."
      />
      {params.import ? (
        <RunPanel key={params.import} id={params.import} onClose={() => set({ import: undefined })} />
      ) : (
        !user.in_view_mode && <NewImport onStarted={open} />
      )}
      <Title order={2} size="h3" mt="xl" mb="xs">
        History
      </Title>
      <DataTable
        label="Imports"
        name="company-imports"
        download={{ list: 'company-imports', of: 'companyImports.list', query: input }}
        columns={columns}
        query={query}
        state={list}
        search="Search imports"
        rowKey={(row) => row.id}
        onRow={(row) => open(row.id)}
        phoneRow={(row) => ({
          title: row.name || row.file_name,
          state: <RunState run={row} />,
          line: row.receiver_name || row.file_name,
          end: <When at={row.created_at} />,
        })}
        empty={
          <EmptyState
            icon={<IconPackageImport size={32} stroke={1.4} />}
            title="Nothing has been imported yet"
            text="Drop a full export above. You review it before anything is imported."
          />
        }
      />
    </PageZone>
  );
}
