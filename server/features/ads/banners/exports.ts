import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('banners', contract.banners.list, [
    ['Banner', (row) => row.name],
    ['Company', (row) => row.company_name],
    ['Sizes', (row) => row.sizes.join(', ')],
    ['Layers', (row) => row.layers],
    ['Alternative text', (row) => row.alt_text],
    ['Click address', (row) => row.click_url],
    ['Changed', (row) => row.updated_at],
    ['ID', (row) => row.id],
  ]),
];
