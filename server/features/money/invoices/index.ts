export type { Bill } from './issue.service.ts';
export { invoicePdf } from './pdf.ts';
export { attemptState } from './read.service.ts';
export type { Invoices } from './service.ts';
export type { InvoiceRow } from './settle.service.ts';
/**
 * For collecting what is due.
 * @public
 */
export { dueOf, feeOf, ownerOf } from './settle.service.ts';
export type { Payer } from './store.ts';
