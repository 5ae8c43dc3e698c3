import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, yes } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('pixel-events', contract.pixel.events, [
    ['Received', (row) => row.received_at],
    ['Event', (row) => row.event],
    ['Page', (row) => row.url],
    ['Title', (row) => row.title],
    ['Referrer', (row) => row.referrer],
    ['With an email', (row) => yes(row.has_email)],
    ['Opted out', (row) => yes(row.is_private)],
    ['Outcome', (row) => row.outcome],
    ['ID', (row) => row.id],
  ]),
];
