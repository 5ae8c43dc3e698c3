import { Button } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { modulesOf } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';
import { useFacts, useMay } from '../../../api/user.ts';
import { isDay } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { ViewTabs } from '../../../ui/ViewTabs.tsx';
import { useViews } from '../../../ui/views.ts';
import { PageZone } from '../../../ui/zone.ts';
import { dayIn, lastDays } from '../analytics/range.ts';
import { KINDS, LeadFilters } from './LeadFilters.tsx';
import { type LeadSpan, LeadTable } from './LeadTable.tsx';

/** What a saved view of leads keeps of the address. */
const KEYS = [
  'q',
  'sort',
  'dir',
  'product',
  'client',
  'campaign',
  'days',
  'from',
  'to',
  'score',
  'kind',
] as const;

/** A least score from the address; undefined if it is none. */
const leastScore = (text: string | undefined): number | undefined =>
  text && /^\d{1,2}$|^100$/.test(text) ? Number(text) : undefined;

/** All leads that the user may see, narrowed by filters and saved views. */
export default function LeadsPage() {
  const facts = useFacts();
  const mayAlert = useMay('integration.write');
  const isClient = facts.user.company_kind === 'client';
  const [params, set] = useSearchParams();
  const views = useViews('leads', KEYS);
  const products = modulesOf(facts).filter(({ module }) => module !== 'simplifi');
  const campaign = useQuery({
    queryKey: ['campaign', params.campaign],
    queryFn: ({ signal }) => api.campaigns.get({ campaign_id: params.campaign! }, { signal }),
    enabled: params.campaign !== undefined,
  });
  /** The call's filter for the parameters of the address or of a view. */
  const filterOf = (of: Record<string, string | undefined>): LeadSpan => {
    const { from, to, days } = of;
    const last =
      Number(days) > 0 ? lastDays(Number(days), dayIn(new Date(), facts.user.time_zone)) : undefined;
    return {
      campaign_id: of.campaign,
      company_id: of.client,
      module: products.find(({ module }) => module === of.product)?.module,
      min_score: leastScore(of.score),
      kind: of.kind === 'person' || of.kind === 'company' ? of.kind : undefined,
      ...(last
        ? { starts_on: last.start, ends_on: last.end }
        : isDay(from) && isDay(to) && from <= to
          ? { starts_on: from, ends_on: to }
          : {}),
    };
  };
  const count = async (of: Record<string, string>, signal: AbortSignal) => {
    const asked = { ...filterOf(of), search: of.q, page: 1, per_page: 1 };
    const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
    return (await api.leads.list(given, { signal })).total;
  };
  const product = products.find(({ module }) => module === params.product);
  const least = leastScore(params.score);
  const kind = KINDS.find(({ value }) => value === params.kind);
  const clear = (...keys: string[]) =>
    set({ ...Object.fromEntries(keys.map((key) => [key, undefined])), page: undefined });
  return (
    <PageZone value={facts.user.time_zone}>
      <PageHeader
        title="Leads"
        line={
          isClient
            ? 'Everyone your campaigns have found, newest first.'
            : 'Everyone your clients’ campaigns have found, newest first.'
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
      <ViewTabs views={views} all="All leads" count={count} />
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
          ...(kind ? [{ label: `Kind: ${kind.label}`, onRemove: () => clear('kind') }] : []),
        ]}
        actions={<LeadFilters products={products} />}
        look={views.look}
      />
    </PageZone>
  );
}
