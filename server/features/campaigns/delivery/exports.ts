import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, yes } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('deliveries', contract.delivery.log, [
    ['Delivery', (row) => row.message_id],
    ['Lead', (row) => row.lead_name],
    ['State', (row) => row.state],
    ['Test', (row) => yes(row.is_test)],
    ['Attempts', (row) => row.attempts],
    ['Last response', (row) => row.tries.at(-1)?.status],
    ['Last error', (row) => row.tries.at(-1)?.error],
    ['Delivered', (row) => row.delivered_at],
    ['Created', (row) => row.created_at],
    ['ID', (row) => row.id],
  ]),
];
