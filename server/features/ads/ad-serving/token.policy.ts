import { timingSafeEqual } from 'node:crypto';
import { hashToken, mac } from '../../../platform/crypto.ts';

const ID_BYTES = 16;
const PLACE_BYTES = 8;
const SIGN_BYTES = 16;
const ALL_BYTES = ID_BYTES + 4 + PLACE_BYTES + SIGN_BYTES;

const placeMark = (zoneId: string, host: string): Buffer =>
  hashToken(`${zoneId} ${host}`).subarray(0, PLACE_BYTES);

/** What a token says. */
export interface Pass {
  impressionId: string;
  expiresAt: Date;
  /** Whether it was given to this zone on this host. */
  isOf: (zoneId: string, host: string) => boolean;
}

/** Signs what a page gets with an ad: for one impression, bound to its zone and the host that it was given to. */
export function passFor(
  key: Buffer,
  of: { impressionId: string; zoneId: string; host: string; expiresAt: Date },
): string {
  const body = Buffer.alloc(ID_BYTES + 4 + PLACE_BYTES);
  Buffer.from(of.impressionId.replaceAll('-', ''), 'hex').copy(body);
  body.writeUInt32BE(Math.floor(of.expiresAt.getTime() / 1000), ID_BYTES);
  placeMark(of.zoneId, of.host).copy(body, ID_BYTES + 4);
  return Buffer.concat([body, mac(key, body.toString('base64url')).subarray(0, SIGN_BYTES)]).toString(
    'base64url',
  );
}

/** Reads a token; null if we did not sign it, or its time is over. */
export function passIn(key: Buffer, token: unknown, now: Date): Pass | null {
  if (typeof token !== 'string' || token.length > 80) return null;
  const all = Buffer.from(token, 'base64url');
  if (all.length !== ALL_BYTES) return null;
  const body = all.subarray(0, -SIGN_BYTES);
  if (
    !timingSafeEqual(all.subarray(-SIGN_BYTES), mac(key, body.toString('base64url')).subarray(0, SIGN_BYTES))
  )
    return null;
  const expiresAt = new Date(body.readUInt32BE(ID_BYTES) * 1000);
  if (expiresAt < now) return null;
  const hex = body.toString('hex', 0, ID_BYTES);
  return {
    impressionId: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
    expiresAt,
    isOf: (zoneId, host) => placeMark(zoneId, host).equals(body.subarray(ID_BYTES + 4)),
  };
}
