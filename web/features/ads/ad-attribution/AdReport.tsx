import { Group, SegmentedControl, Select, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { AD_GROUPS, AD_PLATFORM_NAMES, type AdGroup } from '../../../../contract/ads/ad-rules.ts';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DayInput } from '../../../ui/DayInput.tsx';
import { isDay, money, num } from '../../../ui/format.ts';
import { StatTile } from '../../../ui/StatTile.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, Money, None } from '../../../ui/Values.tsx';

type Row = Awaited<ReturnType<Client['adReports']['report']>>['data'][number];

const TILES = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(130px, 1fr))',
  gap: 'var(--mantine-spacing-sm)',
  marginBottom: 'var(--mantine-spacing-md)',
} as const;

const WORDS: Record<AdGroup, string> = {
  campaign: 'Campaign',
  creative: 'Creative',
  place: 'Place',
  day: 'Day',
  hour: 'Hour',
};

/** What ads did, and what came of it: by campaign, creative, place, day, or hour of the day. */
export function AdReport() {
  const user = useUser();
  const [params, set] = useSearchParams();
  const by = AD_GROUPS.find((one) => one === params.by) ?? 'campaign';
  const input = {
    by,
    ...(params.of ? { campaign_id: params.of } : {}),
    ...(isDay(params.from) ? { starts_on: params.from } : {}),
    ...(isDay(params.to) ? { ends_on: params.to } : {}),
  };
  const query = useQuery({
    queryKey: ['ads', 'report', input],
    queryFn: ({ signal }) => api.adReports.report(input, { signal }),
    placeholderData: keepPreviousData,
  });
  const campaigns = useQuery({
    queryKey: ['ads', 'list', 'choice'],
    queryFn: ({ signal }) => api.adCampaigns.list({ page: 1, per_page: 100 }, { signal }),
  }).data;
  const total = query.data?.total;
  const share = (part: number, all: number) => (all > 0 ? `${((part / all) * 100).toFixed(1)} %` : undefined);
  const columns: Column<Row>[] = [
    {
      key: 'name',
      title: WORDS[by],
      phone: 'title',
      fluid: 26,
      render: (row) => <Clip text={row.name} max="cell" />,
    },
    ...(by === 'day' || by === 'hour'
      ? []
      : [
          {
            key: 'platform',
            title: 'Shown by',
            from: 1000,
            render: (row: Row) => (row.platform ? AD_PLATFORM_NAMES[row.platform] : <None />),
          },
        ]),
    {
      key: 'impressions',
      title: 'Impressions',
      align: 'right',
      phone: 'line',
      render: (row) => num(row.impressions),
    },
    { key: 'viewable', title: 'Viewable', align: 'right', from: 800, render: (row) => num(row.viewable) },
    { key: 'clicks', title: 'Clicks', align: 'right', phone: 'line', render: (row) => num(row.clicks) },
    { key: 'visits', title: 'Visits', align: 'right', from: 700, render: (row) => num(row.visits) },
    { key: 'leads', title: 'Leads', align: 'right', phone: 'line', render: (row) => num(row.leads) },
    {
      key: 'view_leads',
      title: 'After a view',
      align: 'right',
      from: 900,
      render: (row) => num(row.view_leads),
    },
    {
      key: 'spend',
      title: 'Spend',
      align: 'right',
      phone: 'end',
      render: (row) => <Money micros={row.spend_micros} />,
    },
    ...(user.company_kind === 'client'
      ? []
      : [
          {
            key: 'cost',
            title: 'Cost',
            align: 'right' as const,
            from: 1100,
            render: (row: Row) => <Money micros={row.cost_micros ?? 0} />,
          },
        ]),
    {
      key: 'cost_per_lead',
      title: 'Cost per lead',
      align: 'right',
      from: 620,
      render: (row) =>
        row.cost_per_lead_micros === null ? <None /> : <Money micros={row.cost_per_lead_micros} />,
    },
  ];
  return (
    <>
      <div style={TILES}>
        <StatTile plain label="Impressions" value={total && num(total.impressions)} />
        <StatTile plain label="Clicks" value={total && num(total.clicks)} />
        <StatTile plain label="Visits" value={total && num(total.visits)} />
        <StatTile plain label="Leads" value={total && num(total.leads + total.view_leads)} />
        <StatTile plain label="Spend" value={total && money(total.spend_micros)} />
        <StatTile
          plain
          label="Cost per lead"
          value={total && (total.cost_per_lead_micros === null ? '–' : money(total.cost_per_lead_micros))}
        />
      </div>
      {total && total.impressions > 0 && (
        <Text size="sm" c="dimmed" mb="md">
          {share(total.viewable, total.impressions)} of impressions were viewable
          {total.clicks > 0 && `, and ${share(total.visits, total.clicks)} of clicks arrived on the site`}.
        </Text>
      )}
      <DataTable
        label="Ads"
        name={`ads.report.${by}`}
        download={{ list: 'ads-report', of: 'adReports.report', query: input }}
        columns={columns}
        query={{ ...query, data: query.data && { data: query.data.data } }}
        rowKey={(row) => row.key}
        actions={
          <Group gap="xs">
            <SegmentedControl
              size="xs"
              aria-label="Group by"
              value={by}
              data={AD_GROUPS.map((value) => ({ value, label: WORDS[value] }))}
              onChange={(next) => set({ by: next })}
            />
            <Select
              size="xs"
              aria-label="Campaign"
              placeholder="All campaigns"
              clearable
              data={(campaigns?.data ?? []).map((one) => ({
                value: one.campaign_id,
                label: one.campaign_name,
              }))}
              value={params.of ?? null}
              onChange={(of) => set({ of: of ?? undefined })}
            />
            <DayInput
              label="From"
              value={params.from ?? ''}
              onChange={(from) => set({ from: from || undefined })}
            />
            <DayInput label="To" value={params.to ?? ''} onChange={(to) => set({ to: to || undefined })} />
          </Group>
        }
        empty={
          <EmptyState
            title="Nothing was shown yet"
            text="Impressions appear here soon after an ad was shown."
          />
        }
      />
    </>
  );
}
