import { contract } from '../../../../contract/index.ts';
import { priceOf } from '../../../../contract/money/lead-price.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, usd } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  // A campaign can include 40,000 zip codes, none of which appear in the file.
  {
    ...list('campaigns', contract.campaigns.list, [
      ['Campaign ID', (row) => row.campaign_number],
      ['Campaign', (row) => row.campaign_name],
      ['Client', (row) => row.company_name],
      ['Agency', (row) => row.agency_name],
      ['Status', (row) => row.status],
      ['Visits 30d', (row) => row.visits_30d],
      ['Leads 30d', (row) => row.leads_30d],
      ['Payment term', (row) => row.term],
      ['Cost per lead (USD)', (row) => priceOf(row, row)],
      ['Balance (USD)', (row) => usd(row.balance_micros)],
      ['Site', (row) => row.site_url],
      ['Pixel', (row) => row.pixel_check],
      ['Last visit', (row) => row.last_visit_at],
      ['Silent since', (row) => row.silent_since],
      ['Created', (row) => row.created_at],
    ]),
    step: 200,
  },
  list('refusals', contract.campaigns.refusals, [
    ['Reason', (row) => row.reason],
    ['Count', (row) => row.count],
    ['Last seen', (row) => row.last_at],
  ]),
];
