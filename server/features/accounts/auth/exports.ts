import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, yes } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('activity', contract.auth.activity, [
    ['When', (row) => row.at],
    ['What', (row) => row.what],
    ['Place', (row) => row.place],
    ['IP address', (row) => row.ip],
    ['Details', (row) => row.detail],
    ['Suspicious', (row) => yes(row.suspicious)],
  ]),
  list('sessions', contract.auth.sessions, [
    ['Device', (row) => row.device],
    ['Kind', (row) => row.kind],
    ['Place', (row) => row.place],
    ['IP address', (row) => row.ip],
    ['Signed in', (row) => row.created_at],
    ['Last seen', (row) => row.last_seen],
    ['This device', (row) => yes(row.current)],
  ]),
  list('passkeys', contract.auth.passkeys, [
    ['Name', (row) => row.name],
    ['Works on', (row) => row.host],
    ['Synced', (row) => yes(row.synced)],
    ['Added', (row) => row.created_at],
    ['Last used', (row) => row.last_used_at],
  ]),
  list('views', contract.auth.views, [
    ['Who', (row) => row.who],
    ['Reason', (row) => row.reason],
    ['From', (row) => row.started_at],
    ['Until', (row) => row.until],
  ]),
];
