import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hostOf } from '../../../../contract/campaigns/site-hosts.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import { readJson } from '../../../platform/http/json.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { addressOf } from '../../../platform/http/server.ts';
import type { Asker, House } from './house.service.ts';
import type { createZones } from './zone.service.ts';

const MAX_BODY = 4 * 1024;
const FILE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.(png|jpg)$/;

/** The calls of zones. */
export function zoneRoutes(zones: ReturnType<typeof createZones>): Handlers<typeof contract.adZones> {
  return {
    list: async (ctx) => ({ data: await zones.list(ctx) }),
    create: async (ctx, input) => ({
      result: 'success',
      message: messages.added,
      data: await zones.create(ctx, input),
    }),
    update: async (ctx, input) => ({
      result: 'success',
      message: messages.updated,
      data: await zones.update(ctx, input),
    }),
    async remove(ctx, { id }) {
      await zones.remove(ctx, id);
      return { result: 'success', message: messages.updated };
    },
  };
}

/** The house ad server's routes, for the OpenAPI document. */
export const adRoutes: PlainRoute[] = [
  ['POST', '/a/v1/serve', 'Gives a zone on a site an ad; 204 if there is none'],
  ['POST', '/a/v1/view', 'Takes the notice that an ad was in view'],
  ['GET', '/a/v1/c/{token}', 'Redirects the click on an ad to where it leads'],
].map(([method, url, summary]) => ({
  method: method as 'GET',
  url: url!,
  access: 'open',
  tag: 'Ads',
  summary: summary!,
  handler: async () => null,
}));

const askerOf = (request: FastifyRequest, page: string): Asker => ({
  ip: addressOf(request),
  // As much of it as the visit log keeps, so that a viewer is the same there.
  userAgent: String(request.headers['user-agent'] ?? '').slice(0, 300),
  host: hostOf(page),
  gpc: request.headers['sec-gpc'] === '1',
});

/** Adds the routes of the house ad server: any page may ask them, with no sign-in and no preflight. */
export function addAdRoutes(app: FastifyInstance, house: House, tagFile: string): void {
  void app.register(async (inner) => {
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_BODY }, (_request, text, done) =>
      done(null, text),
    );
    inner.addHook('onRequest', async (_request, reply) => {
      void reply
        .header('Access-Control-Allow-Origin', '*')
        .header('Cross-Origin-Resource-Policy', 'cross-origin');
    });
    const bodyOf = (request: FastifyRequest): Record<string, unknown> => {
      try {
        return (readJson((request.body as string) ?? '') ?? {}) as Record<string, unknown>;
      } catch {
        throw new Refusal('bad_request', 'The body is not valid JSON.');
      }
    };
    const open = (call: string) => ({
      config: { access: 'open' as const, call, countsRefused: true as const },
      bodyLimit: MAX_BODY,
    });

    inner.post('/a/v1/serve', open('/a/v1/serve'), async (request, reply) => {
      const { z, g } = bodyOf(request);
      if (typeof z !== 'string' || !/^[a-z0-9]{12,40}$/.test(z))
        throw new Refusal('bad_request', 'z: must be the key of a zone');
      const from = askerOf(request, String(request.headers.origin ?? ''));
      const ad = await house.serve(z, { ...from, gpc: from.gpc || g === 1 });
      void reply.header('Cache-Control', 'no-store');
      return ad ? reply.send(ad) : reply.code(204).send();
    });
    inner.post('/a/v1/view', open('/a/v1/view'), async (request, reply) => {
      await house.view(bodyOf(request).t, askerOf(request, String(request.headers.origin ?? '')));
      return reply.code(204).send();
    });
    inner.get('/a/v1/c/:token', open('/a/v1/c/{token}'), async (request, reply) => {
      const from = askerOf(request, String(request.headers.referer ?? ''));
      const url = await house.click((request.params as { token: string }).token, from);
      return reply.header('Cache-Control', 'no-store').redirect(url, 302);
    });
    inner.get('/a/v1/i/:file', open('/a/v1/i/{file}'), async (request, reply) => {
      const [, id] = FILE.exec((request.params as { file: string }).file) ?? [];
      const file = id && (await house.file(id, addressOf(request)));
      if (!file) throw new Refusal('not_found', 'This image does not exist.');
      // The image of a creative never changes.
      return reply
        .header('Cache-Control', 'public, max-age=31536000, immutable')
        .type(file.type)
        .send(file.bytes);
    });

    const script = await readFile(tagFile).catch(() => null);
    const etag = script ? `"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"` : '';
    inner.get('/a/v1/tag.js', open('/a/v1/tag.js'), async (request, reply) => {
      if (!script) throw new Refusal('not_found', 'This script does not exist.');
      void reply
        .header('Cache-Control', 'public, max-age=3600, stale-while-revalidate=86400')
        .header('ETag', etag);
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.type('text/javascript; charset=utf-8').send(script);
    });
  });
}
