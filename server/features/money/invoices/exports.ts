import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, usd } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('invoices', contract.invoices.list, [
    ['Number', (row) => row.number],
    ['Status', (row) => (row.is_failing ? 'failing' : row.status)],
    ['Side', (row) => row.side],
    ['Kind', (row) => row.kind],
    ['Term', (row) => row.term],
    ['Billed to', (row) => row.company_name],
    ['From', (row) => row.issuer_name],
    ['Period start', (row) => row.period_from],
    ['Period end', (row) => row.period_to],
    ['Tax', (row) => row.tax_name],
    ['Tax (USD)', (row) => usd(row.tax_micros)],
    ['Total (USD)', (row) => usd(row.total_micros)],
    ['Due (USD)', (row) => usd(row.due_micros)],
    ['Issued', (row) => row.finalised_at],
    ['Due by', (row) => row.due_at],
    ['Paid on', (row) => row.paid_at],
  ]),
  list('invoice-events', contract.invoices.events, [
    ['When', (row) => row.created_at],
    ['Kind', (row) => row.kind],
    ['Name', (row) => row.name],
    ['Amount (USD)', (row) => usd(row.amount_micros)],
    ['Lead', (row) => row.lead_id],
    ['ID', (row) => row.id],
  ]),
];
