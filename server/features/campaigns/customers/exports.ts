import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('customer-visits', contract.customers.visits, [
    ['Customer', (row) => row.customer],
    ['List', (row) => row.list_name],
    ['Campaign', (row) => row.campaign_name],
    ['Last page', (row) => row.page_url],
    ['First seen', (row) => row.first_at],
    ['Last seen', (row) => row.at],
    ['ID', (row) => row.id],
  ]),
];
