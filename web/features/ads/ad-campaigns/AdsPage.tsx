import { Button, SegmentedControl } from '@mantine/core';
import { IconPlus, IconSpeakerphone } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { AD_PLATFORM_NAMES } from '../../../../contract/ads/ad-rules.ts';
import { microsTyped } from '../../../../contract/dollars.ts';
import { api } from '../../../api/client.ts';
import { usePageModule } from '../../../api/module.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, Money } from '../../../ui/Values.tsx';
import { AdReport } from '../ad-attribution/AdReport.tsx';
import { Zones } from '../ad-serving/Zones.tsx';
import { AdDetails } from './AdDetails.tsx';
import type { AdCampaignRow } from './model.ts';

const TABS = { campaigns: 'Campaigns', report: 'Report', zones: 'Ad zones' } as const;
type Tab = keyof typeof TABS;

/** Ad campaigns: the list with each in a drawer, what they did, and the zones of house ads. */
export default function AdsPage() {
  const page = usePageModule();
  const navigate = useNavigate();
  const mayCreate = useMay('campaign.create');
  const [params, set] = useSearchParams();
  const tab: Tab = (params.tab ?? '') in TABS ? (params.tab as Tab) : 'campaigns';
  return (
    <>
      <PageHeader
        title={page?.name ?? 'Ads'}
        line="Campaigns that show ads, and the visits and leads that they bring."
        primary={
          mayCreate && (
            <Button
              leftSection={<IconPlus size={16} aria-hidden="true" />}
              onClick={() => void navigate({ to: '/campaign-setup?product=ads' as '/' })}
            >
              New ad campaign
            </Button>
          )
        }
      />
      <SegmentedControl
        mb="md"
        maw="100%"
        style={{ overflowX: 'auto' }}
        aria-label="View"
        value={tab}
        data={Object.entries(TABS).map(([value, label]) => ({ value, label }))}
        onChange={(next) =>
          set({
            tab: next === 'campaigns' ? undefined : next,
            ad: undefined,
            by: undefined,
            page: undefined,
            within: undefined,
            key: undefined,
            name: undefined,
            metric: undefined,
          })
        }
      />
      {tab === 'campaigns' ? <List /> : tab === 'report' ? <AdReport /> : <Zones />}
    </>
  );
}

function List() {
  const user = useUser();
  const list = useListState({ perPage: 25 });
  const drawer = useDrawer('ad');
  const { page, per_page, search } = list.input;
  const input = { page, per_page, ...(search ? { search } : {}) };
  const query = useQuery({
    queryKey: ['ads', 'list', input],
    queryFn: ({ signal }) => api.adCampaigns.list(input, { signal }),
    placeholderData: keepPreviousData,
  });
  const columns: Column<AdCampaignRow>[] = [
    {
      key: 'campaign_name',
      title: 'Campaign',
      phone: 'title',
      fluid: 24,
      render: (row) => <Clip text={row.campaign_name} max="cell" />,
    },
    ...(user.company_kind === 'client'
      ? []
      : [
          {
            key: 'company_name',
            title: 'Client',
            fluid: 18,
            from: 800,
            render: (row: AdCampaignRow) => <Clip text={row.company_name} max="cell" />,
          },
        ]),
    { key: 'status', title: 'Status', phone: 'state', render: (row) => <StatusBadge status={row.status} /> },
    { key: 'platform', title: 'Shown by', from: 700, render: (row) => AD_PLATFORM_NAMES[row.platform] },
    {
      key: 'daily_budget',
      title: 'Daily budget',
      align: 'right',
      from: 620,
      render: (row) => <Money micros={microsTyped(row.daily_budget)} />,
    },
    {
      key: 'balance',
      title: 'Balance',
      align: 'right',
      from: 900,
      render: (row) => <Money micros={row.balance_micros} />,
    },
    {
      key: 'total_spend',
      title: 'Spend',
      align: 'right',
      phone: 'end',
      render: (row) => <Money micros={row.total_spend} />,
    },
  ];
  return (
    <>
      <DataTable
        label="Ad campaigns"
        name="ads"
        download={{ list: 'ad-campaigns', of: 'adCampaigns.list', query: input }}
        columns={columns}
        query={query}
        state={list}
        search="Search campaigns"
        rowKey={(row) => row.campaign_id}
        onRow={(row) => drawer.open(row.campaign_id)}
        openKey={drawer.id}
        empty={
          <EmptyState
            icon={<IconSpeakerphone size={28} aria-hidden="true" />}
            title="No ad campaigns yet"
            text="Build one to show ads and see which leads they bring."
          />
        }
      />
      <DetailDrawer
        param="ad"
        title="Ad campaign"
        label="Ad campaign"
        size={720}
        ids={query.data?.data.map((row) => row.campaign_id) ?? []}
      >
        {(id) => <AdDetails key={id} id={id} />}
      </DetailDrawer>
    </>
  );
}
