import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, yes } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('roots', contract.roots.list, [
    ['Name', (row) => row.name],
    ['Host', (row) => row.host],
    ['Owner', (row) => row.owner_name],
    ['Email', (row) => row.owner_email],
    ['Agencies', (row) => row.agencies],
    ['Master root', (row) => yes(row.is_master)],
    ['Created', (row) => row.created_at],
  ]),
];
