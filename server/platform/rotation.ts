import { timingSafeEqual } from 'node:crypto';
import { mac } from './crypto.ts';

// Refresh tokens as families: each is used once and replaced by its successor. None is stored: the n-th token of a family
// is derived from the family's id and n, so a stolen database holds none, and a repeated request can be given the very
// same successor, never a second one.

/** The n-th token of a family. */
export function rotatingToken(key: Buffer, family: string, generation: number): string {
  return `${family}.${generation}.${mac(key, `${family}.${generation}`).toString('base64url')}`;
}

/** Reads a token; null when it is not one of ours. */
export function readRotating(key: Buffer, token: string): { family: string; generation: number } | null {
  const [, family, digits] = /^([0-9a-f-]{36})\.(\d{1,9})\.[\w-]{43}$/.exec(token) ?? [];
  if (!family || digits === undefined) return null;
  const genuine = Buffer.from(rotatingToken(key, family, Number(digits)));
  const given = Buffer.from(token);
  return genuine.length === given.length && timingSafeEqual(genuine, given)
    ? { family, generation: Number(digits) }
    : null;
}

/**
 * What a presented token is: the present one is rotated; the one before is a repeated request for `graceMs`, as long as
 * its successor has not been used; any other was used twice, whenever that was, and must end the family.
 */
export function rotation(
  family: { generation: number; rotatedAt: Date },
  presented: number,
  now: Date,
  graceMs: number,
): 'rotate' | 'repeat' | 'reuse' {
  if (presented === family.generation) return 'rotate';
  const isRecent = now.getTime() - family.rotatedAt.getTime() <= graceMs;
  return presented === family.generation - 1 && isRecent ? 'repeat' : 'reuse';
}
