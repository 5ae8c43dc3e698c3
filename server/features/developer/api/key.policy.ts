import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  type ApiScope,
  type KEY_MODES,
  type KEY_STATES,
  SCOPE_NAMES,
} from '../../../../contract/developer/developer-rules.ts';

export type KeyMode = (typeof KEY_MODES)[number];
export type KeyState = (typeof KEY_STATES)[number];

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET = /^lps_(live|test)_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/;
const SUM_LETTERS = 6;

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = LETTERS[Number(rest % 62n)] + text;
  return text.padStart(length, '0');
}
const random = (bytes: number, length: number): string =>
  base62(BigInt(`0x${randomBytes(bytes).toString('hex')}`), length);

/** Returns the six-letter checksum by which a truncated or mistyped secret is detected without a database look-up. */
const sumOf = (text: string): string => base62(BigInt(crc32(text)), SUM_LETTERS);

/** A public name for a key: 128 random bits after a prefix that says what it is. */
export const newClientId = (mode: KeyMode): string => `lp_${mode}_${random(16, 22)}`;

/** A secret: a prefix that scanners know, 256 random bits and their checksum. */
export function newSecret(mode: KeyMode): string {
  const text = `lps_${mode}_${random(32, 43)}`;
  return text + sumOf(text);
}

/** Whether a text has the form and the checksum of a secret. */
export const isSecret = (text: string): boolean =>
  SECRET.test(text) && sumOf(text.slice(0, -SUM_LETTERS)) === text.slice(-SUM_LETTERS);

/** Returns the stored hash of a secret. 256 random bits need no slow hash. */
export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Returns the scopes of a row or token that still exist. */
export const scopesOf = (given: readonly string[]): ApiScope[] =>
  SCOPE_NAMES.filter((scope) => given.includes(scope));

/** The facts that a request with a key depends on. */
export interface KeyFacts {
  secret_hash: Buffer;
  generation: number;
  previous_hash: Buffer | null;
  previous_until: Date | null;
  expires_at: Date | null;
  disabled_at: Date | null;
  removed_at: Date | null;
  is_maker_there: boolean;
  is_company_there: boolean;
  api_mode: boolean;
  is_agreed: boolean;
  is_unpaid: boolean;
}

/**
 * Returns which of a key's secrets a hash belongs to; null if it is not a currently valid one. Both are compared, each
 * in constant time, so that nothing reveals how much of one was right.
 */
export function generationOf(key: KeyFacts, hash: Buffer, now: Date): number | null {
  const isPresent = timingSafeEqual(key.secret_hash, hash);
  const isPrevious = timingSafeEqual(key.previous_hash ?? Buffer.alloc(32), hash);
  if (isPresent) return key.generation;
  return isPrevious && isGood(key, key.generation - 1, now) ? key.generation - 1 : null;
}

/** Whether what was made with a given generation of a key's secret is still valid. */
export const isGood = (key: KeyFacts, generation: number, now: Date): boolean =>
  generation === key.generation ||
  (generation === key.generation - 1 && key.previous_until !== null && key.previous_until > now);

/** Returns the state of a key. @param mayMake whether its maker may still have keys */
export function stateOf(key: KeyFacts, mayMake: boolean, now: Date): KeyState {
  if (key.disabled_at || key.removed_at) return 'disabled';
  if (key.expires_at && key.expires_at <= now) return 'expired';
  if (!key.is_company_there || !key.api_mode || !key.is_agreed) return 'off';
  if (!key.is_maker_there || !mayMake) return 'orphaned';
  return key.is_unpaid ? 'unpaid' : 'active';
}

const DAY_MS = 86_400_000;
/** How many days before a key expires a warning is sent; 0 means it has expired. */
export const WARNINGS = [14, 3, 0] as const;

/** Returns the warning that is due for a key; null if there is none, or it was already sent. */
export function warningOf(
  key: { expires_at: Date | null; created_at: Date; warned_days: number | null },
  now: Date,
): number | null {
  if (!key.expires_at) return null;
  const left = (key.expires_at.getTime() - now.getTime()) / DAY_MS;
  const due = WARNINGS.findLast((days) => left <= days);
  if (due === undefined || (key.warned_days !== null && key.warned_days <= due)) return null;
  // A key made for less time than that needs no such warning.
  const life = (key.expires_at.getTime() - key.created_at.getTime()) / DAY_MS;
  return due > 0 && life <= due ? null : due;
}
