import { SegmentedControl } from '@mantine/core';
import { IconShieldOff } from '@tabler/icons-react';
import { useUser } from '../../../api/user.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { ClientSelect } from '../../campaigns/campaigns/ClientSelect.tsx';
import { ExclusionPanel } from './ExclusionPanel.tsx';
import { ListsPanel, type Shown } from './ListsPanel.tsx';

const isId = (text: string | undefined): text is string => /^[0-9a-f-]{36}$/.test(text ?? '');

/** A client's own lists, or an agency's for all of its clients and each client's. */
export default function ExclusionListsPage() {
  const { company_id, company_kind } = useUser();
  const shown = useShown();
  return company_kind === 'client' ? (
    <>
      <PageHeader
        title="Exclusion Lists"
        line="People who must not become leads of your campaigns, and customers you know."
      />
      <ListsPanel place={{ level: 'client', id: company_id }} {...shown} />
    </>
  ) : (
    <AgencyLists agencyId={company_id} />
  );
}

/** Which lists are shown, kept in the address so that alerts can lead there. */
function useShown(): { shown: Shown; onShown: (next: Shown) => void } {
  const [params, set] = useSearchParams();
  return {
    shown: params.show === 'customers' ? 'customers' : 'exclude',
    onShown: (next) => set({ show: next === 'customers' ? next : undefined }),
  };
}

function AgencyLists({ agencyId }: { agencyId: string }) {
  const [params, set] = useSearchParams();
  const shown = useShown();
  const isClient = params.of === 'client';
  const client = isId(params.client) ? params.client : undefined;
  return (
    <>
      <PageHeader
        title="Exclusion Lists"
        line="People who must not become leads for your clients, and customers they know."
      />
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
            <ListsPanel key={client} place={{ level: 'client', id: client }} {...shown} />
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
