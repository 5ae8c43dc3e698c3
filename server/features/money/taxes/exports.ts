import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, yes } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('tax-payers', contract.taxes.payers, [
    ['Company', (row) => row.company_name],
    ['Location', (row) => row.place],
    ['Tax ID', (row) => row.tax_id],
    ['Exempt', (row) => yes(row.exempt)],
    ['Reason', (row) => row.exempt_reason],
    ['Custom rate (%)', (row) => row.rate],
    ['Tax on invoices', (row) => row.holds],
  ]),
];
