import { contract } from '../../../../contract/index.ts';
import type { ExportColumn, ExportList } from '../../../platform/http/csv-file.ts';
import { list, of, type RowOf, usd } from '../../../platform/http/export-columns.ts';

const share = (part: number | null): string => (part === null ? '' : (part * 100).toFixed(1));

type Party = RowOf<typeof contract.reportAnalytics.agencies>;
const PARTY: readonly ExportColumn<Party>[] = [
  ['Standing', (row) => row.standing],
  ['Leads', (row) => row.leads],
  ['Charged to clients (USD)', (row) => usd(row.price_micros)],
  ['Revenue (USD)', (row) => usd(row.revenue_micros)],
  ['Cost (USD)', (row) => usd(row.cost_micros)],
  ['Margin (USD)', (row) => usd(row.margin_micros)],
  ['Compared revenue (USD)', (row) => usd(row.before_micros)],
  ['First month', (row) => row.first_month],
  ['Last month', (row) => row.last_month],
  ['Months with sales', (row) => row.months],
  ['Lifetime revenue (USD)', (row) => usd(row.lifetime_revenue_micros)],
  ['Lifetime margin (USD)', (row) => usd(row.lifetime_margin_micros)],
  ['Unpaid (USD)', (row) => usd(row.unpaid_micros)],
  ['Overdue invoices', (row) => row.overdue],
  ['Active campaigns', (row) => row.campaigns],
];

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('report-analytics', contract.reportAnalytics.report, [
    ['Name', (row) => row.name],
    ['Company', (row) => row.company_name],
    ['Leads', (row) => row.leads],
    ['Charged to clients (USD)', (row) => usd(row.price_micros)],
    ['Revenue (USD)', (row) => usd(row.revenue_micros)],
    ['Cost (USD)', (row) => usd(row.cost_micros)],
    ['Margin (USD)', (row) => usd(row.margin_micros)],
    ['Compared leads', (row) => row.before?.leads],
    ['Compared revenue (USD)', (row) => usd(row.before?.revenue_micros ?? null)],
    ['Compared margin (USD)', (row) => usd(row.before?.margin_micros ?? null)],
  ]),
  list('root-revenue', contract.reportAnalytics.revenue, [
    ['Period', (row) => row.key],
    ['First day', (row) => row.starts_on],
    ['Last day', (row) => row.ends_on],
    ['Revenue (USD)', (row) => usd(row.revenue_micros)],
    ['Supplier cost (USD)', (row) => usd(row.cost_micros)],
    ['Card fees (USD)', (row) => usd(row.fee_micros)],
    ['Other (USD)', (row) => usd(row.other_micros)],
    ['Margin (USD)', (row) => usd(row.margin_micros)],
  ]),
  list('agencies-report', contract.reportAnalytics.agencies, [
    ['Agency', (row) => row.company_name],
    ['Clients', (row) => row.clients],
    ...PARTY,
  ]),
  list('clients-report', contract.reportAnalytics.clients, [['Client', (row) => row.company_name], ...PARTY]),
  list('report-growth', contract.reportAnalytics.growth, [
    ['Month', (row) => row.key],
    ['Active', (row) => row.active],
    ['New', (row) => row.fresh],
    ['Back', (row) => row.back],
    ['Lost', (row) => row.lost],
    ['Churn (%)', (row) => share(row.churn)],
    ['Revenue (USD)', (row) => usd(row.revenue_micros)],
    ['From new (USD)', (row) => usd(row.fresh_micros)],
    ['Growth (USD)', (row) => usd(row.grown_micros)],
    ['Decline (USD)', (row) => usd(row.shrunk_micros)],
    ['Lost (USD)', (row) => usd(row.lost_micros)],
  ]),
  of(
    'report-cohorts',
    contract.reportAnalytics.growth,
    (answer) =>
      answer.cohorts.flatMap((row) =>
        row.active.map((active, at) => ({ ...row, at, active, revenue: row.revenue_micros[at]! })),
      ),
    [
      ['First month', (row) => row.key],
      ['Size', (row) => row.size],
      ['Months later', (row) => row.at],
      ['Active', (row) => row.active],
      ['Active (%)', (row) => share(row.active / row.size)],
      ['Revenue (USD)', (row) => usd(row.revenue)],
    ],
  ),
  list('under-perform-campaigns', contract.reportAnalytics.underPerform, [
    ['Campaign ID', (row) => row.campaign_number],
    ['Campaign', (row) => row.campaign_name],
    ['Client', (row) => row.company_name],
    ['Agency', (row) => row.agency_name],
    ['Status', (row) => row.status],
    ['Reasons', (row) => row.reasons.map(({ text }) => text).join('. ')],
    ['Visits', (row) => row.visits],
    ['Matched', (row) => row.matched],
    ['Leads', (row) => row.leads],
    ['Leads before', (row) => row.leads_before],
    ['Revenue (USD)', (row) => usd(row.revenue_micros)],
    ['Margin (USD)', (row) => usd(row.margin_micros)],
  ]),
];
