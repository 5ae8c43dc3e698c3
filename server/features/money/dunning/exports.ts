import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, usd } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('packages', contract.dunning.packages, [
    ['ID', (row) => row.package_id],
    ['Name', (row) => row.name],
    ['Price per month (USD)', (row) => usd(row.monthly_micros)],
    ['Description', (row) => row.description],
  ]),
];
