import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('outbox', contract.outbox.list, [
    ['Subject', (row) => row.subject],
    ['To', (row) => row.to_name],
    ['Address', (row) => row.to_address],
    ['From', (row) => row.from_name],
    ['Company', (row) => row.company_name],
    ['Status', (row) => row.state],
    ['Error', (row) => row.error],
    ['Created', (row) => row.created_at],
  ]),
];
