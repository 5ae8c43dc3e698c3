import type { FastifyInstance } from 'fastify';
import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { contextOf, type Doors } from '../../../platform/http/server.ts';
import type { Reports } from './service.ts';

/** The calls of the feature. */
export function reportsRoutes(reports: Reports): Handlers<typeof contract.reports> {
  return {
    unsubscribe: async (ctx, { token }) => {
      await reports.unsubscribe(ctx, token);
      return { result: 'success', message: ownMessages.unsubscribed };
    },
  };
}

/** The address that email programs post to, for the document listing all routes. */
export const unsubscribeRoute: PlainRoute = {
  method: 'POST',
  url: '/unsubscribe/:token',
  access: 'public',
  tag: 'Campaigns',
  summary: 'Unsubscribes with one click from an email program (RFC 8058, sent as a form)',
  handler: async () => null,
};

const FORM_BYTES = 8 * 1024;

/** Lets email programs unsubscribe: with the page's address, but by a POST without a session. */
export function addUnsubscribeRoute(
  app: FastifyInstance,
  clock: Clock,
  doors: Doors,
  reports: Reports,
): void {
  void app.register(async (inner) => {
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: FORM_BYTES }, (_request, _body, done) =>
      done(null, undefined),
    );
    inner.post(
      unsubscribeRoute.url,
      { config: { access: 'public', call: unsubscribeRoute.url }, bodyLimit: FORM_BYTES },
      async (request, reply) => {
        const { token } = request.params as { token: string };
        await reports.unsubscribe(await contextOf(request, 'public', clock, doors), token);
        return reply.header('Cache-Control', 'no-store').send({ result: 'success' });
      },
    );
  });
}
