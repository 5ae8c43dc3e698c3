import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('drop-downloads', contract.drop.batches, [
    ['Downloaded', (row) => row.downloaded_at],
    ['Name', (row) => row.name],
    ['Status', (row) => row.state],
    ['Entries', (row) => row.entries],
    ['Withdrawn', (row) => row.removed],
    ['Deleted', (row) => row.deleted],
    ['Opted out', (row) => row.opted_out],
    ['Not found', (row) => row.not_found],
    ['Rows not understood', (row) => row.bad_rows],
    ['Files of corrections', (row) => row.amended],
    ['Due', (row) => row.due_at],
    ['Completed', (row) => row.completed_at],
  ]),
];
