import { servePaper } from '../../platform/paper-thread.ts';
import { creditNotePdf, invoicePdf } from './pdf.ts';

/** An invoice, or with `note` one of its credit notes. */
export interface InvoiceTask {
  invoice: Parameters<typeof creditNotePdf>[0];
  note?: Parameters<typeof creditNotePdf>[1];
  brand: Parameters<typeof creditNotePdf>[2];
}

servePaper(({ invoice, note, brand }: InvoiceTask) =>
  note ? creditNotePdf(invoice, note, brand) : invoicePdf(invoice, brand),
);
