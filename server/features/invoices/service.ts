import type { Platform } from '../../platform/platform.ts';
import type { Billing } from '../billing/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Tenants } from '../tenants/index.ts';
import { createIssue } from './issue.service.ts';
import { createSettle } from './settle.service.ts';
import { invoiceById } from './store.ts';

export type Invoices = ReturnType<typeof createInvoices>;

/** Invoices, final at birth (decision 0051): issued, corrected by credit notes, given up. */
export function createInvoices(
  { events }: Platform,
  { ledger, tenants, billing }: { ledger: Ledger; tenants: Tenants; billing: Billing },
) {
  const issue = createIssue({ ledger, tenants, billing, events });
  const settle = createSettle({ ledger });
  return {
    bill: issue.bill,
    receipt: issue.receipt,
    /** An invoice that the scope may see; undefined: none. */
    byId: invoiceById,
    locked: settle.locked,
    paid: settle.paid,
    unpaid: settle.unpaid,
    releaseFee: settle.releaseFee,
  };
}
