import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, usd } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('payments', contract.payments.problems, [
    ['Company', (row) => row.company_name],
    ['Kind', (row) => row.kind],
    ['What', (row) => row.what],
    ['Amount (USD)', (row) => usd(row.amount_micros)],
    ['For', (row) => row.purpose],
    ['State', (row) => row.state],
    ['Card', (row) => row.card],
    ['Since', (row) => row.created_at],
    ['Next check', (row) => row.next_ask_at],
    ['Provider reference', (row) => row.provider_reference],
  ]),
  list('payouts', contract.payments.payouts, [
    ['Sent', (row) => row.created_at],
    ['Arrival date', (row) => row.arrives_at],
    ['Status', (row) => row.status],
    ['Amount (USD)', (row) => usd(row.amount_micros)],
    ['Id', (row) => row.id],
  ]),
  list('payout-parts', contract.payments.payout, [
    ['Date', (row) => row.created_at],
    ['Kind', (row) => row.kind],
    ['Company', (row) => row.company_name],
    ['Description', (row) => row.description],
    ['Amount (USD)', (row) => usd(row.amount_micros)],
    ['Fees (USD)', (row) => usd(row.fee_micros)],
    ['Net (USD)', (row) => usd(row.net_micros)],
  ]),
];
