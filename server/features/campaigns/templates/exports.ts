import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, of } from '../../../platform/http/export-columns.ts';

const many = (changes: readonly { label: string; before: string; after: string }[]): string =>
  changes.map(({ label, before, after }) => `${label}: ${before} → ${after}`).join('; ');

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('templates', contract.templates.list, [
    ['Name', (row) => row.name],
    ['Kind', (row) => row.kind],
    ['Product', (row) => row.module],
    ['Versions', (row) => row.versions],
    ['Changed', (row) => row.updated_at],
    ['Created by', (row) => row.author_name],
    ['Created', (row) => row.created_at],
    ['Last push', (row) => row.pushed_at],
    ['Pushed version', (row) => row.pushed_version],
    ['ID', (row) => row.id],
  ]),
  list('template-targets', contract.templates.targets, [
    ['Client', (row) => row.company_name],
    ['Name', (row) => row.name],
    ['Status', (row) => row.state],
    ['Version', (row) => row.pushed_version],
    ['Pushed', (row) => row.pushed_at],
    ['ID', (row) => row.id],
  ]),
  of('template-pushes', contract.templates.one, (answer) => answer.pushes, [
    ['Version', (row) => row.version],
    ['Status', (row) => row.state],
    ['Started by', (row) => row.author_name],
    ['Started', (row) => row.created_at],
    ['Ended', (row) => row.ended_at],
    ['Rolled back', (row) => row.undone_at],
    [
      'Targets',
      (row) =>
        Object.entries(row.counts)
          .map(([state, count]) => `${count} ${state}`)
          .join(', '),
    ],
    ['ID', (row) => row.id],
  ]),
  list('template-pushed', contract.templates.pushed, [
    ['Target', (row) => row.target_name],
    ['Stage', (row) => row.stage],
    ['Status', (row) => row.state],
    ['Changed', (row) => many(row.changes)],
    ['Left as they were', (row) => many(row.kept)],
    ['Rollback', (row) => row.undone.map(({ label, message }) => `${label}: ${message}`).join('; ')],
    ['Reason', (row) => row.reason],
    ['Time', (row) => row.done_at],
    ['ID', (row) => row.target_id],
  ]),
];
