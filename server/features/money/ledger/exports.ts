import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, usd } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('margins', contract.ledger.margins, [
    ['Name', (row) => row.name],
    ['Client', (row) => row.company_name],
    ['Leads', (row) => row.leads],
    ['Charged to clients (USD)', (row) => usd(row.price_micros)],
    ['Charged to agencies (USD)', (row) => usd(row.cost_micros)],
    ['Supplier cost (USD)', (row) => usd(row.supplier_micros)],
    ['Margin (USD)', (row) => usd(row.margin_micros)],
  ]),
];
