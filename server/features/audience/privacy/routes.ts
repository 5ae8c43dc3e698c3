import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { Id } from '../../../../contract/primitives.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Privacy } from './service.ts';

/** The calls of the feature. */
export function privacyRoutes(privacy: Privacy): Handlers<typeof contract.privacy> {
  return {
    async ask(ctx, given) {
      const { id } = await privacy.ask(ctx, given);
      return { result: 'success', message: 'We sent a code to the email address. Enter it to confirm.', id };
    },
    async confirm(ctx, given) {
      const due = await privacy.confirm(ctx, given);
      return { result: 'success', message: 'Your request is confirmed.', due_at: due.toISOString() };
    },
    async enter(ctx, given) {
      const { id } = await privacy.enter(ctx, given);
      return { result: 'success', message: 'The request was entered.', id };
    },
    async acknowledge(ctx, { id }) {
      await privacy.acknowledge(ctx, id);
      return { result: 'success', message: 'Receipt is confirmed.' };
    },
    async list(ctx, { page: at, per_page, ...filter }) {
      const { rows, counts } = await privacy.list(ctx, {
        ...filter,
        limit: per_page,
        offset: (at - 1) * per_page,
      });
      const of = (state: 'open' | 'completed' | 'refused') => counts.get(state) ?? 0;
      const all = { open: of('open'), completed: of('completed'), refused: of('refused') };
      const total = filter.state ? all[filter.state] : all.open + all.completed + all.refused;
      return { ...page(rows, total, { page: at, per_page }), counts: all };
    },
    async one(ctx, { id }) {
      const { data, timeline } = await privacy.one(ctx, id);
      return {
        data,
        may_decide: data.state === 'open' && ctx.may('privacy.decide'),
        timeline: timeline.map((one) => ({ ...one, at: one.at.toISOString() })),
      };
    },
    async extend(ctx, { id, reason }) {
      await privacy.extend(ctx, id, reason);
      return { result: 'success', message: 'The deadline was extended by 45 days.' };
    },
    async decide(ctx, { id, outcome, refusal, answer }) {
      await privacy.decide(ctx, id, { refusal: refusal ?? null, answer });
      return { result: 'success', message: `The request was ${outcome}.` };
    },
    months: async (ctx) => ({ data: await privacy.months(ctx) }),
  };
}

/** When this statement was made: visits under the signal are stored without anything that identifies their visitor. */
const SIGNAL_STATED = '2026-11-28';

/** The certificate of a request, and the statement that Global Privacy Control is honored. */
export const privacyPlain = (privacy: Privacy): PlainRoute[] => [
  {
    method: 'GET',
    url: '/api/privacy-requests/:id/certificate',
    access: 'download',
    permission: 'privacy.read',
    tag: 'Privacy requests',
    summary: 'Returns the certificate of a decided request as a signed PDF (requires a single-use token)',
    async handler(ctx, request, reply) {
      const { data: id } = Id.safeParse((request.params as { id: string }).id);
      if (!id) throw new Refusal('not_found', ownMessages.notFound);
      const { name, bytes } = await privacy.certificate(ctx, id);
      return reply
        .header('Content-Disposition', `attachment; filename="${name}.pdf"`)
        .header('Cache-Control', 'no-store')
        .type('application/pdf')
        .send(bytes);
    },
  },
  {
    method: 'GET',
    url: '/.well-known/gpc.json',
    access: 'public',
    tag: 'Privacy requests',
    summary: 'Says that this host honors Global Privacy Control',
    handler: async (_ctx, _request, reply) =>
      reply.header('Cache-Control', 'public, max-age=3600').send({ gpc: true, lastUpdate: SIGNAL_STATED }),
  },
];
