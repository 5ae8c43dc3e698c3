import { contract } from '../../../../contract/index.ts';
import { REASON_WORDS } from '../../../../contract/money/credits.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, usd, yes } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('returns', contract.returns.list, [
    ['Returned', (row) => row.created_at],
    ['Lead', (row) => row.lead_name],
    ['Campaign ID', (row) => row.campaign_number],
    ['Campaign', (row) => row.campaign_name],
    ['Client', (row) => row.company_name],
    ['Reason', (row) => REASON_WORDS[row.reason]],
    ['Note', (row) => row.note],
    ['Proven', (row) => (row.is_proven === null ? null : yes(row.is_proven))],
    ['Known', (row) => row.proofs.map((proof) => proof.words).join(' ')],
    ['Source', (row) => row.source],
    ['Status', (row) => row.state],
    ['Decision', (row) => row.answer],
    ['Automatic', (row) => yes(row.is_automatic)],
    ['Decided', (row) => row.decided_at],
    ['Price (USD)', (row) => usd(row.price_micros)],
    ['Credited (USD)', (row) => usd(row.credited_micros)],
    ['Received', (row) => row.received_at],
    ['Lead ID', (row) => row.lead_id],
    ['ID', (row) => row.id],
  ]),
  list('return-quality', contract.returns.quality, [
    ['Name', (row) => row.name],
    ['Client', (row) => row.company_name],
    ['Leads', (row) => row.leads],
    ['Returned', (row) => row.returned],
    ['Returned %', (row) => (row.leads > 0 ? ((100 * row.returned) / row.leads).toFixed(1) : null)],
    ['Open', (row) => row.open],
    ['Approved', (row) => row.approved],
    ['Declined', (row) => row.declined],
    ['Credited (USD)', (row) => usd(row.credited_micros)],
    ['Key', (row) => row.key],
  ]),
];
