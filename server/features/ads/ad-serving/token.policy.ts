import { timingSafeEqual } from 'node:crypto';
import { hashToken, mac } from '../../../platform/crypto.ts';

const ID_BYTES = 16;
const PLACE_BYTES = 8;
const SIGN_BYTES = 16;
/** What passes have in common: an impression, when they end, and where they are good. */
const COMMON_BYTES = ID_BYTES + 4 + PLACE_BYTES;
/** What a view's pass has besides: root, campaign, and the price of the media. */
const VIEW_BYTES = 2 * ID_BYTES + 8;

const markOf = (place: string): Buffer => hashToken(place).subarray(0, PLACE_BYTES);
const zoneMark = (zoneId: string, host: string): Buffer => markOf(`${zoneId} ${host}`);

function writeId(id: string, into: Buffer, at: number): void {
  Buffer.from(id.replaceAll('-', ''), 'hex').copy(into, at);
}
function readId(from: Buffer, at: number): string {
  const hex = from.toString('hex', at, at + ID_BYTES);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const signOf = (key: Buffer, body: Buffer): Buffer =>
  mac(key, body.toString('base64url')).subarray(0, SIGN_BYTES);
const signed = (key: Buffer, body: Buffer): string =>
  Buffer.concat([body, signOf(key, body)]).toString('base64url');

/** The body of a token of this length that we signed, and when it ends; null if there is none, or its time is over. */
function bodyIn(key: Buffer, token: unknown, bytes: number, now: Date) {
  if (typeof token !== 'string' || token.length > 160) return null;
  const all = Buffer.from(token, 'base64url');
  if (all.length !== bytes + SIGN_BYTES) return null;
  const body = all.subarray(0, bytes);
  if (!timingSafeEqual(all.subarray(bytes), signOf(key, body))) return null;
  const expiresAt = new Date(body.readUInt32BE(ID_BYTES) * 1000);
  return expiresAt < now ? null : { body, expiresAt };
}

function commonOf(of: { impressionId: string; expiresAt: Date }, mark: Buffer, bytes: number): Buffer {
  const body = Buffer.alloc(bytes);
  writeId(of.impressionId, body, 0);
  body.writeUInt32BE(Math.floor(of.expiresAt.getTime() / 1000), ID_BYTES);
  mark.copy(body, ID_BYTES + 4);
  return body;
}
const isMarked = (body: Buffer, mark: Buffer): boolean =>
  mark.equals(body.subarray(ID_BYTES + 4, COMMON_BYTES));

/** What a token says. */
export interface Pass {
  impressionId: string;
  expiresAt: Date;
  /** Whether it was given to this zone on this host. */
  isOf: (zoneId: string, host: string) => boolean;
}

/** Signs what a page gets with an ad: for one impression, bound to its zone and the host that it was given to. */
export const passFor = (
  key: Buffer,
  of: { impressionId: string; zoneId: string; host: string; expiresAt: Date },
): string => signed(key, commonOf(of, zoneMark(of.zoneId, of.host), COMMON_BYTES));

/** Reads a token; null if we did not sign it, or its time is over. */
export function passIn(key: Buffer, token: unknown, now: Date): Pass | null {
  const found = bodyIn(key, token, COMMON_BYTES, now);
  if (!found) return null;
  const { body, expiresAt } = found;
  return {
    impressionId: readId(body, 0),
    expiresAt,
    isOf: (zoneId, host) => isMarked(body, zoneMark(zoneId, host)),
  };
}

/** What the notice of a view bills, so that it need not be looked up. */
export interface Due {
  impressionId: string;
  rootId: string;
  campaignId: string;
  /** The price of one impression's media, micro-dollars. */
  mediaMicros: bigint;
}

/** Signs what a page sends once an ad is in view, bound to the host that it was given to. */
export function viewPassFor(key: Buffer, of: Due & { host: string; expiresAt: Date }): string {
  const body = commonOf(of, markOf(of.host), COMMON_BYTES + VIEW_BYTES);
  writeId(of.rootId, body, COMMON_BYTES);
  writeId(of.campaignId, body, COMMON_BYTES + ID_BYTES);
  body.writeBigUInt64BE(of.mediaMicros, COMMON_BYTES + 2 * ID_BYTES);
  return signed(key, body);
}

/** Reads a view's token; null if we did not sign it, its time is over, or it was given to another host. */
export function viewIn(key: Buffer, token: unknown, host: string | null, now: Date): Due | null {
  const found = bodyIn(key, token, COMMON_BYTES + VIEW_BYTES, now);
  if (!found || host === null || !isMarked(found.body, markOf(host))) return null;
  const { body } = found;
  return {
    impressionId: readId(body, 0),
    rootId: readId(body, COMMON_BYTES),
    campaignId: readId(body, COMMON_BYTES + ID_BYTES),
    mediaMicros: body.readBigUInt64BE(COMMON_BYTES + 2 * ID_BYTES),
  };
}
