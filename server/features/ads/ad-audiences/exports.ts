import { AUDIENCE_KIND_NAMES, AUDIENCE_SOURCE_NAMES } from '../../../../contract/ads/audience-rules.ts';
import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('audiences', contract.audiences.list, [
    ['Audience', (row) => row.name],
    ['Client', (row) => row.company_name],
    ['Source', (row) => AUDIENCE_SOURCE_NAMES[row.source]],
    ['Type', (row) => (row.kind ? AUDIENCE_KIND_NAMES[row.kind] : '')],
    ['State', (row) => row.state],
    ['Size', (row) => row.size],
    ['Matched', (row) => row.matched],
    ['Excluded', (row) => row.excluded],
    ['Reachable', (row) => row.reachable],
    ['Bad rows', (row) => row.rows_bad],
    ['Campaigns', (row) => row.campaigns],
    ['Refreshed', (row) => row.refreshed_at],
    ['Created', (row) => row.created_at],
    ['ID', (row) => row.id],
  ]),
];
