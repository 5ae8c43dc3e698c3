import { IconFileText } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { DOCUMENT_NAMES } from './agreements.ts';

type Acceptance = Awaited<ReturnType<typeof api.agreementText.acceptances>>['data'][number];

const FACTORS = { '': 'None', email: 'Email code', google: 'Authenticator', passkey: 'Passkey' } as const;

/** Who accepted the agreements that one's own company makes with others. */
export default function AcceptancesTab() {
  const state = useListState({ perPage: 25 });
  const query = useQuery({
    queryKey: ['agreement', 'acceptances', state.input],
    queryFn: ({ signal }) =>
      api.agreementText.acceptances(
        { page: state.page, per_page: state.perPage, ...(state.q ? { search: state.q } : {}) },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
  const columns: Column<Acceptance>[] = [
    {
      key: 'company',
      title: 'Company',
      fluid: 20,
      render: (row) => <Clip text={row.company_name} max={220} />,
    },
    {
      key: 'document',
      phone: 'line',
      title: 'Agreement',
      render: (row) => <Clip text={DOCUMENT_NAMES[row.document_type]} max={240} />,
    },
    { key: 'version', phone: 'line', title: 'Version', render: (row) => row.version },
    {
      key: 'name',
      phone: 'line',
      title: 'Accepted by',
      render: (row) => (row.name ? <Clip text={row.name} max={200} /> : <None />),
    },
    { key: 'at', phone: 'end', title: 'Accepted', render: (row) => <When at={row.accepted_at} /> },
    { key: 'ip', phone: false, title: 'IP address', render: (row) => row.ip || <None /> },
    { key: 'device', phone: false, title: 'Device', render: (row) => row.device || <None /> },
    { key: 'factor', phone: false, title: 'Second factor', render: (row) => FACTORS[row.second_factor] },
    {
      key: 'read',
      phone: false,
      title: 'Read',
      render: (row) => (row.read_to_end ? 'To the end' : <None />),
    },
  ];
  return (
    <DataTable
      label="Acceptances"
      name="acceptances"
      download={{ list: 'acceptances', of: 'agreementText.acceptances', query: state.input }}
      columns={columns}
      query={query}
      state={state}
      rowKey={(row) => row.id}
      search="Search by company or person"
      empty={
        <EmptyState
          icon={<IconFileText size={32} stroke={1.4} />}
          title="No one has accepted yet"
          text="Each acceptance is listed here with who, when, and from where."
        />
      }
    />
  );
}
