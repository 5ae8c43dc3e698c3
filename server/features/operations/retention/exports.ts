import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, yes } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('retention', contract.retention.list, [
    ['Data', (row) => row.title],
    ['Days', (row) => row.days],
    ['Changed', (row) => yes(row.is_changed)],
    ['Next run deletes', (row) => row.due],
    ['Last run', (row) => row.started_at],
    ['Deleted', (row) => row.removed],
  ]),
];
