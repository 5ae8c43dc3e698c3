import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiMe, NoQuery } from '../../../../contract/developer/v1.ts';
import { LEAD_VERSION } from '../../../../contract/developer/versions.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Clock } from '../../../platform/clock.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { clientFile } from '../../../platform/dist.ts';
import { readJson } from '../../../platform/http/json.ts';
import type { PlainRoute } from '../../../platform/http/routes.ts';
import { contextOf, type Doors } from '../../../platform/http/server.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { type ApiCaller, ApiRefusal, readBasic } from './auth.service.ts';
import { answerMcp } from './mcp.ts';
import { GrantRefusal } from './oauth.service.ts';
import { createRates, RATE, RATE_POLICY } from './rate.ts';
import type { Answered } from './requests.service.ts';
import type { Developer } from './service.ts';
import { checkRead } from './v1.check.ts';
import { problemOf } from './v1.problem.ts';
import { resources } from './v1.resources.ts';
import { versionHeaders, versionOf } from './v1.versions.ts';
import { writes } from './v1.writes.ts';

const FORM = 'application/x-www-form-urlencoded';
const FORM_BYTES = 8 * 1024;
/** A tool's name as an operation's: listLeads. */
const operationOf = (tool: string): string =>
  tool.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Where apps look for how to ask for access, and what they find there. */
const WELL_KNOWN = [
  ['/.well-known/oauth-protected-resource', 'resource'],
  ['/.well-known/oauth-protected-resource/mcp', 'resource'],
  ['/.well-known/oauth-authorization-server', 'server'],
] as const;

/** The developer API's addresses, for the document listing all routes. */
export const apiRoutes: PlainRoute[] = [
  {
    method: 'POST',
    url: '/oauth/token',
    access: 'public',
    tag: 'Developer API',
    summary:
      'Returns a token for a key’s client ID and secret, or an app’s code or refresh token (RFC 6749, sent as a form)',
    handler: async () => null,
  },
  {
    method: 'POST',
    url: '/oauth/register',
    access: 'public',
    tag: 'Developer API',
    summary: 'Registers an app that asks an owner for access (RFC 7591)',
    handler: async () => null,
  },
  ...WELL_KNOWN.map(
    ([url, what]): PlainRoute => ({
      method: 'GET',
      url,
      access: 'public',
      tag: 'Developer API',
      summary:
        what === 'resource'
          ? 'Tells apps where to request access to the MCP server (RFC 9728)'
          : 'Tells apps how to request access (RFC 8414)',
      handler: async () => null,
    }),
  ),
  {
    method: 'GET',
    url: '/v1/me',
    access: 'public',
    tag: 'Developer API',
    summary:
      'Returns the key used for the request, with its company, scopes, and mode (Bearer secret or token, or Basic)',
    described: { name: 'getKey', query: NoQuery, answer: ApiMe },
    handler: async () => null,
  },
  {
    method: 'POST',
    url: '/mcp',
    access: 'public',
    tag: 'Developer API',
    summary:
      'Answers a message of the Model Context Protocol with a key: the reads as tools, and the writes with the scope tools.write (streamable HTTP, stateless)',
    handler: async () => null,
  },
  ...(['GET', 'DELETE'] as const).map(
    (method): PlainRoute => ({
      method,
      url: '/mcp',
      access: 'public',
      tag: 'Developer API',
      summary: 'Answers 405: the MCP server keeps no sessions',
      handler: async () => null,
    }),
  ),
  ...writes.map(
    ({ method, url, tool, summary, scope, also, body, status, answer }): PlainRoute => ({
      method,
      url,
      access: 'public',
      tag: 'Developer API',
      summary,
      described: {
        name: operationOf(tool),
        scopes: also ? [scope, also] : [scope],
        ...{ query: NoQuery, body, status, answer },
      },
      handler: async () => null,
    }),
  ),
  ...resources.map(
    ({ url, tool, summary, scope, query, answer }): PlainRoute => ({
      method: 'GET',
      url,
      access: 'public',
      tag: 'Developer API',
      summary,
      described: { name: operationOf(tool), scopes: [scope], query, answer },
      handler: async () => null,
    }),
  ),
];

declare module 'fastify' {
  interface FastifyRequest {
    /** A request with a key, for the log. */
    api?: Pick<Answered, 'caller' | 'url' | 'body' | 'problem'>;
  }
}

/** Mounts the developer API: the calls that programs make with a key (docs/decisions/0191-developer-keys.md). */
export function addApiRoutes(
  app: FastifyInstance,
  platform: Platform,
  doors: Doors,
  { developer, tenants }: { developer: Developer; tenants: Tenants },
): void {
  const { clock, db } = platform;
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
    // Apps that run in a browser read these, and register, from their own pages.
    inner.addHook(
      'onRequest',
      async (_request, reply) => void reply.header('Access-Control-Allow-Origin', '*'),
    );
    inner.removeContentTypeParser('application/json');
    inner.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit: FORM_BYTES },
      (_request, text, done) => done(null, text),
    );
    const context = (request: FastifyRequest) => contextOf(request, 'public', clock, doors);
    for (const [url, what] of WELL_KNOWN)
      inner.get(url, configOf(url), async (request, reply) => {
        void reply.header('Cache-Control', 'no-store');
        return developer.oauth.metadata(await context(request))[what];
      });
    inner.post('/oauth/register', configOf('/oauth/register'), async (request, reply) => {
      void reply.header('Cache-Control', 'no-store');
      try {
        return await reply
          .code(201)
          .send(await developer.oauth.register(await context(request), bodyOf(request)));
      } catch (error) {
        if (!(error instanceof GrantRefusal)) throw error;
        return reply.code(400).send({ error: 'invalid_client_metadata', error_description: error.message });
      }
    });
  });
  const rates = createRates();
  const { read, write } = developer.api;
  void app.register(async (inner) => {
    inner.addHook('onRequest', async (_request, reply) => void reply.headers(HEADERS));
    inner.setErrorHandler((error, request, reply) => problem(error, request, reply));
    inner.addHook('onResponse', async (request, reply) => {
      if (!request.api) return;
      developer.requests.add({
        ...request.api,
        id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? '',
        status: reply.statusCode,
        durationMs: reply.elapsedTime,
        idempotencyKey: keyIn(request),
      });
    });
    inner.addHook('onClose', () => developer.requests.flush());
    /** @throws ApiRefusal without a valid key, or beyond its limit */
    const callerOf = async (request: FastifyRequest, reply: FastifyReply): Promise<ApiCaller> => {
      const ctx = await contextOf(request, 'public', clock, doors);
      const caller = await developer.auth.caller(ctx, request.headers.authorization);
      request.api = { caller, url: request.url, body: undefined, problem: undefined };
      const rate = rates.take(caller.key.id, clock.now());
      void reply.header('RateLimit', rate.header);
      if (rate.isOver)
        throw new ApiRefusal(
          429,
          'slow_down',
          `The key has used up the limit of ${RATE.perSecond * 60} requests a minute.`,
          rate.retryAfter,
        );
      return caller;
    };
    /** The caller in the version that its request asks for, which is sent with the response. @throws Refusal 400, 410 */
    const inVersion = (caller: ApiCaller, request: FastifyRequest, reply: FastifyReply): ApiCaller => {
      const version = versionOf(request.headers['lead-version'], caller.version, clock.now());
      void reply.headers(versionHeaders(version, `${caller.ctx.origin}${REFERENCE}`));
      return { ...caller, version };
    };
    const get = (
      url: string,
      answer: (caller: ApiCaller, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
    ): void => {
      inner.get(url, configOf(url), async (request, reply) => {
        return answer(inVersion(await callerOf(request, reply), request, reply), request, reply);
      });
    };
    // As text: a body is never encrypted here.
    inner.removeContentTypeParser('application/json');
    inner.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) =>
      done(null, text),
    );
    inner.post('/mcp', { ...configOf('/mcp'), bodyLimit: MCP_BYTES }, async (request, reply) => {
      const caller = await callerOf(request, reply);
      const message = messageOf(request);
      // The log shows which tool was called.
      request.api!.url = `/mcp${toolIn(message.message)}`;
      // Its tools are described to the assistant again each time, as they are now.
      const newest = { ...caller, version: LEAD_VERSION };
      const answer = await answerMcp(developer.api, newest, caller.ctx.tenant.companyName, message);
      void reply.code(answer.status);
      const type = answer.headers.get('content-type');
      if (type) void reply.type(type);
      return reply.send(await answer.text());
    });
    for (const method of ['GET', 'DELETE'] as const)
      inner.route({
        method,
        url: '/mcp',
        ...configOf('/mcp'),
        handler: (_request, reply) => reply.code(405).header('Allow', 'POST').send(),
      });
    get('/v1/me', async ({ ctx, key, scopes }, request) => {
      await checkRead({ url: '/v1/me', query: NoQuery }, request);
      // Read in the key's own scope, so anything that row level security hides does not exist here.
      const found = await inScope(db.app, ctx.reading().scope, (tx) =>
        tenants.companyOfKey(tx, ctx.actor.companyId),
      );
      return {
        key: {
          id: key.id,
          client_id: key.clientId,
          name: key.name,
          expires_at: key.expiresAt?.toISOString() ?? null,
          version: key.version,
        },
        company: found ?? null,
        scopes,
        mode: key.mode,
      };
    });
    for (const resource of resources)
      get(resource.url, async (caller, request, reply) => {
        const body = await read(resource, caller, request);
        if (body.next_cursor) {
          const next = nextOf(request, caller.ctx.origin, body.next_cursor);
          void reply.header('Link', [reply.getHeader('Link'), next].filter(Boolean).join(', '));
        }
        return body;
      });
    for (const one of writes)
      inner.route({
        method: one.method,
        url: one.url,
        ...configOf(one.url),
        handler: async (request, reply) => {
          const caller = inVersion(await callerOf(request, reply), request, reply);
          const { query, params } = request;
          const body = bodyOf(request);
          request.api!.body = body;
          const done = await write(one, caller, { query, params, body, key: keyIn(request) });
          if (done.isReplayed) void reply.header('Idempotency-Replayed', 'true');
          return reply.code(done.status).send(done.body);
        },
      });
  });
}

const keyIn = ({ headers }: FastifyRequest) => headers['idempotency-key'] as string | undefined;

const Called = z.object({ method: z.literal('tools/call'), params: z.object({ name: z.string() }) });
/** The tool that a message calls: '#list_leads'; empty for any other message. */
const toolIn = (message: unknown): string => {
  const name = Called.safeParse(message).data?.params.name;
  return name && TOOLS.has(name) ? `#${name}` : '';
};
const TOOLS = new Set([...resources, ...writes].map(({ tool }) => tool));

/** @throws Refusal 400 for a body that is not JSON */
function bodyOf({ body }: FastifyRequest): unknown {
  if (typeof body !== 'string' || body === '') return undefined;
  try {
    return readJson(body);
  } catch {
    throw new Refusal('bad_request', 'The request body is not valid JSON.');
  }
}

const configOf = (url: string) => ({
  config: { access: 'public' as const, call: url, countsRefused: true as const },
});

/** The longest message to the MCP server. */
const MCP_BYTES = 64 * 1024;

/**
 * A message to the MCP server, as its transport takes it.
 * @throws Refusal 400 for several messages at once, which could be any number of reads; 403 for another site's page
 */
function messageOf(request: FastifyRequest): Parameters<typeof answerMcp>[3] {
  const { origin, accept, 'content-type': type, 'mcp-protocol-version': version } = request.headers;
  if (origin !== undefined && URL.parse(origin)?.host !== request.host)
    throw new Refusal('forbidden', 'Requests from pages of other sites are refused.');
  const headers = new Headers({
    accept: accept ?? '',
    'content-type': type ?? '',
    ...(typeof version === 'string' ? { 'mcp-protocol-version': version } : {}),
  });
  const message = bodyOf(request);
  if (Array.isArray(message)) throw new Refusal('bad_request', 'Send one message per request.');
  return { url: `${request.protocol}://${request.host}/mcp`, headers, message };
}

/** The TypeScript client, built with the web app. */
export const clientRoute: PlainRoute = {
  method: 'GET',
  url: '/api/client.tgz',
  access: 'public',
  tag: 'Reference',
  summary: 'Returns the TypeScript client of the developer API as a package for npm',
  async handler(_ctx, _request, reply) {
    const bytes = await readFile(clientFile).catch(() => {
      throw new Refusal('not_found', ownMessages.notFound);
    });
    return reply
      .type('application/gzip')
      .header('Content-Disposition', 'attachment; filename="lead-api-client.tgz"')
      .send(bytes);
  },
};

/** Sent with every answer. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Lead-Version': LEAD_VERSION,
  'RateLimit-Policy': RATE_POLICY,
};

/** Where the versions are documented. */
const REFERENCE = '/api/reference#api/description/versions';

/** The address of the next page (RFC 8288). */
function nextOf(request: FastifyRequest, origin: string, cursor: string): string {
  const query = new URLSearchParams({ ...(request.query as Record<string, string>), cursor });
  return `<${origin}${request.routeOptions.url}?${query}>; rel="next"`;
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
  if (grant === 'authorization_code' || grant === 'refresh_token')
    try {
      return await developer.oauth.exchange(await contextOf(request, 'public', clock, doors), form);
    } catch (error) {
      if (error instanceof GrantRefusal)
        return refuse(error.why === 'invalid_client' ? 401 : 400, error.why, error.message);
      if (error instanceof ApiRefusal)
        return refuse(error.status === 403 ? 400 : error.status, error.why, error.message, error.retryAfter);
      throw error;
    }
  if (grant !== 'client_credentials')
    return refuse(
      400,
      'unsupported_grant_type',
      'grant_type: must be client_credentials, authorization_code, or refresh_token',
    );
  const [, basic] = /^Basic (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (basic && form.has('client_secret'))
    return refuse(400, 'invalid_request', 'Send the secret in either the header or the form, not both.');
  const pair = basic
    ? readBasic(basic)
    : { clientId: form.get('client_id') ?? '', secret: form.get('client_secret') ?? '' };
  if (!pair?.clientId || !pair.secret || pair.clientId.includes('\0'))
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
  const { url } = request.routeOptions;
  const { status, retryAfter, body } = problemOf(error, { id: request.id, method: request.method, url });
  if (status >= 500 && status !== 503)
    request.log.error({ err: error, url: request.url.split('?')[0] }, 'call failed');
  if (status === 401)
    void reply.header(
      'WWW-Authenticate',
      [
        'Bearer realm="API"',
        ...(request.headers.authorization ? ['error="invalid_token"'] : []),
        // Where an assistant finds out how to ask for access (RFC 9728, 5.1).
        ...(url === '/mcp'
          ? [`resource_metadata="${request.protocol}://${request.host}${WELL_KNOWN[1][0]}"`]
          : []),
      ].join(', '),
    );
  if (error instanceof ApiRefusal && error.why === 'insufficient_scope')
    void reply.header('WWW-Authenticate', 'Bearer realm="API", error="insufficient_scope"');
  if (retryAfter !== undefined) void reply.header('Retry-After', String(retryAfter));
  if (request.api) request.api.problem = body;
  return reply
    .code(status)
    .headers(HEADERS)
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(body));
}
