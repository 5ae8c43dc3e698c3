export type { Bill, Payer } from './issue.service.ts';
export { startInvoices } from './jobs.ts';
export { invoicesRoutes } from './routes.ts';
export { createInvoices, type Invoices } from './service.ts';
export { dueOf, feeOf, type InvoiceRow, ownerOf } from './settle.service.ts';
