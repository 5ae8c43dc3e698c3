import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('stopped-jobs', contract.backgroundJobs.stoppedJobs, [
    ['Job', (row) => row.title],
    ['Details', (row) => row.about],
    ['Attempts', (row) => row.starts],
    ['Stopped', (row) => row.set_aside_at],
  ]),
];
