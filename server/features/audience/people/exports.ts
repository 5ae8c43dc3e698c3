import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, type RowOf } from '../../../platform/http/export-columns.ts';

const humanOf = (one: RowOf<typeof contract.people.merges>['kept']): string =>
  one ? [one.first_name, one.last_name].filter(Boolean).join(' ') : 'Erased';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('imports', contract.people.imports, [
    ['File', (row) => row.file_name],
    ['State', (row) => row.state],
    ['Rows', (row) => row.rows_read],
    ['New', (row) => row.rows_added],
    ['Changed', (row) => row.rows_changed],
    ['Same', (row) => row.rows_same],
    ['Bad', (row) => row.rows_bad],
    ['Uploaded', (row) => row.created_at],
    ['Ended', (row) => row.finished_at],
    ['Error', (row) => row.error],
    ['Country', (row) => row.country],
    ['Values skipped', (row) => row.values_bad],
    ['On do-not-call lists', (row) => row.phones_marked],
  ]),
  list('merges', contract.people.merges, [
    ['Kept', (row) => humanOf(row.kept)],
    ['Kept email', (row) => row.kept?.email ?? ''],
    ['Merged person', (row) => humanOf(row.absorbed)],
    ['Merged email', (row) => row.absorbed?.email ?? ''],
    ['Merged', (row) => row.merged_at],
    ['Undone', (row) => row.undone_at],
  ]),
];
