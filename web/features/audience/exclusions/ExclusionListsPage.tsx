import { SegmentedControl } from '@mantine/core';
import { IconShieldOff } from '@tabler/icons-react';
import { useUser } from '../../../api/user.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { ClientSelect } from '../../campaigns/campaigns/ClientSelect.tsx';
import { ExclusionPanel } from './ExclusionPanel.tsx';

const isId = (text: string | undefined): text is string => /^[0-9a-f-]{36}$/.test(text ?? '');

/** A client's own lists, or an agency's for all of its clients and each client's. */
export default function ExclusionListsPage() {
  const { company_id, company_kind } = useUser();
  return company_kind === 'client' ? (
    <>
      <PageHeader title="Exclusion Lists" line="People who must not become leads of your campaigns." />
      <ExclusionPanel place={{ level: 'client', id: company_id }} />
    </>
  ) : (
    <AgencyLists agencyId={company_id} />
  );
}

function AgencyLists({ agencyId }: { agencyId: string }) {
  const [params, set] = useSearchParams();
  const isClient = params.of === 'client';
  const client = isId(params.client) ? params.client : undefined;
  return (
    <>
      <PageHeader title="Exclusion Lists" line="People who must not become leads for your clients." />
      <SegmentedControl
        mb="md"
        aria-label="Lists for"
        value={isClient ? 'client' : 'agency'}
        data={[
          { value: 'agency', label: 'All clients' },
          { value: 'client', label: 'One client' },
        ]}
        onChange={(next) => set({ of: next === 'client' ? 'client' : undefined, client: undefined })}
      />
      {isClient ? (
        <>
          <div style={{ maxWidth: 400, marginBottom: 16 }}>
            <ClientSelect
              description="Shows the lists of this client."
              {...(client ? { value: client } : {})}
              onChange={(next) => set({ client: next || undefined })}
            />
          </div>
          {client ? (
            <ExclusionPanel key={client} place={{ level: 'client', id: client }} />
          ) : (
            <div className="card">
              <EmptyState
                icon={<IconShieldOff size={32} stroke={1.4} />}
                title="Choose a client"
                text="Its lists exclude people from all of its own campaigns and no one else’s."
              />
            </div>
          )}
        </>
      ) : (
        <ExclusionPanel key={agencyId} place={{ level: 'agency', id: agencyId }} />
      )}
    </>
  );
}
