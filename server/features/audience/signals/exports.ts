import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, listed } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('keyword-counts', contract.signals.history, [
    ['Location', (row) => row.location],
    ['States', (row) => row.states.join(', ')],
    ['Cities', (row) => row.cities.join(', ')],
    ['Zip codes', (row) => listed(row.zips, row.zip_count)],
    ['Keywords', (row) => listed(row.keyword, row.keyword_count)],
    ['Count without geography', (row) => row.count_without_geo],
    ['Count', (row) => row.count],
    ['Status', (row) => row.status],
    ['Campaign', (row) => row.campaign_number],
    ['Requested', (row) => row.created_at],
    ['Counted', (row) => row.counted_at],
  ]),
];
