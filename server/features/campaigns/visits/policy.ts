import { isbot } from 'isbot';
import { hostOf, isSite, type Sites } from '../../../../contract/campaigns/site-hosts.ts';
import { idTime } from '../../../platform/ids.ts';

/** An event as the pixel sends it (pixel/README.md), already checked. */
export interface VisitEvent {
  id: string;
  day: string;
  visitorId: string | null;
  hashKind: 1 | 2 | 3 | null;
  hash: Buffer | null;
  url: string | null;
  referrer: string | null;
  title: string | null;
  event: string;
  gpc: boolean;
}

export const MAX_BODY = 64 * 1024;
export const MAX_EVENTS = 20;
/** How many characters of each text are kept. Longer addresses are made of tracking parameters, or made up. */
const LONGEST = { url: 1024, referrer: 512, title: 200, userAgent: 300 };
/** What a visit takes in the log besides its texts: its row, its keys and their index entries. */
const ROW_BYTES = 300;
const DAY_MS = 86_400_000;
const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);
const EVENTS = new Set(['view', 'identify', 'thanks']);
const HASHES = [
  ['h', 1, 64],
  ['s', 2, 40],
  ['m', 3, 32],
] as const;

/** Whether a visitor is a known crawler or sends no user agent (the maintained list of the isbot package). */
export const isBot = (userAgent: string): boolean =>
  userAgent === '' || isbot(userAgent) || MORE_BOTS.test(userAgent);
/** Crawlers that identify as a browser and append their own name, which the list does not recognize. */
const MORE_BOTS = /\bslurp\b/i;

/**
 * Returns a text of at most `most` characters, without characters that PostgreSQL cannot store; null if it is not a
 * valid text.
 */
function text(value: unknown, most: number): string | null {
  return typeof value === 'string' && value !== ''
    ? value.slice(0, most).replaceAll('\0', '').toWellFormed()
    : null;
}

/**
 * Reads one event, or returns a string saying why it is bad: 'bad_event' is malformed, 'bad_time' is more than a day
 * from now according to its own id. Under a privacy signal, everything that could identify the visitor is left out.
 */
export function readEvent(
  raw: unknown,
  now: number,
  isPrivate: boolean,
): VisitEvent | 'bad_event' | 'bad_time' {
  if (typeof raw !== 'object' || raw === null) return 'bad_event';
  const e = raw as Record<string, unknown>;
  const { i, v, n } = e;
  if (typeof i !== 'string' || !UUID7.test(i)) return 'bad_event';
  if (v !== undefined && !isUuid(v)) return 'bad_event';
  if (n !== undefined && !EVENTS.has(n as string)) return 'bad_event';
  if (typeof e.u !== 'string' || !/^https?:\/\//.test(e.u)) return 'bad_event';
  const at = idTime(i);
  if (Math.abs(now - at) > DAY_MS) return 'bad_time';
  const gpc = isPrivate || e.g === 1;
  let hash: Buffer | null = null;
  let hashKind: 1 | 2 | 3 | null = null;
  for (const [name, kind, length] of HASHES) {
    const value = e[name];
    if (value === undefined || hash) continue;
    if (typeof value !== 'string' || value.length !== length || !/^[0-9a-f]+$/i.test(value))
      return 'bad_event';
    hash = Buffer.from(value, 'hex');
    hashKind = kind;
  }
  return {
    id: i,
    day: new Date(at).toISOString().slice(0, 10),
    visitorId: gpc ? null : (v ?? null),
    hashKind: gpc ? null : hashKind,
    hash: gpc ? null : hash,
    url: text(e.u, LONGEST.url),
    referrer: text(e.r, LONGEST.referrer),
    title: text(e.t, LONGEST.title),
    event: (n as string | undefined) ?? 'view',
    gpc,
  };
}

/** What is kept of a user agent. */
export const agentOf = (header: string): string => text(header, LONGEST.userAgent) ?? '';

/** About how many bytes of the log a visit takes. */
export const bytesOf = (visit: Pick<VisitEvent, 'url' | 'referrer' | 'title'>, userAgent: string): number =>
  ROW_BYTES +
  [visit.url, visit.referrer, visit.title, userAgent].reduce(
    (sum, one) => sum + (one ? Buffer.byteLength(one) : 0),
    0,
  );

/**
 * Returns why a visit does not come from one of a campaign's sites; null if it does. Browsers send `Origin` with every
 * POST to another host, and `null` if a page hides its origin. `host`: the foreign host, null if unknown.
 */
export function foreignHost(
  sites: Sites,
  origin: string,
  url: string | null,
): { reason: 'foreign_origin' | 'foreign_page'; host: string | null } | null {
  const from = hostOf(origin);
  if (!from || !isSite(sites, from)) return { reason: 'foreign_origin', host: shown(from) };
  const page = url && hostOf(url);
  if (!page || !isSite(sites, page)) return { reason: 'foreign_page', host: shown(page) };
  return null;
}

/** Returns a host that is safe to show and store; null for anything else that is sent as one. */
const shown = (host: string | null): string | null =>
  host && host.length <= 253 && /^[a-z0-9._-]+$/.test(host) ? host : null;
