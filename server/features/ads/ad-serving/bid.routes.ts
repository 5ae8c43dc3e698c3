import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import { readJson } from '../../../platform/http/json.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { addressOf } from '../../../platform/http/server.ts';
import type { Bidder } from './bidder.service.ts';
import type { createExchanges } from './exchange.service.ts';

/** Bid requests have a few kilobytes; OpenRTB names no limit. */
const MAX_BODY = 64 * 1024;

/** The calls of exchanges. */
export function exchangeRoutes(
  exchanges: ReturnType<typeof createExchanges>,
): Handlers<typeof contract.adExchanges> {
  return {
    list: async (ctx) => ({ data: await exchanges.list(ctx) }),
    create: async (ctx, input) => ({
      result: 'success',
      message: messages.added,
      data: await exchanges.create(ctx, input),
    }),
    async remove(ctx, { id }) {
      await exchanges.remove(ctx, id);
      return { result: 'success', message: messages.updated };
    },
  };
}

/** The bidder's routes, for the OpenAPI document. */
export const bidRoutes: PlainRoute[] = [
  ['POST', '/a/v1/rtb/bid/{key}', 'Answers an OpenRTB 2.6 bid request of an exchange; 204 is no bid'],
  ['GET', '/a/v1/rtb/win', 'Takes the notice that a bid won'],
  ['GET', '/a/v1/rtb/bill', 'Takes the notice that a bid is billed'],
  ['GET', '/a/v1/rtb/loss', 'Takes the notice that a bid lost'],
  ['GET', '/a/v1/rtb/click', 'Redirects the click on an ad of an exchange to where it leads'],
].map(([method, url, summary]) => ({
  method: method as 'GET',
  url: url!,
  access: 'open',
  tag: 'Ads',
  summary: summary!,
  handler: async () => null,
}));

/** Adds the routes that exchanges use: without sign-in, by the key of an exchange, or by an address that we signed. */
export function addBidRoutes(app: FastifyInstance, bidder: Bidder): void {
  void app.register(async (inner) => {
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_BODY }, (_request, text, done) =>
      done(null, text),
    );
    const open = (call: string) => ({
      config: { access: 'open' as const, call, countsRefused: true as const },
      bodyLimit: MAX_BODY,
    });
    const asked = (request: FastifyRequest) => request.query as Record<string, unknown>;

    inner.post('/a/v1/rtb/bid/:key', open('/a/v1/rtb/bid/{key}'), async (request, reply) => {
      let body: unknown;
      try {
        body = readJson((request.body as string) ?? '');
      } catch {
        throw new Refusal('bad_request', 'The body is not valid JSON.');
      }
      const response = await bidder.answer((request.params as { key: string }).key, body, {
        ip: addressOf(request),
        origin: `${request.protocol}://${request.host}`,
      });
      if (!response) return reply.code(204).send();
      return reply
        .header('x-openrtb-version', '2.6')
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(response));
    });
    inner.get('/a/v1/rtb/win', open('/a/v1/rtb/win'), async (request, reply) => {
      bidder.win(asked(request).t);
      return reply.code(204).send();
    });
    inner.get('/a/v1/rtb/bill', open('/a/v1/rtb/bill'), async (request, reply) => {
      const { t, p } = asked(request);
      await bidder.bill(t, p);
      return reply.code(204).send();
    });
    inner.get('/a/v1/rtb/loss', open('/a/v1/rtb/loss'), async (request, reply) => {
      bidder.loss(asked(request).t);
      return reply.code(204).send();
    });
    inner.get('/a/v1/rtb/click', open('/a/v1/rtb/click'), async (request, reply) => {
      const url = await bidder.click(asked(request).t, String(request.headers['user-agent'] ?? ''));
      return reply.header('Cache-Control', 'no-store').redirect(url, 302);
    });
  });
}
