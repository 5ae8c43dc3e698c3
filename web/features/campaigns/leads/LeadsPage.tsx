import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { modulesOf } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';
import { useFacts } from '../../../api/user.ts';
import { isDay } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { PageZone } from '../../../ui/zone.ts';
import { LeadTable } from './LeadTable.tsx';

/** All leads that the user may see, of every product or of one. */
export default function LeadsPage() {
  const facts = useFacts();
  const [params, set] = useSearchParams();
  const products = modulesOf(facts).filter(({ module }) => module !== 'simplifi');
  const product = products.find(({ module }) => module === params.product)?.module;
  const campaign = useQuery({
    queryKey: ['campaign', params.campaign],
    queryFn: ({ signal }) => api.campaigns.get({ leadspeekID: params.campaign! }, { signal }),
    enabled: params.campaign !== undefined,
  });
  const { from, to } = params;
  const days = isDay(from) && isDay(to) && from <= to ? { startDate: from, endDate: to } : {};
  return (
    <PageZone value={facts.user.time_zone}>
      <PageHeader
        title="Leads"
        line={
          facts.user.company_kind === 'client'
            ? 'Everyone your campaigns have found, newest first.'
            : 'Everyone your clients’ campaigns have found, newest first.'
        }
      />
      {products.length > 1 && (
        <SegmentedControl
          mb="md"
          maw="100%"
          aria-label="Product"
          value={product ?? 'all'}
          data={[
            { value: 'all', label: 'All' },
            ...products.map(({ module, name }) => ({ value: module, label: name })),
          ]}
          onChange={(next) => set({ product: next === 'all' ? undefined : next, page: undefined })}
        />
      )}
      <LeadTable
        filter={{ leadspeekID: params.campaign, moduleType: product, ...days }}
        campaignName={campaign.data?.campaignName}
        onClearCampaign={() => set({ campaign: undefined, page: undefined })}
        onClearDays={() => set({ from: undefined, to: undefined, page: undefined })}
      />
    </PageZone>
  );
}
