import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { modulesOf } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';
import { useFacts } from '../../../api/user.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { LeadTable } from './LeadTable.tsx';

/** Every lead of a module, for administrators (spec product 2: leads-management, not in the menu). */
export default function LeadsManagementPage() {
  const facts = useFacts();
  const slug = useLocation({ select: ({ pathname }) => pathname.split('/')[1] });
  const module = modulesOf(facts).find((one) => one.slug === slug);
  const [params, set] = useSearchParams();
  const campaign = useQuery({
    queryKey: ['campaign', params.campaign],
    queryFn: ({ signal }) => api.campaigns.get({ campaign_id: params.campaign! }, { signal }),
    enabled: params.campaign !== undefined,
  });
  const filter = { campaign_id: params.campaign, module: module?.module };
  return (
    <>
      <PageHeader
        title="Leads Management"
        line={`Every lead from ${module?.name ?? 'the module'}, with the reason it matched.`}
      />
      <LeadTable
        filter={filter}
        campaignName={campaign.data?.campaign_name}
        onClearCampaign={() => set({ campaign: undefined, page: undefined })}
      />
    </>
  );
}
