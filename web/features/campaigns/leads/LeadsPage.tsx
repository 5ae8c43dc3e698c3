import { Button } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { LEAD_VIEW, leadFilterOf, leastScoreOf, matchOf } from '../../../../contract/campaigns/lead-view.ts';
import { modulesOf } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';
import { useFacts, useMay } from '../../../api/user.ts';
import { dayWords, isDay } from '../../../ui/format.ts';
import type { SavedView } from '../../../ui/lists.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { ViewTabs } from '../../../ui/ViewTabs.tsx';
import { useViews } from '../../../ui/views.ts';
import { PageZone } from '../../../ui/zone.ts';
import { dayIn } from '../analytics/range.ts';
import { KINDS, LeadFilters } from './LeadFilters.tsx';
import { type LeadSpan, LeadTable } from './LeadTable.tsx';
import { matchWord } from './match.ts';
import { ViewExport } from './ViewExport.tsx';

/** Which ads the leads are credited to, in words. */
function adWords(params: Record<string, string | undefined>, campaign: string | undefined): string {
  // An address may say anything.
  const day = (text: string) => (isDay(text) ? dayWords(text) : text);
  const parts = [
    params.ad && (campaign ?? 'one campaign'),
    params.creative && 'one creative',
    params.site,
    params.way === 'click' ? 'after a click' : params.way === 'view' ? 'after a view' : undefined,
    params.shown &&
      (params.until && params.until !== params.shown
        ? `shown ${day(params.shown)} to ${day(params.until)}`
        : `shown ${day(params.shown)}`),
  ].filter(Boolean);
  return `Ads: ${parts.join(', ')}`;
}

/** All leads that the user may see, narrowed by filters and saved views. */
export default function LeadsPage() {
  const facts = useFacts();
  const mayAlert = useMay('integration.write');
  const isClient = facts.user.company_kind === 'client';
  const [params, set] = useSearchParams();
  const views = useViews('leads', LEAD_VIEW);
  const [scheduled, setScheduled] = useState<SavedView>();
  const mayExport = /^(client|agency)\.(owner|administrator)$/.test(facts.user.grade);
  const products = modulesOf(facts).filter(({ module }) => module !== 'simplifi');
  const campaign = useQuery({
    queryKey: ['campaign', params.campaign],
    queryFn: ({ signal }) => api.campaigns.get({ campaign_id: params.campaign! }, { signal }),
    enabled: params.campaign !== undefined,
  });
  /** The call's filter for the parameters of the address or of a view. */
  const filterOf = (of: Record<string, string | undefined>): LeadSpan => {
    const { search: _, ...filter } = leadFilterOf(of, dayIn(new Date(), facts.user.time_zone));
    return { campaign_id: undefined, ...filter };
  };
  const count = async (of: Record<string, string>, signal: AbortSignal) => {
    const asked = { ...filterOf(of), search: of.q, page: 1, per_page: 1 };
    const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
    return (await api.leads.list(given, { signal })).total;
  };
  const isOfAd = Boolean(params.ad || params.creative || params.site || params.way || params.shown);
  const ad = useQuery({
    queryKey: ['campaign', params.ad],
    queryFn: ({ signal }) => api.campaigns.get({ campaign_id: params.ad! }, { signal }),
    enabled: params.ad !== undefined,
  });
  const product = products.find(({ module }) => module === params.product);
  const least = leastScoreOf(params.score);
  const match = matchOf(params.match);
  const kind = KINDS.find(({ value }) => value === params.kind);
  const clear = (...keys: string[]) =>
    set({ ...Object.fromEntries(keys.map((key) => [key, undefined])), page: undefined });
  return (
    <PageZone value={facts.user.time_zone}>
      <PageHeader
        title="Leads"
        line={
          isClient ? 'Everyone your campaigns have found.' : 'Everyone your clients’ campaigns have found.'
        }
        primary={
          mayAlert ? (
            <Button
              component={Link}
              variant="default"
              leftSection={<IconBell size={16} aria-hidden="true" />}
              {...{
                to: '/alerts',
                search: {
                  ...(isClient || params.client ? { alert: 'new' } : {}),
                  client: params.client,
                  campaign: params.campaign,
                  score: params.score,
                } as never,
              }}
            >
              Create alert
            </Button>
          ) : undefined
        }
      />
      <ViewTabs
        views={views}
        all="All leads"
        count={count}
        onSchedule={mayExport ? setScheduled : undefined}
      />
      {scheduled && <ViewExport view={scheduled} onClose={() => setScheduled(undefined)} />}
      <LeadTable
        isPage
        filter={filterOf(params)}
        campaignName={campaign.data?.campaign_name}
        onClearCampaign={() => clear('campaign')}
        onClearClient={() => clear('client')}
        onClearDays={() => clear('from', 'to', 'days')}
        daysLabel={Number(params.days) > 0 ? `Received: last ${params.days} days` : undefined}
        filters={[
          ...(product ? [{ label: `Product: ${product.name}`, onRemove: () => clear('product') }] : []),
          ...(least === undefined
            ? []
            : [{ label: `Score: ${least} and up`, onRemove: () => clear('score') }]),
          ...(match ? [{ label: `Matched by: ${matchWord(match)}`, onRemove: () => clear('match') }] : []),
          ...(kind ? [{ label: `Kind: ${kind.label}`, onRemove: () => clear('kind') }] : []),
          ...(isOfAd
            ? [
                {
                  label: adWords(params, ad.data?.campaign_name),
                  onRemove: () => clear('ad', 'creative', 'site', 'way', 'shown', 'until'),
                },
              ]
            : []),
        ]}
        actions={<LeadFilters products={products} />}
        look={views.look}
      />
    </PageZone>
  );
}
