import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, usd, yes } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('purchases', contract.prepaid.current, [
    ['Bought', (row) => row.created_at],
    ['Leads', (row) => row.leads],
    ['Amount (USD)', (row) => usd(row.amount_micros)],
    ['Refunded (USD)', (row) => usd(row.refunded_micros)],
    ['Automatic', (row) => yes(row.automatic)],
    ['Status', (row) => row.status],
    ['Reason', (row) => row.reason],
    ['Card', (row) => row.card],
  ]),
];
