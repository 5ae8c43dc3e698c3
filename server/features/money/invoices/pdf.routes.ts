import type { FastifyReply } from 'fastify';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { InvoiceData } from '../../../../contract/money/invoices.ts';
import { Id } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { PlainRoute } from '../../../platform/http/routes.ts';
import { inPaperTurn, type PaperBrand, type SignPaper } from '../../../platform/paper.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { creditNotePdf, invoicePdf } from './pdf.ts';

const notFound = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
const idOf = (text: unknown): string => Id.safeParse(text).data ?? notFound();

/**
 * The downloads of invoices and credit notes, each requested with a one-time token.
 * @param signPaper signs them, which features above know
 * @param read an invoice that the reader may see; a Refusal 404 for any other
 */
export function pdfRoutes(
  { db }: Pick<Platform, 'db'>,
  tenants: Tenants,
  read: (ctx: Ctx, id: string) => Promise<InvoiceData>,
  signPaper: SignPaper,
): PlainRoute[] {
  /** The issuer and its own brand: a root for its agencies, an agency for its clients. */
  const issuerOf = ({ actor }: Ctx, invoice: InvoiceData): Promise<{ issuerId: string; brand: PaperBrand }> =>
    inScope(db.app, { rootId: actor.rootId }, async (tx) => {
      const payer = (await tenants.company(tx, invoice.company_id)) ?? notFound();
      const issuerId = invoice.side === 'wholesale' ? payer.root_id : payer.agency_id!;
      return { issuerId, brand: await tenants.paperBrand(tx, issuerId) };
    });
  /** Draws a document of an invoice and signs it in its issuer's name. */
  async function signed(
    ctx: Ctx,
    invoice: InvoiceData,
    title: string,
    draw: (brand: PaperBrand) => Promise<Buffer>,
  ): Promise<Buffer> {
    const { issuerId, brand } = await issuerOf(ctx, invoice);
    const pdf = await inPaperTurn(ctx.actor.companyId, () => draw(brand));
    return signPaper(ctx, { issuerId, partyId: invoice.company_id, title, pdf });
  }
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
        const kind = invoice.kind === 'receipt' ? 'Receipt' : 'Invoice';
        const file = await signed(ctx, invoice, `${kind} ${invoice.number}`, (brand) =>
          invoicePdf(invoice, brand),
        );
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
        const file = await signed(ctx, invoice, `Credit note ${note.number}`, (brand) =>
          creditNotePdf(invoice, note, brand),
        );
        return send(reply, `credit-note-${note.number}`, file);
      },
    ),
  ];
}
