import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('client-transfers', contract.clientTransfers.list, [
    ['Client', (row) => row.client_name],
    ['Status', (row) => row.state],
    ['Current agency', (row) => row.from_name],
    ['Receiving agency', (row) => row.to_name || row.to_email],
    ['Started', (row) => row.started_at],
    ['Agree by', (row) => row.expires_at],
    ['Ended', (row) => row.ended_at],
    ['ID', (row) => row.id],
  ]),
];
