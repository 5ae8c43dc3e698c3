import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { of } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  of('roles', contract.roles.list, (answer) => answer.roles, [
    ['Role', (row) => row.role_name],
    ['People', (row) => row.people],
    ['Created', (row) => row.created_at],
  ]),
];
