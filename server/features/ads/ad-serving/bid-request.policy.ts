import { hostOf } from '../../../../contract/campaigns/site-hosts.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { isOptedOut } from '../../../platform/gpp.ts';

/** The fields of a JSON object. */
type Fields = Readonly<Record<string, unknown>>;

const MOST_TEXT = 1_000;
const MOST_PIXELS = 10_000;

// A request is read by hand and not by a schema: this is what each request costs, and it has a few milliseconds.

const wrong = (at: string, name: string, rule: string): never => {
  throw new Refusal('bad_request', `${at}${name}: ${rule}`);
};
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The field of that name, if it is there; `null` is as if it were not. */
function fieldsIn(of: Fields, at: string, name: string): Fields | undefined {
  const value = of[name];
  if (value === undefined || value === null) return undefined;
  return isFields(value) ? value : wrong(at, name, 'must be an object');
}
function textIn(of: Fields, at: string, name: string, most = MOST_TEXT): string | undefined {
  const value = of[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') return wrong(at, name, 'must be text');
  return value.length <= most ? value : wrong(at, name, `must not exceed ${most} characters`);
}
function numberIn(of: Fields, at: string, name: string, least: number, most: number): number | undefined {
  const value = of[name];
  if (value === undefined || value === null) return undefined;
  return typeof value === 'number' && value >= least && value <= most
    ? value
    : wrong(at, name, `must be a number from ${least} to ${most.toLocaleString('en-US')}`);
}
function pixelsIn(of: Fields, at: string, name: string): number | undefined {
  const value = of[name];
  if (value === undefined || value === null) return undefined;
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_PIXELS
    ? (value as number)
    : wrong(at, name, `must be a whole number from 0 to ${MOST_PIXELS.toLocaleString('en-US')}`);
}
function flagIn(of: Fields, at: string, name: string): 0 | 1 | undefined {
  const value = of[name];
  if (value === undefined || value === null) return undefined;
  return value === 0 || value === 1 ? value : wrong(at, name, 'must be 0 or 1');
}
function listIn(of: Fields, at: string, name: string, most: number): readonly unknown[] | undefined {
  const value = of[name];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) return wrong(at, name, 'must be a list');
  return value.length <= most
    ? value
    : wrong(at, name, `must not have more than ${most.toLocaleString('en-US')} entries`);
}
function textsIn(of: Fields, name: string, most: number): readonly string[] | undefined {
  const list = listIn(of, '', name, most);
  for (const [n, one] of list?.entries() ?? [])
    if (typeof one !== 'string' || one.length > MOST_TEXT)
      wrong('', `${name}.${n}`, `must be text of up to ${MOST_TEXT} characters`);
  return list as readonly string[] | undefined;
}
/** The objects of a list, each with where it is. */
function eachIn(of: Fields, at: string, name: string, most: number): [fields: Fields, at: string][] {
  return (listIn(of, at, name, most) ?? []).map((one, n) =>
    isFields(one) ? [one, `${at}${name}.${n}.`] : wrong(at, `${name}.${n}`, 'must be an object'),
  );
}
function idIn(of: Fields, at: string): string {
  const id = textIn(of, at, 'id', 255);
  return id === undefined || id === '' ? wrong(at, 'id', 'is required') : id;
}

/** A host as sites are named, which a URL would only repeat. */
const PLAIN_HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/;
/** What hosts consist of, so that they may be part of an address as they are. */
const HOST = /^[a-z0-9._-]{1,253}$/;

/** The host of a site; null if it tells none. */
function placeIn(domain: string | undefined, page: string | undefined): string | null {
  if (domain && domain.length <= 253 && PLAIN_HOST.test(domain) && !domain.includes('xn--')) return domain;
  const host = (domain && hostOf(`https://${domain}`)) || (page && hostOf(page));
  return host && HOST.test(host) ? host : null;
}

const NONE: ReadonlySet<string> = new Set();

/** A place on a page that may be bid for. */
export interface Slot {
  id: string;
  sizes: readonly [w: number, h: number][];
  /** Dollars for 1,000. */
  floor: number;
  isSecure: boolean;
}

/** A bid request as the bidder needs it. */
export interface Asked {
  id: string;
  /** Milliseconds in which the exchange wants its answer; null: it does not say. */
  tmax: number | null;
  slots: readonly Slot[];
  /** The host of the site. */
  place: string;
  geo: {
    state: string | null;
    city: string | null;
    zip: string | null;
    lat: number | null;
    lon: number | null;
  };
  /** Whether its viewer may be told apart from others: counted, and looked up in audiences. */
  isRemembered: boolean;
  ua: string;
  ip: string | null;
  ifa: string | null;
  userId: string | null;
  eids: readonly { source: string; id: string }[];
  blocked: ReadonlySet<string>;
  /** Seats that may bid, if only some may, and those that may not. */
  allowedSeats: ReadonlySet<string> | null;
  blockedSeats: ReadonlySet<string>;
}

/** Why a request gets no bid, whatever campaigns there are. */
export type NoBid = 'test' | 'child' | 'abroad' | 'currency' | 'no_banner' | 'no_site';

/**
 * Reads a bid request. A string says why no one may bid for it. Whoever asks not to be tracked, by whatever signal, is not
 * remembered.
 * @throws Refusal 400 naming the first field that is wrong
 */
export function readBidRequest(body: unknown): Asked | NoBid {
  if (!isFields(body)) return wrong('', 'body', 'must be an object');
  const id = idIn(body, '');
  const test = flagIn(body, '', 'test');
  const tmax = numberIn(body, '', 'tmax', 1, 60_000);
  const cur = textsIn(body, 'cur', 200);
  const slots: Slot[] = [];
  const imps = eachIn(body, '', 'imp', 50);
  if (imps.length === 0) wrong('', 'imp', 'must have at least one impression');
  for (const [imp, at] of imps) {
    const impId = idIn(imp, at);
    const floor = numberIn(imp, at, 'bidfloor', 0, 1_000_000) ?? 0;
    const floorCurrency = textIn(imp, at, 'bidfloorcur', 10) ?? 'USD';
    const isSecure = flagIn(imp, at, 'secure') === 1;
    const banner = fieldsIn(imp, at, 'banner');
    if (!banner) continue;
    const sizes: [number, number][] = [];
    const add = (of: Fields, where: string) => {
      const [w, h] = [pixelsIn(of, where, 'w'), pixelsIn(of, where, 'h')];
      if (w && h) sizes.push([w, h]);
    };
    for (const [format, where] of eachIn(banner, `${at}banner.`, 'format', 50)) add(format, where);
    add(banner, `${at}banner.`);
    if (sizes.length > 0 && floorCurrency === 'USD') slots.push({ id: impId, sizes, floor, isSecure });
  }
  const site = fieldsIn(body, '', 'site');
  const domain = site && textIn(site, 'site.', 'domain');
  const page = site && textIn(site, 'site.', 'page', 4_000);
  const device = fieldsIn(body, '', 'device') ?? {};
  const ua = textIn(device, 'device.', 'ua', 2_000) ?? '';
  const ip = textIn(device, 'device.', 'ip') ?? textIn(device, 'device.', 'ipv6') ?? null;
  const ifa = textIn(device, 'device.', 'ifa') ?? null;
  const dnt = flagIn(device, 'device.', 'dnt');
  const lmt = flagIn(device, 'device.', 'lmt');
  const geo = fieldsIn(device, 'device.', 'geo') ?? {};
  const country = textIn(geo, 'device.geo.', 'country', 10);
  const region = textIn(geo, 'device.geo.', 'region', 20)?.replace(/^US-/i, '').toUpperCase();
  const city = textIn(geo, 'device.geo.', 'city') ?? null;
  const zip = textIn(geo, 'device.geo.', 'zip', 20)?.slice(0, 5) ?? null;
  const lat = numberIn(geo, 'device.geo.', 'lat', -90, 90) ?? null;
  const lon = numberIn(geo, 'device.geo.', 'lon', -180, 180) ?? null;
  const user = fieldsIn(body, '', 'user') ?? {};
  const userId = textIn(user, 'user.', 'id') ?? null;
  const eids: { source: string; id: string }[] = [];
  for (const [eid, at] of eachIn(user, 'user.', 'eids', 50)) {
    const source = textIn(eid, at, 'source');
    for (const [uid, where] of eachIn(eid, at, 'uids', 20)) {
      const one = textIn(uid, where, 'id');
      if (source && one) eids.push({ source, id: one });
    }
  }
  const regs = fieldsIn(body, '', 'regs') ?? {};
  const more = fieldsIn(regs, 'regs.', 'ext') ?? {};
  const coppa = flagIn(regs, 'regs.', 'coppa');
  const isGdpr = [flagIn(regs, 'regs.', 'gdpr'), flagIn(more, 'regs.ext.', 'gdpr')].includes(1);
  const privacies = [textIn(regs, 'regs.', 'us_privacy', 20), textIn(more, 'regs.ext.', 'us_privacy', 20)];
  const privacy = privacies[0] ?? privacies[1];
  const gpp = textIn(regs, 'regs.', 'gpp', 10_000);
  const badv = textsIn(body, 'badv', 10_000);
  const wseat = textsIn(body, 'wseat', 1_000);
  const bseat = textsIn(body, 'bseat', 1_000);

  if (test === 1) return 'test';
  if (coppa === 1) return 'child';
  if (country !== 'USA' || isGdpr) return 'abroad';
  if (cur && !cur.includes('USD')) return 'currency';
  if (slots.length === 0) return 'no_banner';
  const place = placeIn(domain, page);
  if (!place) return 'no_site';
  return {
    id,
    tmax: tmax ?? null,
    slots,
    place,
    geo: { state: region && /^[A-Z]{2}$/.test(region) ? region : null, city, zip, lat, lon },
    isRemembered: !(
      dnt === 1 ||
      lmt === 1 ||
      privacy?.[2]?.toUpperCase() === 'Y' ||
      isOptedOut(gpp) ||
      more.gpc === 1 ||
      more.gpc === '1'
    ),
    ua: ua.slice(0, 300),
    ip,
    ifa,
    userId,
    eids,
    blocked: badv ? new Set(badv) : NONE,
    allowedSeats: wseat && wseat.length > 0 ? new Set(wseat) : null,
    blockedSeats: bseat ? new Set(bseat) : NONE,
  };
}
