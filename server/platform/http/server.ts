import { isIP } from 'node:net';
import { pipeline, Readable, Transform } from 'node:stream';
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import type { AnyContractProcedure, AnyContractRouter } from '@orpc/contract';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import {
  inSalesView,
  mayInView,
  mayPerson,
  PERMISSIONS,
  type Permission,
} from '../../../contract/accounts/permissions.ts';
import { Refusal } from '../../../contract/errors.ts';
import { messages, ownMessages } from '../../../contract/messages.ts';
import { activity } from '../activity.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { type Actor, type Confirmation, type Confirmed, Ctx, isSalesView, type Tenant } from '../ctx.ts';
import { isDiskFull, onceAMinute } from '../disk.ts';
import { plainAddress } from '../geo.ts';
import { newId } from '../ids.ts';
import { BOUNDS, boundConnections, isUpload } from './connections.ts';
import { answerFor } from './errors.ts';
import { checkInput } from './input.ts';
import { readJson } from './json.ts';
import { observeRequests, type Watch } from './observe.ts';
import type { Access, PlainRoute } from './routes.ts';
import { createUploads, type Uploads } from './uploads.ts';
import { answerOf, onWire } from './wire.ts';

/** What the HTTP layer needs from the features, so that it does not depend on any of them. */
export interface Doors {
  /** The tenant of a host, or null. */
  tenantOf(host: string): Promise<Tenant | null>;
  /** The signed-in person of an access token. Throws a 401 Refusal. */
  actorOf(token: string, tenant: Tenant): Promise<Actor>;
  /** The same person as they are now, read afresh; null if they may no longer act here. */
  actorNow(actor: Actor, tenant: Tenant): Promise<Actor | null>;
  /** Redeems a one-use download token for this path (with its query). Returns null if it is not valid. */
  actorOfDownload(token: string, path: string, tenant: Tenant): Promise<Actor | null>;
  /** Returns how a user has to confirm their identity; null if they have just done so, or have just signed in. */
  unconfirmed(actor: Actor, tenant: Tenant, what: Confirmed): Promise<Confirmation[] | null>;
  /** Opens an encrypted body. Throws a 400 Refusal. */
  openBody(dt: string): Promise<string>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** The path as written in the contract, for lists and tests. */
    call?: string;
    /** The body is a file, which the handler reads itself. */
    streamed?: boolean;
    /** The route counts and logs its rate-limit refusals itself: a line for each would be its own flood. */
    countsRefused?: true;
  }
  interface FastifyInstance {
    uploads: Uploads;
    /** Every route of the server, for the tests that must not miss any. */
    routeList: { method: string; url: string; access: Access | undefined; streamed: boolean }[];
  }
  interface FastifyRequest {
    tenant: Tenant | null;
    /** Who makes the request, once that is known; for the log. */
    actorId: string;
    /** The body as received, on a route that reads it itself. */
    rawJson?: string;
  }
}

/** Statuses for attempts to do something that is not allowed, or too often. */
const REFUSED = new Set([403, 421, 429]);

/** A name or an address, optionally with a port. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;

/** Creates the server with its parsers, guards, and error responses; routes are added by `addCalls` and `addPlain`. */
export async function createServer(
  config: Config,
  clock: Clock,
  doors: Doors,
  watch: Watch,
): Promise<FastifyInstance> {
  const proxies = config.trustProxy?.split(',').map((part) => part.trim()) ?? [];
  const app = Fastify({
    logger:
      config.logLevel === 'silent'
        ? false
        : {
            level: config.logLevel,
            // Everything fails while the disk is full; one line a minute says as much as thousands.
            hooks: {
              logMethod(line, method) {
                const { err } = (line[0] ?? {}) as { err?: unknown };
                if (!isDiskFull(err) || onceAMinute('disk')) method.apply(this, line);
              },
            },
            redact: ['req.headers.authorization', 'req.headers.cookie'],
            // A database driver error carries its whole client with it; only these fields belong in a log.
            serializers: {
              err: ({ name, message, code, stack }) => ({ type: name, message, code, stack: stack ?? '' }),
            },
          },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId(clock.now()),
    trustProxy: proxies.length > 0 ? proxies : false,
    bodyLimit: 1024 * 1024,
    // Headers must arrive at once, and a silent socket is closed soon; a body has a minute, and a large upload may take
    // its time as long as it keeps moving (connections.ts).
    http: { headersTimeout: 30_000 },
    requestTimeout: 6 * 3_600_000,
    connectionTimeout: 30_000,
    keepAliveTimeout: 72_000,
    // The others are given time: closeServer.
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: false },
    // Refusals before any route or hook is reached (a URL that cannot be decoded) get the usual error response.
    frameworkErrors: (error, request, reply) => {
      const { status, body } = answerFor(error, request.id);
      void (reply as FastifyReply)
        .headers(headersOfAll(request))
        .code(status)
        .type('application/json; charset=utf-8')
        .send(body);
    },
  });
  boundConnections(app.server, {
    ...BOUNDS,
    perAddress: config.connectionsPerAddress,
    trusted: proxies,
  });
  const routeList: FastifyInstance['routeList'] = [];
  app.decorate('routeList', routeList);
  app.decorate('uploads', createUploads(config.dataDir));
  app.addHook('onRoute', ({ method, url, config: route }) => {
    for (const one of [method].flat())
      routeList.push({ method: one, url, access: route?.access, streamed: route?.streamed ?? false });
  });
  void app.register(cookie);
  // Responses only: request bodies are never decompressed, so that no one can send a little that becomes a lot.
  // Awaited, since it looks at each route as it is added.
  await app.register(compress, {
    encodings: ['br', 'gzip'],
    threshold: 1024,
    customTypes: /^(text\/(html|plain|css|csv)|application\/json)\b/,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    globalDecompression: false,
  });
  app.decorateRequest('tenant', null);
  app.decorateRequest('actorId', '');
  observeRequests(app, config, watch);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, text === '' ? {} : readJson(text as string));
    } catch {
      done(new Refusal('bad_request', 'The request body is not valid JSON.'));
    }
  });

  app.addHook('onRequest', async (request, reply) => {
    const done = activity(`${request.method} ${request.routeOptions.url ?? 'unknown address'} ${request.id}`);
    reply.raw.once('close', done);
    // The Host header alone decides the tenant. A trusted proxy may forward an X-Forwarded-Host that it never checked.
    delete request.raw.headers['x-forwarded-host'];
    void reply.headers(headersOfAll(request));
    if (request.routeOptions.config.access === 'open') return;
    // A host with an invalid port (localhost:99999) cannot be made into one of our URLs, and one that is more than a
    // name and a port (localhost:80@evil.test) would lead to someone else's.
    if (HOST.test(request.host) && URL.canParse(`http://${request.host}`))
      request.tenant = await doors.tenantOf(request.hostname);
    if (!request.tenant && request.routeOptions.config.access === 'download') {
      // A token is used up wherever it is tried.
      const { token } = request.query as { token?: unknown };
      if (typeof token === 'string') await doors.actorOfDownload(token, '', nobody);
    }
    if (!request.tenant)
      throw Object.assign(new Refusal('not_found', 'There is no site at this address.'), {
        misdirected: true,
      });
  });

  app.addHook('preValidation', async (request) => {
    const body = request.body as { dt?: unknown } | undefined;
    if (
      !body ||
      typeof body !== 'object' ||
      !request.headers['content-type']?.toLowerCase().startsWith('application/json')
    )
      return;
    if (typeof body.dt === 'string' && Object.keys(body).length === 1) {
      const text = await doors.openBody(body.dt);
      try {
        request.body = readJson(text);
      } catch {
        throw new Refusal('bad_request', 'dt: the decrypted body is not valid JSON.', {
          errors: { dt: ['is not valid JSON'] },
        });
      }
    } else if (config.plainBodies === 'refuse' && request.routeOptions.config.access !== 'open') {
      throw new Refusal('bad_request', 'dt: request bodies must be encrypted.', {
        errors: { dt: ['is required'] },
      });
    }
  });

  app.setErrorHandler((error, request, reply) => {
    const answer = answerFor(error, request.id);
    if (isDiskFull(error)) request.log.error({ err: error }, 'the disk is full');
    if (answer.status >= 500 && answer.status !== 503 && answer.status !== 504) {
      // Without the query: it may contain a download token, or a user's search text.
      request.log.error({ err: error, url: request.url.split('?')[0] }, 'call failed');
    }
    // Who tries doors leaves a trace, whatever the product's own log makes of it.
    else if (
      (REFUSED.has(answer.status) && !request.routeOptions.config.countsRefused) ||
      (answer.status === 401 && request.url === '/api/login')
    )
      request.log.warn(
        { status: answer.status, ip: addressOf(request), url: request.url.split('?')[0] },
        'refused',
      );
    if (answer.retryAfter !== undefined) void reply.header('Retry-After', String(answer.retryAfter));
    const status = (error as { misdirected?: boolean }).misdirected ? 421 : answer.status;
    void reply.code(status).type('application/json; charset=utf-8').send(answer.body);
  });
  app.setNotFoundHandler((request, reply) => {
    void reply.code(404).send(answerFor(new Refusal('not_found', messages.notFoundText), request.id).body);
  });
  return app;
}

/**
 * Stops accepting connections and finishes the requests in progress; anything not finished after `limitMs` is cut off.
 * A later request, over a connection that is still open, gets 503.
 */
export async function closeServer(app: FastifyInstance, limitMs: number): Promise<void> {
  // After its response, a connection is kept alive for the next request, which would delay the shutdown.
  const idle = setInterval(() => app.server.closeIdleConnections(), 50);
  const cut = setTimeout(() => app.server.closeAllConnections(), limitMs);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(cut);
  }
}

/**
 * Returns the context of a request that has passed its guards. Throws Refusals: 401 without a valid login, 403 without
 * the permission, or for what is not allowed in view mode.
 */
export async function contextOf(
  request: FastifyRequest,
  access: Access,
  clock: Clock,
  doors: Doors,
  more: {
    permission?: PlainRoute['permission'];
    notInView?: boolean | undefined;
    fresh?: boolean | 'access' | undefined;
    beforeFactor?: boolean | undefined;
    salesView?: boolean | undefined;
  } = {},
): Promise<Ctx> {
  const tenant = request.tenant ?? nobody;
  const reaches = (one: Actor, permission: Permission): boolean =>
    !one.trueActor || mayInView(one.modules, permission, request.method === 'GET' ? 'read' : 'write');
  let actor: Actor | null = null;
  if (access === 'download') {
    const { token, ...rest } = request.query as Record<string, string | string[]>;
    const query = new URLSearchParams(rest as Record<string, string>).toString();
    const path = request.url.split('?')[0]! + (query ? `?${query}` : '');
    actor = token && typeof token === 'string' ? await doors.actorOfDownload(token, path, tenant) : null;
    if (!actor)
      throw new Refusal(
        'unauthenticated',
        'This download link is no longer valid. Start the download again.',
      );
    if (more.permission && !mayPerson(actor.grade, actor.modules, more.permission))
      throw new Refusal('forbidden', ownMessages.forbidden);
    if (more.notInView && actor.trueActor) throw new Refusal('forbidden', ownMessages.notInView);
  } else if (access !== 'open' && access !== 'public') {
    const [, token] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (!token) throw new Refusal('unauthenticated', messages.unauthenticated);
    actor = await doors.actorOf(token, tenant);
    if (!mayPerson(actor.grade, actor.modules, access)) throw new Refusal('forbidden', ownMessages.forbidden);
    if (more.notInView && actor.trueActor) throw new Refusal('forbidden', ownMessages.notInView);
    if (!more.salesView && isSalesView(actor)) {
      if (request.method !== 'GET') throw new Refusal('forbidden', ownMessages.salesView);
      if (!inSalesView(access)) throw new Refusal('forbidden', ownMessages.forbidden);
    }
    if (!reaches(actor, access)) throw new Refusal('forbidden', ownMessages.forbidden);
    if (actor.needsFactor && !more.beforeFactor)
      throw new Refusal('forbidden', ownMessages.factorFirst, { errors: { second_factor: ['is required'] } });
  }
  if (actor) request.actorId = actor.userId;
  const permission = access in PERMISSIONS ? (access as Permission) : more.permission;
  const still = async (): Promise<void> => {
    const now = actor && (await doors.actorNow(actor, tenant));
    if (!now) throw new Refusal('unauthenticated', messages.unauthenticated);
    if (permission && !(mayPerson(now.grade, now.modules, permission) && reaches(now, permission)))
      throw new Refusal('forbidden', ownMessages.forbidden);
  };
  const ctx = new Ctx({
    tenant,
    actor,
    still: actor ? still : undefined,
    unconfirmed: actor ? (what) => doors.unconfirmed(actor, tenant, what) : undefined,
    requestId: request.id,
    clock,
    ip: addressOf(request),
    userAgent: String(request.headers['user-agent'] ?? '').slice(0, 500),
    origin: `${request.protocol}://${request.host}`,
  });
  if (more.fresh) await ctx.mustBeConfirmed(more.fresh === 'access' ? 'access' : 'change');
  return ctx;
}

/** What a response may do in a browser: by default, nothing. Pages declare what they need (site.ts). */
const headersOfAll = (request: FastifyRequest): Record<string, string> => ({
  'X-Request-Id': request.id,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), usb=()',
  // Based on what a trusted proxy says: on plain http a browser would ignore it.
  ...(request.protocol === 'https' ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
});

/**
 * Returns the client's address in a form the database accepts: without an IPv6 zone, and never what a proxy forwarded
 * unchecked.
 */
export function addressOf(request: FastifyRequest): string {
  // A caller who has already hung up has none.
  const [ip = ''] = ((request.ip as string | undefined) ?? '').split('%');
  return plainAddress(isIP(ip) ? ip : (request.socket.remoteAddress?.split('%')[0] ?? '0.0.0.0'));
}

const nobody: Tenant = {
  host: '',
  companyId: '',
  kind: 'root',
  rootId: '',
  agencyId: null,
  companyName: '',
  timeZone: 'UTC',
};

/** The handler of any endpoint. */
export type AnyHandler = (ctx: Ctx, input: never) => Promise<unknown>;

/** What a handler may do to its response in addition to the body (cookies on login). */
export type Finish = (reply: FastifyReply, request: FastifyRequest, output: unknown) => void;

/** What some calls of a router do around their handlers, by name. */
export type Finishes = Record<string, { before?: (request: FastifyRequest) => void; after?: Finish }>;

/** Mounts a feature's endpoints: one Fastify route each, so that lists and tests of routes see them all. */
export function addCalls(
  app: FastifyInstance,
  clock: Clock,
  doors: Doors,
  contract: AnyContractRouter,
  handlers: Record<string, AnyHandler>,
  finish: Finishes = {},
): void {
  for (const [name, procedure] of Object.entries(contract as Record<string, AnyContractProcedure>)) {
    const { route, meta, inputSchema, outputSchema } = procedure['~orpc'];
    const handler = handlers[name];
    const { access, notInView, fresh, beforeFactor, salesView } = meta as {
      access?: Access;
      notInView?: true;
      fresh?: true | 'access';
      beforeFactor?: true;
      salesView?: true;
    };
    if (!route.method || !route.path || !access || !handler)
      throw new Error(`Call ${name} is missing a route, an access rule, or a handler`);
    app.route({
      method: route.method,
      url: `/api${route.path.replace(/\{(\w+)\}/g, ':$1')}`,
      config: { access, call: `/api${route.path}` },
      handler: async (request, reply) => {
        const ctx = await contextOf(request, access, clock, doors, {
          notInView,
          fresh,
          beforeFactor,
          salesView,
        });
        finish[name]?.before?.(request);
        const given = route.method === 'GET' ? (request.query as object) : (request.body ?? {});
        if (typeof given !== 'object' || Array.isArray(given))
          throw new Refusal('bad_request', 'The request body must be a JSON object.');
        const input = inputSchema
          ? await checkInput(inputSchema, { ...given, ...(request.params as object) })
          : undefined;
        const output = await onWire(inputSchema, () => handler(ctx, input as never));
        const answer = outputSchema ? await answerOf(outputSchema, output) : output;
        finish[name]?.after?.(reply, request, answer);
        void reply.header('Cache-Control', 'no-store');
        return answer;
      },
    });
  }
}

/** Who downloads a file that is being sent. */
const downloads = new WeakMap<FastifyRequest, Ctx>();
/** How often someone who downloads a file is judged again. */
const JUDGED_MS = 10_000;

/** Ends a file that is being sent when its reader's rights end. */
async function judgedAgain(
  request: FastifyRequest,
  _reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const ctx = downloads.get(request);
  if (!ctx || !(payload instanceof Readable)) return payload;
  let judged = performance.now();
  const sent = new Transform({
    async transform(chunk, _encoding, done) {
      try {
        if (performance.now() - judged > JUDGED_MS) {
          await ctx.mustStill();
          judged = performance.now();
        }
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  // Each ends with the other, also if the reader hung up before the first byte: a file left open would keep its place
  // on the disk after it is deleted, and an error that nothing listens for would end the process.
  pipeline(payload, sent, () => {});
  return sent;
}

/** Mounts a route outside the contract behind the same guards. */
export function addPlain(app: FastifyInstance, clock: Clock, doors: Doors, routes: PlainRoute[]): void {
  for (const route of routes) {
    void app.register(async (inner) => {
      if (route.streamed) {
        inner.removeAllContentTypeParsers();
        inner.addContentTypeParser('*', (_request, _payload, done) => done(null));
      }
      if (route.raw) {
        inner.removeAllContentTypeParsers();
        inner.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
      }
      inner.route({
        method: route.method,
        url: route.url,
        config: { access: route.access, call: route.url, streamed: route.streamed ?? false },
        // A HEAD request must not use up a download token.
        ...(route.access === 'download' ? { exposeHeadRoute: false } : {}),
        ...(route.bodyLimit ? { bodyLimit: route.bodyLimit } : {}),
        ...(route.streamed
          ? { onRequest: async (request) => isUpload(request.raw, route.bodyLimit ?? 0) }
          : {}),
        ...(route.access === 'download' ? { onSend: judgedAgain } : {}),
        handler: async (request, reply) => {
          const ctx = await contextOf(request, route.access, clock, doors, route);
          const upload = app.uploads.bodyOf(request.raw, () => ctx.mustStill());
          if (route.access === 'download') downloads.set(request, ctx);
          const handle = async () => {
            const answer = await onWire(route.input, () => route.handler(ctx, request, reply, upload));
            return route.answer ? answerOf(route.answer, answer) : answer;
          };
          if (!route.streamed) return handle();
          // A refusal before the body has been read leaves the connection unusable.
          void reply.header('Connection', 'close');
          const announced = request.headers['content-length'];
          const leave = await app.uploads.enter(
            ctx.actor,
            announced === undefined ? undefined : Math.min(Number(announced), route.bodyLimit ?? Infinity),
          );
          try {
            return await handle();
          } finally {
            leave();
          }
        },
      });
    });
  }
}
