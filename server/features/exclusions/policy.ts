import { hash } from 'node:crypto';

/** Kinds of an exclusion's value; 1 and 3 are those of the identity keys. */
export const KIND = { sha256: 1, md5: 3, phone: 6, domain: 8 } as const;

/** What a list's row says, as it is compared: a plain address by both hashes. Null when it is none of the kinds. */
export function readRow(text: string): { kind: number; value: Buffer }[] | null {
  const value = text
    .trim()
    .replace(/^["']|["']$/g, '')
    .trim()
    .toLowerCase();
  if (value.length > 320) return null; // longer than any address, and the patterns below take their time over dots
  if (/^[0-9a-f]{64}$/.test(value)) return [{ kind: KIND.sha256, value: Buffer.from(value, 'hex') }];
  if (/^[0-9a-f]{32}$/.test(value)) return [{ kind: KIND.md5, value: Buffer.from(value, 'hex') }];
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) {
    return [
      { kind: KIND.sha256, value: hash('sha256', value, 'buffer') },
      { kind: KIND.md5, value: hash('md5', value, 'buffer') },
    ];
  }
  if (/^\+\d{8,15}$/.test(value)) return [{ kind: KIND.phone, value: Buffer.from(value) }];
  if (/^@?([a-z0-9-]+\.)+[a-z]{2,}$/.test(value))
    return [{ kind: KIND.domain, value: Buffer.from(value.replace(/^@/, '')) }];
  return null;
}
