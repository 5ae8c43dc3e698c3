import { CAME_BY_WORDS, KIND_WORDS, REFUSAL_WORDS } from '../../../../contract/audience/privacy-rules.ts';
import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('privacy-requests', contract.privacy.list, [
    ['Received', (row) => row.received_at],
    ['Request', (row) => KIND_WORDS[row.kind]],
    ['Made by', (row) => row.asked_by],
    ['Agent', (row) => row.agent_name],
    ['Name', (row) => row.name],
    ['Email', (row) => row.email],
    ['Phone', (row) => row.phone],
    ['Address', (row) => row.address],
    ['State', (row) => row.state_code],
    ['Details', (row) => row.details],
    ['Made at', (row) => row.company_name],
    ['Came by', (row) => CAME_BY_WORDS[row.came_by]],
    ['Proof', (row) => row.proof],
    ['Entered by', (row) => row.entered_by_name],
    ['Status', (row) => row.state],
    ['Confirm receipt by', (row) => row.acknowledge_by],
    ['Receipt confirmed', (row) => row.acknowledged_at],
    ['Answer by', (row) => row.due_at],
    ['Extended', (row) => row.extended_at],
    ['Reason for extension', (row) => row.extension_reason],
    ['Decided', (row) => row.decided_at],
    ['Decided by', (row) => row.decided_by_name],
    ['Reason for refusal', (row) => row.refusal && REFUSAL_WORDS[row.refusal]],
    ['Answer', (row) => row.answer],
    ['Duplicate of', (row) => row.duplicate_of],
    ['ID', (row) => row.id],
  ]),
  list('privacy-months', contract.privacy.months, [
    ['Month', (row) => row.month],
    ['Request', (row) => KIND_WORDS[row.kind]],
    ['Received', (row) => row.received],
    ['Completed', (row) => row.completed],
    ['Refused', (row) => row.refused],
    ['Open', (row) => row.open],
    ['Median days', (row) => (row.median_days === null ? null : row.median_days.toFixed(1))],
  ]),
];
