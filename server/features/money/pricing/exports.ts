import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list, yes } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('coupons', contract.pricing.coupons, [
    ['Code', (row) => row.coupon_code],
    ['Percent', (row) => row.percent],
    ['Amount (USD)', (row) => row.amount],
    ['Maximum uses', (row) => row.max_uses],
    ['Used', (row) => row.uses],
    ['Last day', (row) => row.expires_at],
  ]),
  list('plans', contract.pricing.plans, [
    ['Name', (row) => row.plan_name],
    ['Months (USD)', (row) => row.months.join(' / ')],
    ['Each month after (USD)', (row) => row.flat],
    ['Default', (row) => yes(row.default)],
  ]),
];
