import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

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
];
