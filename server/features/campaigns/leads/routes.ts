import { LeadFile } from '../../../../contract/campaigns/leads.ts';
import type { contract } from '../../../../contract/index.ts';
import { sendCsv } from '../../../platform/http/csv-file.ts';
import { checkInput } from '../../../platform/http/input.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Leads } from './service.ts';

/** The routes of the feature, and its CSV export. */
export function leadsRoutes(leads: Leads): {
  handlers: Handlers<typeof contract.leads>;
  plain: PlainRoute[];
} {
  return {
    handlers: {
      async list(ctx, input) {
        const { rows, total } = await leads.list(ctx, input, {
          sort: input.sort ?? 'created_at',
          order: input.order ?? 'desc',
          limit: input.per_page,
          offset: (input.page - 1) * input.per_page,
        });
        return page(rows, total, input);
      },
      get: (ctx, { id }) => leads.get(ctx, id),
      async journey(ctx, { id, ...input }) {
        const asked = { limit: input.per_page, offset: (input.page - 1) * input.per_page };
        const { steps, total } = await leads.journey(ctx, id, asked);
        return page(steps, total, input);
      },
      previewScores: (ctx, input) => leads.previewScores(ctx, input),
      least: async (ctx, { company_id }) => ({ least_confidence: await leads.least(ctx, company_id) }),
      async sendTestLead(ctx, { campaign_id }) {
        const sent = await leads.sendTest(ctx, campaign_id);
        return { result: 'success', message: 'The test lead is on its way.', ...sent };
      },
    },
    plain: [
      {
        method: 'GET',
        url: '/api/leadspeek/report/lead/export',
        access: 'download',
        permission: 'lead.read',
        tag: 'Leads',
        summary: 'Returns the filtered leads as CSV (requires a single-use token)',
        input: LeadFile,
        async handler(ctx, request, reply) {
          const { sort, order, ids, ...filter } = await checkInput(LeadFile, request.query);
          const name = `leads-${ctx.clock.now().toISOString().slice(0, 10)}.csv`;
          return sendCsv(reply, name, await leads.exportLines(ctx, filter, sort, order, ids));
        },
      },
    ],
  };
}
