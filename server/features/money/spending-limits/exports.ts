import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('limits', contract.spendingLimits.list, [
    ['Limit on', (row) => row.subject],
    ['Name', (row) => row.name],
    ['Period', (row) => row.period],
    ['Spent (USD)', (row) => row.spent],
    ['Stops at (USD)', (row) => row.hard],
    ['Alerts at (USD)', (row) => row.soft],
    ['Set by', (row) => row.set_by],
  ]),
];
