import { Button, Group, SegmentedControl } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { MARGIN_GROUPS, type MarginGroup } from '../../../../contract/money/ledger.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { money, num, percent } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatTile } from '../../../ui/StatTile.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, Money, None } from '../../../ui/Values.tsx';
import { PageZone, zoneWords } from '../../../ui/zone.ts';
import { AddressRange } from '../../campaigns/analytics/AddressRange.tsx';
import { dayIn, rangeOf } from '../../campaigns/analytics/range.ts';
import { LineDrawer } from './LineDrawer.tsx';
import { SaleLines } from './SaleLines.tsx';
import classes from './StatementPage.module.css';
import { SupplierCosts } from './SupplierCosts.tsx';
import { marginFilterOf } from './words.ts';

type Report = Awaited<ReturnType<Client['ledger']['margins']>>;
type Row = Report['data'][number];

const GROUPS: Record<MarginGroup, string> = {
  month: 'Month',
  client: 'Client',
  campaign: 'Campaign',
  product: 'Product',
  agency: 'Agency',
};

/** What remains of sales, by month, client, campaign, product or agency; each row opens to its lines. */
export default function MarginsPage() {
  const user = useUser();
  const isRoot = user.company_kind === 'root';
  const rows = useDrawer('row');
  const suppliers = useDrawer('suppliers');
  const [params, set] = useSearchParams();
  const today = dayIn(new Date(), user.time_zone);
  const { from, to, days } = params;
  const range = useMemo(() => rangeOf({ from, to, days } as never, today), [from, to, days, today]);
  const groups = MARGIN_GROUPS.filter((one) => isRoot || one !== 'agency');
  const by: MarginGroup = groups.find((one) => one === params.by) ?? 'month';
  const filter = { by, starts_on: range.start, ends_on: range.end };
  const query = useQuery({
    queryKey: ['margins', filter],
    queryFn: ({ signal }) => api.ledger.margins(filter, { signal }),
    placeholderData: keepPreviousData,
  });
  const report = query.data;
  const total = report?.total;
  return (
    <PageZone value={user.time_zone}>
      <PageHeader
        title="Margins"
        line={`${isRoot ? 'What agencies paid, less what suppliers charged.' : 'What clients paid, less what the platform charged.'} Days are in ${zoneWords(user.time_zone)}.`}
        primary={
          isRoot && (
            <Button variant="default" onClick={() => suppliers.open('all')}>
              Supplier costs
            </Button>
          )
        }
      />
      <Group mb="md" gap="sm" justify="space-between">
        <SegmentedControl
          aria-label="Group by"
          value={by}
          data={groups.map((one) => ({ value: one, label: GROUPS[one] }))}
          onChange={(next) => set({ by: next === 'month' ? undefined : next, row: undefined })}
          style={{ maxWidth: '100%', overflowX: 'auto' }}
        />
        <AddressRange range={range} today={today} />
      </Group>
      <div className={classes.tiles} style={{ marginBottom: 24 }}>
        <StatTile
          plain
          label={isRoot ? 'Paid by agencies' : 'Paid by clients'}
          value={total && money(isRoot ? total.cost_micros : total.price_micros)}
        />
        <StatTile
          plain
          label={isRoot ? 'Supplier cost' : 'Your cost'}
          value={total && money(isRoot ? (total.supplier_micros ?? 0) : total.cost_micros)}
        />
        <StatTile plain label="Margin" value={total && marginWords(total, isRoot)} />
      </div>
      <DataTable
        label="Margins"
        download={{ list: 'margins', of: 'ledger.margins', query: filter }}
        name={`margins-${by}`}
        columns={columnsFor(by, isRoot, total)}
        query={{ ...query, data: report && { data: report.data } }}
        rowKey={(row) => row.key}
        onRow={(row) => rows.open(row.key)}
        empty={
          <EmptyState
            icon={<IconChartBar size={32} stroke={1.4} />}
            title="Nothing was sold in this period"
            text="Leads and campaign fees are totaled here. Choose a longer period to see earlier ones."
          />
        }
      />
      <DetailDrawer
        param="row"
        size={640}
        title={report?.data.find((row) => row.key === rows.id)?.name ?? 'Lines'}
      >
        {(key) => <SaleLines filter={{ ...filter, ...marginFilterOf(by, key, range) }} />}
      </DetailDrawer>
      {isRoot && (
        <DetailDrawer param="suppliers" title="Supplier costs">
          {() => <SupplierCosts />}
        </DetailDrawer>
      )}
      <LineDrawer />
    </PageZone>
  );
}

/** A margin, and its share of revenue. */
function marginWords(sums: Report['total'], isRoot: boolean): string {
  const earned = isRoot ? sums.cost_micros : sums.price_micros;
  return `${money(sums.margin_micros)}${earned > 0 ? ` (${percent(sums.margin_micros / earned)})` : ''}`;
}

function columnsFor(by: MarginGroup, isRoot: boolean, total: Report['total'] | undefined): Column<Row>[] {
  const amount = (key: string, title: string, of: (sums: Report['total']) => number | null): Column<Row> => ({
    key,
    title,
    align: 'right',
    render: (row) => <Money micros={of(row) ?? 0} />,
    foot: total && <Money micros={of(total) ?? 0} />,
  });
  return [
    { key: 'name', title: GROUPS[by], render: (row) => <Clip text={row.name} max={320} />, foot: 'Total' },
    ...(by === 'campaign'
      ? [
          {
            key: 'company',
            phone: 'line' as const,
            title: 'Client',
            render: (row: Row) => <Clip text={row.company_name} max={200} />,
          },
        ]
      : []),
    {
      key: 'leads',
      phone: 'line',
      title: 'Leads',
      align: 'right',
      render: (row) => <span className="num">{num(row.leads)}</span>,
      foot: total && <span className="num">{num(total.leads)}</span>,
    },
    { ...amount('price', 'Paid by clients', (sums) => sums.price_micros), hidden: isRoot },
    {
      ...amount('cost', isRoot ? 'Paid by agencies' : 'Your cost', (sums) => sums.cost_micros),
      phone: 'line',
    },
    ...(isRoot ? [amount('supplier', 'Supplier cost', (sums) => sums.supplier_micros)] : []),
    { ...amount('margin', 'Margin', (sums) => sums.margin_micros), phone: 'end' },
    {
      key: 'share',
      phone: 'state',
      title: 'Margin %',
      align: 'right',
      render: (row) => share(row, isRoot),
      foot: total && share(total, isRoot),
    },
  ];
}

function share(sums: Report['total'], isRoot: boolean) {
  const earned = isRoot ? sums.cost_micros : sums.price_micros;
  return earned > 0 ? <span className="num">{percent(sums.margin_micros / earned)}</span> : <None />;
}
