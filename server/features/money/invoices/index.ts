export type { Bill, Payer } from './issue.service.ts';
export { startInvoices } from './jobs.ts';
export { pdfRoutes } from './pdf.routes.ts';
export { invoicesRoutes } from './routes.ts';
export { createInvoices, type Invoices } from './service.ts';
export type { InvoiceRow } from './settle.service.ts';
/**
 * For collecting what is due.
 * @public
 */
export { dueOf, feeOf, ownerOf } from './settle.service.ts';
