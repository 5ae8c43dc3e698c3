import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('downline', contract.sales.downline, [
    ['Company name', (row) => row.company_name],
    ['Kind', (row) => row.kind],
    ['Full name', (row) => row.name],
    ['Email', (row) => row.email],
    ['Your role', (row) => row.roles.map((role) => role.replace('_', ' ')).join(', ')],
    ['Clients', (row) => (row.kind === 'agency' ? row.clients : '')],
    ['Created', (row) => row.created_at],
  ]),
];
