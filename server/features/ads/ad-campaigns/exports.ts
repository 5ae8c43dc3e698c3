import { AD_PLATFORM_NAMES } from '../../../../contract/ads/ad-rules.ts';
import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, usd } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('ad-campaigns', contract.adCampaigns.list, [
    ['Number', (row) => row.campaign_number],
    ['Campaign', (row) => row.campaign_name],
    ['Client', (row) => row.company_name],
    ['Status', (row) => row.status],
    ['Shown by', (row) => AD_PLATFORM_NAMES[row.platform]],
    ['Maximum bid', (row) => row.max_bid],
    ['Daily budget', (row) => row.daily_budget],
    ['Monthly budget', (row) => row.monthly_budget],
    ['Total budget', (row) => row.total_budget],
    ['Balance', (row) => usd(row.balance_micros)],
    ['Spend', (row) => usd(row.total_spend)],
    ['ID', (row) => row.campaign_id],
  ]),
];
