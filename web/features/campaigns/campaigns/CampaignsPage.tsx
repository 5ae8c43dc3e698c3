import { ActionIcon, Button, Select, Tooltip } from '@mantine/core';
import { IconFolders, IconPlus, IconTargetArrow } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { betaShown } from '../../../../contract/accounts/setup-rules.ts';
import { CAMPAIGN_SORTS, MODULES, type ModuleType } from '../../../../contract/choices.ts';
import { modulesOf } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';
import { usePageModule } from '../../../api/module.ts';
import { useFacts, useMay, useUser } from '../../../api/user.ts';
import { lazyPage } from '../../../ui/chunk.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { exactTime, money, num, shortDay } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { useSelection } from '../../../ui/selection.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, Money, None, When } from '../../../ui/Values.tsx';
import { ViewTabs } from '../../../ui/ViewTabs.tsx';
import { useViews } from '../../../ui/views.ts';
import { CampaignMenu } from './actions.tsx';
import { BulkActions } from './BulkActions.tsx';
import { CampaignDrawer } from './CampaignDrawer.tsx';
import { GroupsDrawer } from './GroupsDrawer.tsx';
import { groupsQuery } from './groups.queries.ts';
import { MarginsButton, MarginsNotice } from './Margins.tsx';
import {
  type Campaign,
  type CampaignRow,
  isSearch as goesByKeywords,
  pixelState,
  statusWords,
} from './model.ts';
import { useMayAdd } from './queries.ts';
import { leadPriceOf } from './resource.ts';

const AdsPage = lazyPage(() => import('../../ads/ad-campaigns/AdsPage.tsx'));

/** What a saved view of campaigns keeps of the address. */
const KEYS = ['q', 'sort', 'dir', 'status', 'group', 'client'] as const;

const STATUSES = { active: 'Active', paused: 'Paused', archived: 'Archived' } as const;

const LINES: Record<Campaign['module'] | 'all', string> = {
  local: 'Campaigns that recognize the visitors to a site and turn them into leads.',
  locator: 'Campaigns that find people by what they looked for and where, and turn them into leads.',
  enhance:
    'Campaigns that find people by all the words of what they looked for, in any order, and include personal data.',
  b2b: 'Campaigns that find people at work by what they looked for, their job, and their company.',
  all: 'Campaigns that turn people into leads.',
};

const ServiceAgreement = lazy(() => import('../../accounts/agreements/ServiceAgreement.tsx'));

/** The module whose agreement stands before the page: one in trial, for an agency that acts as itself (BETA-02). */
function useServiceAgreement(module: ModuleType | undefined): 'b2b' | 'simplifi' | undefined {
  const { user, setup } = useFacts();
  if (module !== 'b2b' && module !== 'simplifi') return undefined;
  const isAsked = user.company_kind === 'agency' && user.user_type !== 'sales' && !user.in_view_mode;
  return isAsked && setup && betaShown(setup, `${module}_module`) ? module : undefined;
}

/** The module's campaigns: the list, and each campaign in a drawer. */
export default function CampaignsPage() {
  return usePageModule()?.module === 'simplifi' ? <AdsPage /> : <CampaignList />;
}

/**
 * The list of campaigns of the page's module. `title` replaces the module's name; `isCompact` shows only what is
 * checked daily.
 */
export function CampaignList({ title, isCompact = false }: { title?: string; isCompact?: boolean }) {
  const user = useUser();
  const mayCreate = useMayAdd();
  const mayWrite = useMay('campaign.write');
  const mayRemove = useMay('campaign.remove');
  const [params, set] = useSearchParams();
  const state = useListState({ sorts: CAMPAIGN_SORTS, sort: 'created_at', dir: 'desc', perPage: 25 });
  const status = (params.status ?? '') in STATUSES ? (params.status as keyof typeof STATUSES) : undefined;
  // A page without a module lists the campaigns of all modules.
  const page = usePageModule();
  const agreement = useServiceAgreement(page?.module);
  const name = isCompact ? 'campaigns.compact' : page ? `campaigns.${page.module}` : 'campaigns';
  const module = page?.module === 'simplifi' ? undefined : page?.module;
  const isSearch = module !== undefined && goesByKeywords(module);
  const navigate = useNavigate();
  // Campaigns of a product that is no longer offered use its global name.
  const names = new Map<string, string>([
    ...MODULES.map((one) => [one.module, one.name] as const),
    ...modulesOf(useFacts()).map((one) => [one.module, one.name] as const),
  ]);
  const groups = useQuery(groupsQuery).data ?? [];
  const group = groups.find(({ id }) => id !== '' && id === params.group);
  const input = {
    ...state.input,
    status,
    module: module,
    group_id: group?.id,
    company_id: params.client,
  };
  const query = useQuery({
    queryKey: ['campaigns', input],
    queryFn: ({ signal }) => api.campaigns.list(input, { signal }),
    placeholderData: keepPreviousData,
  });
  const views = useViews(name, KEYS);
  const selected = useSelection<CampaignRow>();
  /** How many campaigns a view has. */
  const count = async (of: Record<string, string>, signal: AbortSignal) => {
    const asked = {
      search: of.q,
      status: of.status && of.status in STATUSES ? (of.status as keyof typeof STATUSES) : undefined,
      module: module,
      group_id: of.group,
      company_id: of.client,
    };
    const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
    return (await api.campaigns.list({ ...given, page: 1, per_page: 1 }, { signal })).total;
  };
  const setStatus = (next: string | null) => set({ status: next ?? undefined, page: undefined });
  const setGroup = (next: string) => set({ group: next || undefined, page: undefined });
  const create = (
    <Button
      leftSection={<IconPlus size={16} />}
      onClick={() =>
        module
          ? set({ new: '1', campaign: undefined }, { push: true })
          : void navigate({ to: '/campaign-setup' as '/' })
      }
    >
      New campaign
    </Button>
  );
  return (
    <>
      {agreement && (
        <Suspense fallback={null}>
          <ServiceAgreement module={agreement} />
        </Suspense>
      )}
      <PageHeader
        title={title ?? page?.name ?? 'Campaigns'}
        line={LINES[module ?? 'all']}
        primary={mayCreate && create}
      />
      <MarginsNotice />
      <ViewTabs views={views} all="All campaigns" count={count} />
      <DataTable
        look={views.look}
        label="Campaigns"
        download={{ list: 'campaigns', of: 'campaigns.list', query: input }}
        name={name}
        columns={columnsFor({
          withClient: user.company_kind !== 'client',
          withActions: mayWrite || mayRemove,
          isSearch,
          names: module ? undefined : names,
        }).filter(({ key }) => !isCompact || COMPACT.includes(key))}
        query={query}
        state={state}
        rowKey={(row) => row.campaign_id}
        phoneRow={(row) => ({
          title: row.campaign_name,
          state: <StatusBadge status={row.status}>{statusWords(row)}</StatusBadge>,
          line: [
            // First, since the end is cut.
            ...(row.silent_since ? [pixelState(row, new Date()).words] : []),
            `#${row.campaign_number}`,
            ...(user.company_kind === 'client' ? [] : [row.company_name]),
            `${num(row.leads_30d)} ${row.leads_30d === 1 ? 'lead' : 'leads'} in 30 days`,
            ...(row.balance_micros === null ? [] : [money(row.balance_micros)]),
          ].join(' · '),
          ...(mayWrite || mayRemove ? { end: <CampaignMenu campaign={row} /> } : {}),
        })}
        onRow={(row) => set({ campaign: row.campaign_id, new: undefined }, { push: true })}
        selection={
          mayWrite
            ? {
                selected,
                nameOf: (row) => row.campaign_name,
                may: (row) => row.status !== 'removed',
                actions: <BulkActions selected={selected} shown={query.data?.data} />,
              }
            : undefined
        }
        search="Search campaigns"
        filters={[
          ...(status ? [{ label: `Status: ${STATUSES[status]}`, onRemove: () => setStatus(null) }] : []),
          ...(params.client
            ? [
                {
                  label: `Client: ${query.data?.data[0]?.company_name ?? 'chosen'}`,
                  onRemove: () => set({ client: undefined, page: undefined }),
                },
              ]
            : []),
          ...(group ? [{ label: `Group: ${group.group_name}`, onRemove: () => setGroup('') }] : []),
        ]}
        actions={
          <>
            <MarginsButton />
            {groups.length > 1 && (
              <Select
                aria-label="Group"
                w={160}
                allowDeselect={false}
                data={groups.map(({ id, group_name }) => ({ value: id, label: group_name }))}
                value={group?.id ?? ''}
                onChange={(next) => setGroup(next ?? '')}
              />
            )}
            <Select
              aria-label="Status"
              placeholder="Any status"
              w={140}
              data={Object.entries(STATUSES).map(([value, label]) => ({ value, label }))}
              value={status ?? null}
              onChange={setStatus}
            />
            <Tooltip label="Campaign groups">
              <ActionIcon
                variant="default"
                size={36}
                aria-label="Campaign groups"
                onClick={() => set({ groups: '1' }, { push: true })}
              >
                <IconFolders size={18} />
              </ActionIcon>
            </Tooltip>
          </>
        }
        empty={
          <EmptyState
            icon={<IconTargetArrow size={32} stroke={1.4} />}
            title="No campaigns yet"
            text={
              isSearch
                ? 'A campaign targets keywords and a place. People who looked for them become leads and are sent where you want them.'
                : 'A campaign gives you a pixel for a site. Visitors found in the people data become leads and are sent where you want them.'
            }
            action={mayCreate && create}
          />
        }
      />
      <CampaignDrawer module={module ?? 'local'} />
      <GroupsDrawer />
    </>
  );
}

/** The columns of the compact table. */
const COMPACT = [
  'campaign_number',
  'campaign_name',
  'company_name',
  'status',
  'leads_30d',
  'balance',
  'actions',
];

function columnsFor({
  withClient,
  withActions,
  isSearch,
  names,
}: {
  withClient: boolean;
  withActions: boolean;
  isSearch: boolean;
  /** The product names, for lists with campaigns of several products. */
  names: Map<string, string> | undefined;
}): Column<CampaignRow>[] {
  const product: Column<CampaignRow> = {
    key: 'module',
    title: 'Product',
    from: 900,
    render: (row) => <Clip text={names?.get(row.module) ?? row.module} max={140} />,
  };
  const client: Column<CampaignRow> = {
    key: 'company_name',
    title: 'Client',
    sortable: true,
    render: (row) => <Clip text={row.company_name} max={180} />,
  };
  const actions: Column<CampaignRow> = {
    key: 'actions',
    title: 'Actions',
    align: 'right',
    width: 64,
    render: (row) => <CampaignMenu campaign={row} />,
  };
  return [
    {
      key: 'campaign_number',
      title: 'No.',
      sortable: true,
      render: (row) => <span className="num">#{row.campaign_number}</span>,
    },
    {
      key: 'campaign_name',
      title: 'Name',
      sortable: true,
      render: (row) => <Clip text={row.campaign_name} max={240} />,
    },
    ...(withClient ? [client] : []),
    ...(names ? [product] : []),
    {
      key: 'status',
      title: 'Status',
      sortable: true,
      render: (row) => <StatusBadge status={row.status}>{statusWords(row)}</StatusBadge>,
    },
    ...(isSearch
      ? []
      : [
          {
            key: 'visits',
            title: 'Visits 30d',
            from: 900,
            align: 'right' as const,
            // There is no room for it next to the product column.
            hidden: names !== undefined,
            render: (row: CampaignRow) => (row.module === 'local' ? num(row.visits_30d) : <None />),
          },
        ]),
    {
      key: 'leads_30d',
      title: 'Leads 30d',
      sortable: true,
      // Next to the client column, there is no room for it on a tablet without pushing the actions off the screen.
      ...(withClient ? { from: 760 } : {}),
      align: 'right',
      render: (row) => num(row.leads_30d),
    },
    {
      key: 'price',
      title: 'Price',
      from: 820,
      align: 'right',
      render: (row) => <Money micros={leadPriceOf(row, row)} unit />,
    },
    {
      key: 'balance',
      title: 'Balance',
      from: 760,
      align: 'right',
      render: (row) => row.balance_micros !== null && <Money micros={row.balance_micros} />,
    },
    ...(isSearch
      ? [
          {
            key: 'keywords',
            title: 'Keywords',
            from: 960,
            render: (row: CampaignRow) => <Clip text={row.keyword_preview} max={200} />,
          },
        ]
      : [
          {
            key: 'pixel',
            title: 'Pixel seen',
            from: 960,
            render: (row: CampaignRow) => <Pixel campaign={row} />,
          },
          {
            key: 'site',
            title: 'Site',
            hidden: true,
            render: (row: CampaignRow) => <Clip text={row.site_url} max={220} />,
          },
        ]),
    {
      key: 'created_at',
      title: 'Created',
      sortable: true,
      // Next to the client column, there is no room for it at 1,440 px without pushing the actions off the screen.
      hidden: withClient,
      render: (row) => <Created at={row.created_at} />,
    },
    ...(withActions ? [actions] : []),
  ];
}

/** The state of the pixel, and when it was last seen. */
function Pixel({ campaign }: { campaign: CampaignRow }) {
  if (campaign.module !== 'local') return <None />;
  const { tone, words } = pixelState(campaign, new Date());
  return (
    <StatusBadge status="pixel" tone={tone}>
      {campaign.last_visit_at && !campaign.silent_since ? (
        <When at={campaign.last_visit_at} relative />
      ) : (
        words
      )}
    </StatusBadge>
  );
}

function Created({ at }: { at: string }) {
  return (
    <Tooltip label={exactTime(at)}>
      <time dateTime={at}>{shortDay(at, new Date())}</time>
    </Tooltip>
  );
}
