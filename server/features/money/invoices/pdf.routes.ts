import type { FastifyReply } from 'fastify';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { InvoiceData } from '../../../../contract/money/invoices.ts';
import { Id } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { PlainRoute } from '../../../platform/http/routes.ts';
import { inPaperTurn, type PaperBrand } from '../../../platform/paper.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { creditNotePdf, invoicePdf } from './pdf.ts';

const notFound = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
const idOf = (text: unknown): string => Id.safeParse(text).data ?? notFound();

/**
 * The downloads of invoices and credit notes, each requested with a one-time token.
 * @param read an invoice that the reader may see; a Refusal 404 for any other
 */
export function pdfRoutes(
  { db }: Pick<Platform, 'db'>,
  tenants: Tenants,
  read: (ctx: Ctx, id: string) => Promise<InvoiceData>,
): PlainRoute[] {
  /** The issuer's own brand: a root for its agencies, an agency for its clients. */
  const brand = ({ actor }: Ctx, invoice: InvoiceData): Promise<PaperBrand> =>
    inScope(db.app, { rootId: actor.rootId }, async (tx) => {
      const payer = await tenants.company(tx, invoice.company_id);
      const issuer = invoice.side === 'wholesale' ? payer?.root_id : payer?.agency_id;
      return issuer ? tenants.paperBrand(tx, issuer) : { accent: null };
    });
  const send = (reply: FastifyReply, name: string, file: Buffer): FastifyReply =>
    reply
      .header('Content-Disposition', `attachment; filename="${name.replaceAll(/[^\w.-]+/g, '-')}.pdf"`)
      .header('Cache-Control', 'no-store')
      .type('application/pdf')
      .send(file);
  const route = (url: string, summary: string, handler: PlainRoute['handler']): PlainRoute => ({
    method: 'GET',
    url,
    access: 'download',
    permission: 'invoice.read',
    tag: 'Invoices',
    summary,
    handler,
  });
  return [
    route(
      '/api/billing/invoices/:id/pdf',
      'Returns an invoice as a PDF (requires a single-use token)',
      async (ctx, request, reply) => {
        const invoice = await read(ctx, idOf((request.params as { id: string }).id));
        const look = await brand(ctx, invoice);
        const file = await inPaperTurn(ctx.actor.companyId, () => invoicePdf(invoice, look));
        return send(reply, `invoice-${invoice.number}`, file);
      },
    ),
    route(
      '/api/billing/invoices/:id/credit-notes/:note/pdf',
      'Returns a credit note as a PDF (requires a single-use token)',
      async (ctx, request, reply) => {
        const params = request.params as { id: string; note: string };
        const invoice = await read(ctx, idOf(params.id));
        const note = invoice.credit_notes.find((one) => one.id === params.note) ?? notFound();
        const look = await brand(ctx, invoice);
        const file = await inPaperTurn(ctx.actor.companyId, () => creditNotePdf(invoice, note, look));
        return send(reply, `credit-note-${note.number}`, file);
      },
    ),
  ];
}
