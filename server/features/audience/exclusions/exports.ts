import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('exclusion-lists', contract.exclusions.lists, [
    ['File', (row) => row.file_name],
    ['State', (row) => row.state],
    ['Rows', (row) => row.rows_read],
    ['Added', (row) => row.entries_added],
    ['Same', (row) => row.entries_same],
    ['Bad', (row) => row.rows_bad],
    ['Email addresses', (row) => row.emails],
    ['Phone numbers', (row) => row.phones],
    ['Domains', (row) => row.domains],
    ['Uploaded', (row) => row.created_at],
    ['Ended', (row) => row.finished_at],
    ['Removed', (row) => row.removed_at],
    ['Error', (row) => row.error],
  ]),
];
