import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { mac } from '../../../platform/crypto.ts';

/** How long a code sent by email is valid. */
export const CODE_MS = 600_000;
/** Number of wrong codes that end a login. */
export const CODE_TRIES = 5;
/** How soon another code may be sent, and how many in total. */
export const RESEND_MS = 30_000;
export const CODES_SENT = 4;
const PERIOD = 30;
/** Number of recovery codes generated at a time. */
export const RECOVERY_CODES = 10;
/** The alphabet for recovery codes, without look-alike characters. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns a six-digit code. */
export const newCode = (): string => String(randomInt(1_000_000)).padStart(6, '0');

/** Returns a recovery code in the form users keep it, 50 bits: 'k7m2q-9x4tn'. */
export const newRecoveryCode = (): string =>
  [...randomBytes(10)].map((byte, at) => `${at === 5 ? '-' : ''}${LETTERS[byte & 31]}`).join('');

/** The form in which a recovery code is kept; `code` without its hyphen. */
export const recoveryMac = (key: Buffer, userId: string, code: string): Buffer =>
  mac(key, `${userId}.${code.replace('-', '')}`);

/** The form in which a login code is stored. */
export const codeMac = (key: Buffer, challengeId: string, code: string): Buffer =>
  mac(key, `${challengeId}.${code}`);

/** Whether the code matches the stored one. */
export const codeFits = (kept: Buffer | null, given: Buffer): boolean =>
  kept !== null && timingSafeEqual(kept, given);

/**
 * The secret that the server offers a person for an authenticator app: the same for one session until it is used, never
 * the same again. 160 bits, base32.
 */
export function offeredSecret(key: Buffer, userId: string, generation: number, sessionId: string): string {
  const bytes = mac(key, `${userId}.${generation}.${sessionId}`).subarray(0, 20);
  return new Secret({ buffer: new Uint8Array(bytes).buffer }).base32;
}

const totp = (secret: string, issuer = '', label = ''): TOTP =>
  new TOTP({
    secret: Secret.fromBase32(secret),
    issuer,
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD,
  });

/** The otpauth: address that an authenticator app reads from the QR image. */
export const secretUrl = (secret: string, issuer: string, label: string): string =>
  totp(secret, issuer.replaceAll(':', ' '), label.replaceAll(':', ' ')).toString();

/**
 * The 30-second step that a code belongs to: the present one or its neighbors, but none up to `after`, whose codes have
 * been used. Null when there is none.
 */
export function stepOf(secret: string, code: string, at: Date, after: bigint): bigint | null {
  const now = Math.floor(at.getTime() / 1000 / PERIOD);
  for (const step of [now, now - 1, now + 1]) {
    const genuine = Buffer.from(totp(secret).generate({ timestamp: step * PERIOD * 1000 }));
    const given = Buffer.from(code);
    if (genuine.length === given.length && timingSafeEqual(genuine, given) && BigInt(step) > after)
      return BigInt(step);
  }
  return null;
}

/** When the user must have a second factor (null: not required), and which ones they have. */
export interface FactorDuty {
  since: Date | null;
  kind: 'email' | 'google' | null;
  /** The hosts where their passkeys work. */
  passkeys: readonly string[];
}

/** Whether the user has a second factor of any kind. */
export const hasFactor = ({ kind, passkeys }: FactorDuty): boolean => kind !== null || passkeys.length > 0;

/** Whether the user's passkeys are their only way to meet a second-factor requirement, current or upcoming. */
export const areRequired = ({ since, kind, passkeys }: FactorDuty): boolean =>
  since !== null && kind === null && passkeys.length > 0;

/** Whether the user must have a second factor by now. */
export const isDue = ({ since }: FactorDuty, now: Date): boolean => since !== null && since <= now;

/** Enough of an address to recognize it: 'j***@acme.test'. */
export const maskedAddress = (address: string): string => address.replace(/^(.)[^@]*/u, '$1***');
