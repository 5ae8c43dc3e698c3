import type { Clock } from '../platform/clock.ts';
import { type Outbound, OutboundError } from '../platform/outbound.ts';

/** A response of a vendor. */
export interface Answer {
  status: number;
  /** Names in lowercase. */
  headers: Record<string, string>;
  text: string;
  /** The body as JSON; undefined if it is none. Check every value: it comes from outside. */
  json: unknown;
  /** When it arrived. */
  at: Date;
}

/** A request to a vendor: a JSON or a form body, or none. */
export interface Ask {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  json?: unknown;
  form?: URLSearchParams;
}

/** Sends one request. Throws NotSent or LostAnswer; any status is a response. */
export type Http = (ask: Ask) => Promise<Answer>;

/** The request did not leave: no address, no connection, no trust in the certificate. */
export class NotSent extends Error {
  override name = 'NotSent';
}

/** The request may have been carried out, but its response did not arrive. */
export class LostAnswer extends Error {
  override name = 'LostAnswer';
}

const TIMEOUT_MS = 15_000;
/** Responses with lists of choices are the largest. */
const MOST_BYTES = 1_000_000;

/** Makes the way to vendors: guarded against internal addresses, with a time limit, without redirects. */
export function createHttp(outbound: Outbound, clock: Clock): Http {
  return async ({ method = 'GET', url, headers, json, form }) => {
    const body = json !== undefined ? JSON.stringify(json) : form?.toString();
    const type = json !== undefined ? 'application/json' : 'application/x-www-form-urlencoded';
    try {
      const answer = await outbound.fetch(url, {
        method,
        headers: {
          accept: 'application/json',
          'user-agent': 'lead-delivery/1.0',
          ...(body === undefined ? {} : { 'content-type': type }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MOST_BYTES,
      });
      const text = answer.body.toString('utf8');
      return { status: answer.status, headers: answer.headers, text, json: parsed(text), at: clock.now() };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (UNSENT.has(error.code)) throw new NotSent(error.message);
      throw new LostAnswer(error.message);
    }
  };
}

/** A refused connection counts as lost as well: it also stands for one that broke after the request was written. */
const UNSENT = new Set<OutboundError['code']>(['refused_address', 'dns', 'tls', 'bad_url']);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value at a path of a response, or undefined. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

/** The text or number at a path, as text. */
export function textAt(value: unknown, ...path: (string | number)[]): string | undefined {
  const found = at(value, ...path);
  if (typeof found === 'string') return found || undefined;
  return typeof found === 'number' && Number.isFinite(found) ? String(found) : undefined;
}

/** The objects of a list at a path; none if there is no list. */
export function listAt(value: unknown, ...path: (string | number)[]): Record<string, unknown>[] {
  const found = at(value, ...path);
  if (!Array.isArray(found)) return [];
  return found.filter(
    (entry): entry is Record<string, unknown> => typeof entry === 'object' && entry !== null,
  );
}
