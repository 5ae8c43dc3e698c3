import { AD_PLATFORM_NAMES } from '../../../../contract/ads/ad-rules.ts';
import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, usd } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('ads-report', contract.adReports.report, [
    ['Name', (row) => row.name],
    ['Platform', (row) => (row.platform ? AD_PLATFORM_NAMES[row.platform] : '')],
    ['Impressions', (row) => row.impressions],
    ['Viewable', (row) => row.viewable],
    ['Clicks', (row) => row.clicks],
    ['Click-through rate (%)', (row) => row.ctr],
    ['Visits', (row) => row.visits],
    ['Leads', (row) => row.leads],
    ['Leads after a view', (row) => row.view_leads],
    ['Spend', (row) => usd(row.spend_micros)],
    ['Cost per lead', (row) => usd(row.cost_per_lead_micros)],
    ['Key', (row) => row.key],
  ]),
];
