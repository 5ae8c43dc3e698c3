import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('ad-exchanges', contract.adExchanges.list, [
    ['Exchange', (row) => row.name],
    ['Since', (row) => row.created_at],
    ['ID', (row) => row.id],
  ]),
  list('ad-zones', contract.adZones.list, [
    ['Zone', (row) => row.name],
    ['Company', (row) => row.company_name],
    ['Site', (row) => row.hosts.join(', ')],
    ['Size', (row) => row.size],
    ['Price per 1,000', (row) => row.cpm],
    ['Impressions in 30 days', (row) => row.impressions_30d],
    ['Tag', (row) => row.tag],
    ['ID', (row) => row.id],
  ]),
];
