import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../../../contract/errors.ts';
import { readJson } from '../../../platform/http/json.ts';
import type { PlainRoute } from '../../../platform/http/routes.ts';
import { addressOf } from '../../../platform/http/server.ts';
import type { Ingest } from './ingest.ts';
import { MAX_BODY } from './policy.ts';

/** The visit log, for the OpenAPI document. */
export const visitRoute: PlainRoute = {
  method: 'POST',
  url: '/v',
  access: 'open',
  tag: 'Visits',
  summary: 'Receives visits from the pixel',
  handler: async () => null,
};

/**
 * The visit log's own routes, outside the contract: any page may post here, with no login and no preflight. The script
 * is the same file for every site key; all our hosts serve it forever (a versioned path).
 */
export function addVisitRoutes(app: FastifyInstance, ingest: Ingest, pixelFile: string): void {
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

    inner.post(
      '/v',
      { config: { access: 'open', call: '/v', countsRefused: true }, bodyLimit: MAX_BODY },
      async (request, reply) => {
        let body: unknown;
        try {
          body = readJson((request.body as string) ?? '');
        } catch {
          throw new Refusal('bad_request', 'The body is not valid JSON.');
        }
        await ingest.take(body, {
          ip: addressOf(request),
          userAgent: String(request.headers['user-agent'] ?? ''),
          origin: String(request.headers.origin ?? ''),
          gpc: request.headers['sec-gpc'] === '1',
        });
        return reply.code(204).send();
      },
    );

    inner.options('/v', { config: { access: 'open', call: '/v' } }, async (_request, reply) =>
      reply
        .header('Access-Control-Allow-Methods', 'POST')
        .header('Access-Control-Allow-Headers', 'content-type')
        .header('Access-Control-Max-Age', '86400')
        .code(204)
        .send(),
    );

    const script = await readFile(pixelFile).catch(() => null);
    const etag = script ? `"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"` : '';
    inner.get(
      '/p/v1/:file',
      { config: { access: 'open', call: '/p/v1/{siteKey}.js' } },
      async (request, reply) => {
        if (!script || !/^[a-z0-9]{1,40}\.js$/.test((request.params as { file: string }).file))
          throw new Refusal('not_found', 'This script does not exist.');
        void reply
          .header('Cache-Control', 'public, max-age=3600, stale-while-revalidate=86400')
          .header('ETag', etag);
        if (request.headers['if-none-match'] === etag) return reply.code(304).send();
        return reply.type('text/javascript; charset=utf-8').send(script);
      },
    );
  });
}
