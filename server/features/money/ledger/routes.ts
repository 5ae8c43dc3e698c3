import type { contract } from '../../../../contract/index.ts';
import { StatementFilter, StatementMonth } from '../../../../contract/money/ledger.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { sendCsv } from '../../../platform/http/csv-file.ts';
import { checkInput } from '../../../platform/http/input.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { inPaperTurn, type SignPaper } from '../../../platform/paper.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { createMarginReport } from './margin.service.ts';
import { statementPdf } from './statement.pdf.ts';
import { createStatement } from './statement.service.ts';

/** The routes and files of statements, and the routes of margins. */
export function ledgerRoutes(
  platform: Platform,
  tenants: Tenants,
  signPaper: SignPaper,
): { handlers: Handlers<typeof contract.ledger>; plain: PlainRoute[] } {
  const statement = createStatement(platform, tenants);
  const margins = createMarginReport(platform, tenants);
  return {
    handlers: {
      statement: (ctx, input) => statement.page(ctx, input, { cursor: input.cursor, limit: input.per_page }),
      series: (ctx, input) => statement.series(ctx, input),
      line: (ctx, { id }) => statement.line(ctx, id),
      margins: (ctx, input) => margins.report(ctx, input),
      marginLines: (ctx, input) => margins.lines(ctx, input, { cursor: input.cursor, limit: input.per_page }),
    },
    plain: [
      {
        method: 'GET',
        url: '/api/ledger/statement/export',
        access: 'download',
        permission: 'statement.read',
        tag: 'Ledger',
        summary: 'Returns the filtered statement as CSV (requires a single-use token)',
        input: StatementFilter,
        async handler(ctx, request, reply) {
          const { name, lines } = await statement.exportLines(
            ctx,
            await checkInput(StatementFilter, request.query),
          );
          return sendCsv(reply, name, lines);
        },
      },
      {
        method: 'GET',
        url: '/api/ledger/statement/pdf',
        access: 'download',
        permission: 'statement.read',
        tag: 'Ledger',
        summary: 'Returns the statement for a month as a PDF (requires a single-use token)',
        input: StatementMonth,
        async handler(ctx, request, reply) {
          const asked = await checkInput(StatementMonth, request.query);
          // A month of many lines takes a while to read, too.
          const { read, pdf } = await inPaperTurn(ctx.actor.companyId, async () => {
            const read = await statement.month(ctx, asked);
            const issuer = await inScope(platform.db.app, { rootId: ctx.actor.rootId }, async (tx) => ({
              name: (await tenants.company(tx, read.issuerId))?.name ?? '',
              brand: await tenants.paperBrand(tx, read.issuerId),
            }));
            return { read, pdf: await statementPdf(read, issuer) };
          });
          const { month, issuerId, companyId: partyId } = read;
          const title = `Statement for ${month}`;
          const file = await signPaper(ctx, { issuerId, partyId, title, pdf });
          return reply
            .header('Content-Disposition', `attachment; filename="statement-${month}.pdf"`)
            .header('Cache-Control', 'no-store')
            .type('application/pdf')
            .send(file);
        },
      },
    ],
  };
}
