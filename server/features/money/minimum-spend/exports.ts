import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('minimum-spend-offers', contract.minimumSpend.offers, [
    ['Agency', (row) => row.company_name],
    ['Plan', (row) => row.plan_name],
    ['Months (USD)', (row) => row.months.join(' / ')],
    ['Each month after (USD)', (row) => row.flat],
    ['Announced', (row) => row.announced_at],
    ['Reminded', (row) => row.reminded_at ?? ''],
    ['Accepted', (row) => row.accepted_at ?? ''],
  ]),
];
