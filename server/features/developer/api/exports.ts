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
