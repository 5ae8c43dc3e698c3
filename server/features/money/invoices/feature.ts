import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import type { SignPaper } from '../../../platform/paper.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Payments } from '../payments/index.ts';
import { exports } from './exports.ts';
import { startInvoices } from './jobs.ts';
import { pdfRoutes } from './pdf.routes.ts';
import { invoicesRoutes } from './routes.ts';
import { createInvoices, type Invoices } from './service.ts';

/** Files are signed by a feature above. */
interface Above {
  agreements: { files: { signPaper: SignPaper } };
}

export const feature = defineFeature({
  name: 'money/invoices',
  about: 'Invoices, fees, receipts, and credit notes: written once a period, never edited.',
  tables: [
    'billing_close',
    'billing_mark',
    'campaign_fee',
    'credit_note',
    'invoice',
    'invoice_line',
    'invoice_series',
    'invoice_wait',
    'receipt_due',
  ],
  reads: [
    'account',
    'campaign',
    'company',
    'entry',
    'lead_contact',
    'payment_card',
    'retail_cost',
    'transfer',
    'transfer_cover',
  ],
  create: (
    platform,
    below: Omit<Parameters<typeof createInvoices>[1], 'charges'> & { payments: Payments },
  ) => ({
    invoices: createInvoices(platform, { ...below, charges: below.payments.charges }),
  }),
  http: ({ invoices, tenants, agreements }: { invoices: Invoices; tenants: Tenants } & Above, platform) => ({
    calls: [serve(contract.invoices, invoicesRoutes(invoices))],
    plain: pdfRoutes(platform, tenants, invoices.read.one, agreements.files.signPaper),
  }),
  work: async ({ invoices, tenants }: { invoices: Invoices; tenants: Tenants }, platform) =>
    void (await startInvoices(invoices, tenants, platform)),
  exports,
});
