import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import { inScope } from '../../platform/db/scope.ts';
import { answerFor } from '../../platform/http/errors.ts';
import type { PlainRoute } from '../../platform/http/routes.ts';
import { contextOf, type Doors } from '../../platform/http/server.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Tenants } from '../tenants/index.ts';
import { type ApiCaller, ApiRefusal, readBasic } from './auth.service.ts';
import type { Developer } from './service.ts';

const FORM = 'application/x-www-form-urlencoded';
const FORM_BYTES = 8 * 1024;
const TITLES: Record<number, string> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  429: 'Too many requests',
};

/** The developer API's addresses, for the document listing all routes. */
export const apiRoutes: PlainRoute[] = [
  {
    method: 'POST',
    url: '/oauth/token',
    access: 'public',
    tag: 'Developer API',
    summary:
      'Returns a token for a key’s client ID and secret (RFC 6749, client credentials, sent as a form)',
    handler: async () => null,
  },
  {
    method: 'GET',
    url: '/v1/me',
    access: 'public',
    tag: 'Developer API',
    summary:
      'Returns the key used for the request, with its company, scopes, and mode (Bearer secret or token, or Basic)',
    handler: async () => null,
  },
];

/** Mounts the developer API: the calls that programs make with a key (docs/decisions/0191-developer-keys.md). */
export function addApiRoutes(
  app: FastifyInstance,
  { clock, db }: Pick<Platform, 'clock' | 'db'>,
  doors: Doors,
  { developer, tenants }: { developer: Developer; tenants: Tenants },
): void {
  void app.register(async (inner) => {
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser(FORM, { parseAs: 'string', bodyLimit: FORM_BYTES }, (_request, text, done) =>
      done(null, new URLSearchParams(text as string)),
    );
    inner.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: FORM_BYTES }, (_request, _body, done) =>
      done(null, undefined),
    );
    inner.post(
      '/oauth/token',
      { config: { access: 'public', call: '/oauth/token', countsRefused: true } },
      (request, reply) => token(request, reply, clock, doors, developer),
    );
  });
  void app.register(async (inner) => {
    inner.setErrorHandler((error, request, reply) => problem(error, request, reply));
    const resource = (url: string, answer: (caller: ApiCaller) => Promise<unknown>): void => {
      inner.get(
        url,
        { config: { access: 'public', call: url, countsRefused: true } },
        async (request, reply) => {
          const ctx = await contextOf(request, 'public', clock, doors);
          const caller = await developer.auth.caller(ctx, request.headers.authorization);
          void reply.header('Cache-Control', 'no-store');
          return answer(caller);
        },
      );
    };
    resource('/v1/me', async ({ ctx, key, company, scopes }) => {
      // Read in the key's own scope, so anything that row level security hides does not exist here.
      const found = await inScope(db.app, ctx.scope, (tx) => tenants.company(tx, company.id));
      return {
        key: {
          id: key.id,
          client_id: key.clientId,
          name: key.name,
          expires_at: key.expiresAt?.toISOString() ?? null,
        },
        company: found && { id: found.id, name: found.name, time_zone: found.time_zone },
        scopes,
        mode: key.mode,
      };
    });
  });
}

/** Handles the token endpoint: its responses, including refusals, follow RFC 6749. */
async function token(
  request: FastifyRequest,
  reply: FastifyReply,
  clock: Clock,
  doors: Doors,
  developer: Developer,
): Promise<unknown> {
  const refuse = (status: number, error: string, words: string, retryAfter?: number) => {
    if (status === 401) void reply.header('WWW-Authenticate', 'Basic realm="API", charset="UTF-8"');
    if (retryAfter !== undefined) void reply.header('Retry-After', String(retryAfter));
    return reply.code(status).send({ error, error_description: words });
  };
  void reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
  if (!(request.body instanceof URLSearchParams))
    return refuse(400, 'invalid_request', `Send a form (${FORM}).`);
  const form = request.body;
  const twice = [...new Set(form.keys())].find((name) => form.getAll(name).length > 1);
  if (twice !== undefined) return refuse(400, 'invalid_request', 'Send each parameter only once.');
  const grant = form.get('grant_type');
  if (!grant) return refuse(400, 'invalid_request', 'grant_type: is required');
  if (grant !== 'client_credentials')
    return refuse(400, 'unsupported_grant_type', 'grant_type: must be client_credentials');
  const [, basic] = /^Basic (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (basic && form.has('client_secret'))
    return refuse(400, 'invalid_request', 'Send the secret in either the header or the form, not both.');
  const pair = basic
    ? readBasic(basic)
    : { clientId: form.get('client_id') ?? '', secret: form.get('client_secret') ?? '' };
  if (!pair?.clientId || !pair.secret)
    return refuse(
      401,
      'invalid_client',
      'Send client_id and client_secret in the form or as Basic authentication.',
    );
  try {
    const ctx = await contextOf(request, 'public', clock, doors);
    return await developer.auth.token(ctx, { ...pair, scope: form.get('scope') ?? undefined });
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    // The company's state is not a fault of the client's credentials; RFC 6749 uses 400 for it.
    return refuse(error.status === 403 ? 400 : error.status, error.why, error.message, error.retryAfter);
  }
}

/** Sends a failure in the format of RFC 9457. */
function problem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const plain = answerFor(error, request.id);
  const isOurs = error instanceof ApiRefusal;
  const status = isOurs ? error.status : plain.status;
  const retryAfter = isOurs ? error.retryAfter : plain.retryAfter;
  if (status >= 500 && status !== 503)
    request.log.error({ err: error, url: request.url.split('?')[0] }, 'call failed');
  if (status === 401)
    void reply.header(
      'WWW-Authenticate',
      request.headers.authorization ? 'Bearer realm="API", error="invalid_token"' : 'Bearer realm="API"',
    );
  if (retryAfter !== undefined) void reply.header('Retry-After', String(retryAfter));
  return reply
    .code(status)
    .header('Cache-Control', 'no-store')
    .type('application/problem+json; charset=utf-8')
    .send(
      JSON.stringify({
        type: 'about:blank',
        title: TITLES[status] ?? 'Error',
        status,
        detail: isOurs ? error.message : plain.body.message,
        request_id: request.id,
      }),
    );
}
