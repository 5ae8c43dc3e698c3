import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector, Client } from 'undici';
import { isPublicAddress } from './addresses.ts';

export type OutboundCode =
  | 'refused_address'
  | 'timeout'
  | 'tls'
  | 'dns'
  | 'connect'
  | 'too_large'
  | 'bad_url'
  | 'protocol';

/** Why a request to a tenant-entered address failed. The message may be shown to that tenant. */
export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly code: OutboundCode;
  constructor(code: OutboundCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface OutboundRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Covers name lookup, connection, headers and body together, including all redirects. */
  timeoutMs?: number;
  /** The maximum number of bytes read from the response body; the rest is cut off. */
  maxBytes?: number;
  /** How many redirects are followed, each checked like the first address. */
  redirects?: number;
  /** Also http on port 80, for looking at public pages. */
  plainHttp?: boolean;
}

export interface OutboundAnswer {
  status: number;
  /** Names in lowercase; for repeated headers, the last value, but all content policies, since each of them holds. */
  headers: Record<string, string>;
  body: Buffer;
  /** The body was longer than maxBytes. */
  truncated: boolean;
  /** The address that answered, after redirects. */
  url: string;
}

/**
 * Reads the JSON that a service sent. Its texts can be stored as they are: PostgreSQL refuses NUL and half a surrogate
 * pair in texts and in JSON, and one of them in what is stored for many rows at once makes all of them fail.
 * @throws SyntaxError if it is not JSON
 */
export const jsonOf = (body: Buffer | string): unknown =>
  JSON.parse(body.toString(), (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
  );

/** Requests to tenant-entered addresses, which must never reach our internal network. */
export interface Outbound {
  /** Throws OutboundError. Any status counts as a response, including 3xx and 5xx. */
  fetch(url: string, request?: OutboundRequest): Promise<OutboundAnswer>;
  /**
   * Returns a checked address of a host for a protocol other than HTTP. Connect to exactly this address: the name must
   * not be resolved again. Throws OutboundError.
   */
  addressOf(host: string, port: number): Promise<string>;
  /** What is wrong with an address, in words, as far as can be told without a request; undefined if nothing is. */
  objection(url: string, options?: { plainHttp?: boolean }): string | undefined;
}

export interface OutboundOptions {
  /** Exact host:port pairs (`shop.localhost:8080`) that connect to this machine's loopback, by http or https. */
  allow: string[];
  /** Resolves a name to addresses; by default the system's DNS servers are queried. */
  resolve?: (hostname: string) => Promise<string[]>;
  /** Additional certificate authorities (PEM) to trust besides Node's own. */
  ca?: string;
}

const refused = () =>
  new OutboundError(
    'refused_address',
    'The address points to a private or reserved network, which is not allowed',
  );

/**
 * Creates the only way out to tenant-entered addresses. A name is resolved once per connection, every address it
 * resolves to is checked, and the connection is made to a checked address, so that a name that changes in between gains
 * nothing. https only (except for `allow` and plainHttp), ports 443 and from 1024 up, certificates verified, no
 * proxies, no redirects unless requested, a cap on time and size.
 */
export function createOutbound(options: OutboundOptions): Outbound {
  const allowed = new Set(options.allow.map((entry) => entry.toLowerCase()));
  const resolve = options.resolve ?? systemResolve;
  const isAllowed = (url: URL) => allowed.has(`${url.hostname}:${portOf(url)}`);

  function parse(text: string, plainHttp: boolean): URL {
    if (!URL.canParse(text))
      throw new OutboundError('bad_url', 'must be a full URL, such as https://example.com/hook');
    const url = new URL(text);
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      throw new OutboundError('bad_url', 'must start with https://');
    if (url.username || url.password)
      throw new OutboundError('bad_url', 'must not contain a username or password');
    if (isAllowed(url)) return url;
    const port = portOf(url);
    if (url.protocol === 'http:') {
      if (!plainHttp) throw new OutboundError('bad_url', 'must start with https://');
      if (port !== 80) throw new OutboundError('bad_url', 'must use port 80 with http://');
    } else if (port !== 443 && port < 1024) {
      throw new OutboundError('bad_url', 'must use port 443, or 1024 or higher');
    }
    const host = bareHost(url);
    if (isIP(host) ? !isPublicAddress(host) : /(^|\.)localhost\.?$/.test(host)) throw refused();
    return url;
  }

  async function once(url: URL, request: OutboundRequest, deadline: Deadline): Promise<OutboundAnswer> {
    const local = isAllowed(url);
    const lookup: LookupFunction = (hostname, wanted, done) => {
      addressesOf(hostname, local).then(
        (list) => {
          if (wanted.all) done(null, list);
          else done(null, list[0]!.address, list[0]!.family);
        },
        (error) => done(error, []),
      );
    };
    const connector = buildConnector({
      allowH2: false,
      maxCachedSessions: 0,
      timeout: 0,
      lookup,
      autoSelectFamily: true,
      rejectUnauthorized: true,
      ...(options.ca ? { ca: options.ca } : {}),
    });
    const client = new Client(url.origin, {
      connect: (target, done) => {
        connector(target, (error, socket) => {
          if (error) return done(error, null);
          // The address actually connected to is what counts (a literal address never passes through lookup).
          if (!local && !isPublicAddress(socket!.remoteAddress ?? '')) {
            socket!.destroy();
            return done(refused(), null);
          }
          done(null, socket!);
        });
      },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const stop = deadline.onEnd(() => void client.destroy(deadline.error));
    try {
      const answer = await Promise.race([
        client.request({
          path: url.pathname + url.search,
          method: request.method ?? 'GET',
          headers: request.headers ?? {},
          body: request.body ?? null,
        }),
        deadline.reached,
      ]);
      answer.body.on('error', () => {});
      const { body, truncated } = await Promise.race([
        readUpTo(answer.body, request.maxBytes ?? 65_536),
        deadline.reached,
      ]);
      return { status: answer.statusCode, headers: flat(answer.headers), body, truncated, url: url.href };
    } catch (error) {
      throw deadline.isOver ? deadline.error : translate(error);
    } finally {
      stop();
      void client.destroy();
    }
  }

  async function addressesOf(hostname: string, local: boolean) {
    if (local) return [{ address: '127.0.0.1', family: 4 }];
    const found = await resolve(hostname).catch((error) => {
      throw new OutboundError(
        'dns',
        `The host name ${hostname} could not be looked up (${error.code ?? 'failed'})`,
      );
    });
    if (found.length === 0) throw new OutboundError('dns', `The host name ${hostname} has no address`);
    if (!found.every(isPublicAddress)) throw refused();
    return found.map((address) => ({ address, family: isIP(address) }));
  }

  return {
    async fetch(text, request = {}) {
      const deadline = new Deadline(request.timeoutMs ?? 15_000);
      try {
        let url = parse(text, request.plainHttp ?? false);
        for (let left = request.redirects ?? 0; ; left--) {
          const answer = await once(url, request, deadline);
          const to = answer.status >= 300 && answer.status < 400 ? answer.headers.location : undefined;
          if (!to || left <= 0) return answer;
          if (!URL.canParse(to, url))
            throw new OutboundError('protocol', 'The response redirects without an address');
          url = parse(new URL(to, url).href, request.plainHttp ?? false);
        }
      } finally {
        deadline.clear();
      }
    },
    async addressOf(host, port) {
      const name = host.trim().toLowerCase();
      if (!allowed.has(`${name}:${port}`) && isIP(name)) {
        if (!isPublicAddress(name)) throw refused();
        return name;
      }
      return (await addressesOf(name, allowed.has(`${name}:${port}`)))[0]!.address;
    },
    objection(text, { plainHttp = false } = {}) {
      try {
        parse(text, plainHttp);
        return undefined;
      } catch (error) {
        return (error as OutboundError).message;
      }
    },
  };
}

const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
const bareHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();

/** Asks the DNS servers directly: getaddrinfo would hold one of the few threads that password hashing needs too. */
async function systemResolve(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [four, six].flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (found.length === 0 && four.status === 'rejected') throw four.reason;
  return found;
}

class Deadline {
  readonly error: OutboundError;
  readonly reached: Promise<never>;
  isOver = false;
  readonly #timer: NodeJS.Timeout;
  readonly #listeners = new Set<() => void>();

  constructor(milliseconds: number) {
    this.error = new OutboundError('timeout', `No complete response within ${milliseconds / 1000} s`);
    let end: (error: Error) => void;
    this.reached = new Promise<never>((_, reject) => {
      end = reject;
    });
    this.reached.catch(() => {});
    this.#timer = setTimeout(() => {
      this.isOver = true;
      end(this.error);
      for (const listener of this.#listeners) listener();
    }, milliseconds);
  }

  /** Calls back when time is up; the returned function unsubscribes. */
  onEnd(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

async function readUpTo(
  stream: AsyncIterable<Buffer>,
  most: number,
): Promise<{ body: Buffer; truncated: boolean }> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    parts.push(part);
    size += part.length;
    if (size > most) break;
  }
  return { body: Buffer.concat(parts).subarray(0, most), truncated: size > most };
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const out: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    const last = !Array.isArray(value)
      ? value
      : name === 'content-security-policy'
        ? value.join(', ')
        : value.at(-1);
    if (last !== undefined) out[name] = last;
  }
  return out;
}

function translate(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const { name, code = '', message = '' } = error as { name?: string; code?: string; message?: string };
  if (
    /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/.test(
      code,
    )
  ) {
    return new OutboundError('tls', `The certificate or encryption is not acceptable (${code})`);
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new OutboundError('too_large', 'The response headers are too large');
  if (/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/.test(code))
    return new OutboundError('timeout', 'The connection timed out');
  if (name === 'HTTPParserError' || /^UND_ERR_(RES_CONTENT|INVALID)/.test(code)) {
    return new OutboundError('protocol', 'The response is not valid HTTP');
  }
  return new OutboundError('connect', `The connection failed (${code || message || 'unknown'})`);
}
