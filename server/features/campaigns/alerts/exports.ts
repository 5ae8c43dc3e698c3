import { alertWords } from '../../../../contract/campaigns/alert-rules.ts';
import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, yes } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('alerts', contract.alerts.list, [
    ['Alert', (row) => row.name],
    ['Status', (row) => row.state],
    ['When', (row) => alertWords(row)],
    ['Campaign', (row) => row.campaign_name ?? 'All campaigns'],
    ['Alerts in 7 days', (row) => row.told],
    ['Failed messages in 7 days', (row) => row.failed],
    ['Created', (row) => row.created_at],
    ['ID', (row) => row.id],
  ]),
  list('alert-messages', contract.alerts.messages, [
    ['To', (row) => row.recipient],
    ['By', (row) => row.way],
    ['Status', (row) => row.state],
    ['Error', (row) => row.error],
    ['Alerts', (row) => row.events],
    ['Test', (row) => yes(row.is_test)],
    ['Created', (row) => row.created_at],
    ['Ended', (row) => row.done_at],
    ['ID', (row) => row.id],
  ]),
];
