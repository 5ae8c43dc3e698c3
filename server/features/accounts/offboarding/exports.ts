import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('offboarding', contract.offboarding.list, [
    ['Client', (row) => row.company_name],
    ['Status', (row) => row.state],
    ['Started', (row) => row.started_at],
    ['Started by', (row) => row.started_by_name],
    ['Ended', (row) => row.ended_at],
    ['Data kept until', (row) => row.delete_on],
    ['Keeps balance as credit', (row) => (row.keeps_balance ? 'yes' : 'no')],
    ['ID', (row) => row.id],
  ]),
];
