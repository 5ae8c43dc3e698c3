import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, yes } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('deliveries', contract.delivery.log, [
    ['Delivery', (row) => row.message_id],
    ['Lead', (row) => row.lead_name],
    ['State', (row) => row.state],
    ['Test', (row) => yes(row.is_test)],
    ['Attempts', (row) => row.attempts],
    ['Last response', (row) => row.tries.at(-1)?.status],
    ['Last error', (row) => row.tries.at(-1)?.error],
    ['Delivered', (row) => row.delivered_at],
    ['Created', (row) => row.created_at],
    ['ID', (row) => row.id],
  ]),
  list('desk', contract.delivery.desk, [
    ['Delivery', (row) => row.message_id],
    ['Lead', (row) => row.lead_name],
    ['Destination', (row) => row.destination],
    ['Campaign', (row) => row.campaign_name],
    ['Client', (row) => row.company_name],
    ['State', (row) => row.state],
    ['Cause', (row) => row.cause],
    ['Attempts', (row) => row.attempts],
    ['Next attempt', (row) => row.next_at],
    ['Delivered', (row) => row.delivered_at],
    ['Created', (row) => row.created_at],
    ['ID', (row) => row.id],
  ]),
  list('destinations', contract.delivery.destinations, [
    ['Destination', (row) => row.name],
    ['Campaign', (row) => row.campaign_name],
    ['Client', (row) => row.company_name],
    ['State', (row) => row.state],
    ['Connection', (row) => row.connection_state],
    ['Delivered in 7 days', (row) => row.days.reduce((sum, day) => sum + day.delivered, 0)],
    ['Failed attempts in 7 days', (row) => row.days.reduce((sum, day) => sum + day.failed, 0)],
    ['95% took up to (ms)', (row) => row.most_took_ms],
    ['Waiting', (row) => row.waiting],
    ['Failed', (row) => row.failed],
    ['ID', (row) => row.id],
  ]),
];
