import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('developer-keys', contract.developer.keys, [
    ['Name', (row) => row.name],
    ['Mode', (row) => row.mode],
    ['Status', (row) => row.state],
    ['Client ID', (row) => row.client_id],
    ['Scopes', (row) => row.scopes.join(', ')],
    ['Created by', (row) => row.made_by],
    ['Created', (row) => row.created_at],
    ['Expires', (row) => row.expires_at],
    ['Last used', (row) => row.last_used_at],
    ['Last IP address', (row) => row.last_used_ip],
  ]),
  list('developer-hooks', contract.developer.hooks, [
    ['URL', (row) => row.url],
    ['Description', (row) => row.description],
    ['Status', (row) => row.status],
    ['Events', (row) => row.types.join(', ')],
    ['Messages (7 days)', (row) => row.messages_7d],
    ['Failed (7 days)', (row) => row.failed_7d],
    ['Created', (row) => row.created_at],
  ]),
  list('developer-messages', contract.developer.hookMessages, [
    ['Created', (row) => row.created_at],
    ['Event', (row) => row.type],
    ['Status', (row) => row.status],
    ['Message ID', (row) => row.message_id],
    ['Attempts', (row) => row.attempts],
    ['Last response', (row) => row.last_status],
    ['Last error', (row) => row.last_error],
    ['Delivered', (row) => row.delivered_at],
  ]),
  list('developer-requests', contract.developer.requests, [
    ['Time', (row) => row.at],
    ['Request ID', (row) => row.id],
    ['API key', (row) => row.key_name],
    ['Client ID', (row) => row.client_id],
    ['Mode', (row) => row.mode],
    ['Method', (row) => row.method],
    ['Path', (row) => row.path],
    ['Status', (row) => row.status],
    ['Duration (ms)', (row) => row.duration_ms],
    ['IP address', (row) => row.ip],
  ]),
];
