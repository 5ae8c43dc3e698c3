import { MODULES } from '../../../../contract/choices.ts';
import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, of, usd } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('clients', contract.analytics.clients, [
    ['Client', (row) => row.company_name],
    ['Agency', (row) => row.agency_name],
    ['Active campaigns', (row) => row.active],
    ['Campaigns', (row) => row.campaigns],
    ['Leads 30d', (row) => row.leads_30d],
    ['Spend 30d (USD)', (row) => usd(row.spend_30d_micros)],
    ['Balance (USD)', (row) => usd(row.balance_micros)],
  ]),
  of('dashboard-campaigns', contract.analytics.dashboard, (answer) => answer.campaigns, [
    ['Campaign ID', (row) => row.campaign_number],
    ['Campaign', (row) => row.campaign_name],
    ['Client', (row) => row.company_name],
    ['Status', (row) => row.status],
    ['Product', (row) => MODULES.find((one) => one.module === row.modules)?.name],
    ['Visits', (row) => row.visits],
    ['Matched', (row) => row.matched],
    ['Leads', (row) => row.leads],
    ['Spend (USD)', (row) => usd(row.spend_micros)],
    ['Balance (USD)', (row) => usd(row.balance_micros)],
  ]),
];
