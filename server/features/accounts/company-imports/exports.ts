import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, usd } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('company-imports', contract.companyImports.list, [
    ['Archive', (row) => row.file_name],
    ['Company', (row) => row.name],
    ['Type', (row) => row.kind],
    ['Receiving agency', (row) => row.receiver_name],
    ['Phase', (row) => row.phase],
    ['Status', (row) => row.state],
    ['Error', (row) => row.error],
    ['Started', (row) => row.created_at],
    ['Started by', (row) => row.asked_by],
    ['Ended', (row) => row.finished_at],
    ['ID', (row) => row.id],
  ]),
  list('past-billing', contract.pastBilling.list, [
    ['Date', (row) => row.at],
    ['Number', (row) => row.number],
    ['Kind', (row) => row.kind],
    ['Company', (row) => row.company_name],
    ['Status', (row) => row.status],
    ['Amount (USD)', (row) => usd(row.amount_micros)],
    ['Note', (row) => row.note],
    ['ID', (row) => row.id],
  ]),
];
