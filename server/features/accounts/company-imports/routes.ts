import { z } from 'zod';
import { IMPORT_BYTES, ImportUpload, ImportUploaded } from '../../../../contract/accounts/company-imports.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import { Id } from '../../../../contract/primitives.ts';
import { checkInput } from '../../../platform/http/input.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import { inPaperTurn } from '../../../platform/paper.ts';
import { invoicePdf } from '../../money/invoices/index.ts';
import type { PastBilling } from './past.service.ts';
import type { ImportRuns } from './runs.service.ts';

const done = (message: string) => ({ result: 'success' as const, message });
const OnePast = z.object({ id: Id });
const TRIED = 'The archive is being checked. Nothing is imported yet.';

/** The calls of imports. */
export function companyImportRoutes(runs: ImportRuns): Handlers<typeof contract.companyImports> {
  return {
    async list(ctx, { search, ...asked }) {
      const { rows, total } = await runs.list(ctx, search, asked.per_page, (asked.page - 1) * asked.per_page);
      return page(rows, total, asked);
    },
    sources: async (ctx) => ({ data: await runs.sources(ctx) }),
    one: async (ctx, { id }) => ({ data: await runs.one(ctx, id) }),
    fromExport: async (ctx, { export_id, receiver_id }) => ({
      ...done(TRIED),
      data: { id: await runs.fromExport(ctx, export_id, receiver_id) },
    }),
    async again(ctx, { id, new_ids }) {
      await runs.again(ctx, id, new_ids);
      return done(TRIED);
    },
    async start(ctx, { id, balances }) {
      await runs.start(ctx, id, balances);
      return done('The import has started.');
    },
    async invite(ctx, { id }) {
      const { invited, left } = await runs.invite(ctx, id);
      const users = (count: number) => `${count.toLocaleString('en-US')} ${count === 1 ? 'user' : 'users'}`;
      return done(`Invited ${users(invited)}.${left > 0 ? ` ${users(left)} left: invite again.` : ''}`);
    },
    async remove(ctx, { id }) {
      await runs.remove(ctx, id);
      return done(messages.deleted);
    },
  };
}

/** The calls of money from before an import. */
export const pastBillingRoutes = (past: PastBilling): Handlers<typeof contract.pastBilling> => ({
  list: (ctx, asked) => past.list(ctx, asked),
  invoice: (ctx, { id }) => past.invoice(ctx, id),
  charge: async (ctx, { id }) => ({ data: await past.charge(ctx, id) }),
  transfer: async (ctx, { id }) => ({ data: await past.transfer(ctx, id) }),
});

/** The upload of an archive, and the download of an invoice from before an import. */
export const companyImportPlain = (runs: ImportRuns, past: PastBilling): PlainRoute[] => [
  {
    method: 'GET',
    url: '/api/billing/past/invoices/:id/pdf',
    access: 'download',
    permission: 'invoice.read',
    tag: 'Invoices',
    summary: 'Returns an invoice from before the import as a PDF (requires a single-use token)',
    async handler(ctx, request, reply) {
      const { id } = await checkInput(OnePast, request.params);
      const invoice = await past.invoice(ctx, id);
      // Whoever issued it is not here, so it has no one’s colors.
      const file = await inPaperTurn(ctx.actor.companyId, () => invoicePdf(invoice, { accent: null }));
      const name = `invoice-${invoice.number}`.replaceAll(/[^\w.-]+/g, '-');
      return reply
        .header('Content-Disposition', `attachment; filename="${name}.pdf"`)
        .header('Cache-Control', 'no-store')
        .type('application/pdf')
        .send(file);
    },
  },
  {
    method: 'POST',
    url: '/api/company-imports/upload',
    access: 'company.import',
    notInView: true,
    tag: 'Companies',
    summary: ImportUpload.description!,
    input: ImportUpload,
    answer: ImportUploaded,
    bodyLimit: IMPORT_BYTES,
    streamed: true,
    async handler(ctx, request, _reply, upload) {
      const { file_name, receiver_id } = await checkInput(ImportUpload, request.query);
      const id = await runs.submit(ctx, { fileName: file_name, receiverId: receiver_id }, upload);
      return { ...done(TRIED), data: { id } };
    },
  },
];
