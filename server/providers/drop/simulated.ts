import { createHash } from 'node:crypto';
import { strToU8, zipSync } from 'fflate';
import type { DeletionPlatform } from '../../platform/deletion-platform.ts';

/** Someone made up, who is on the simulated lists. */
export const simulatedEmail = (n: number): string => `drop-sandbox-${n}@example.com`;
export const simulatedPhone = (n: number): string => `+1213555${String(100 + n).padStart(4, '0')}`;

const digest = (text: string): string => createHash('sha256').update(text).digest('base64');
/** A permanent ID of 12 characters. */
const idOf = (list: string, n: number): string =>
  createHash('sha256').update(`${list} ${n}`).digest('hex').slice(0, 12);
const csv = (header: string, rows: readonly string[]): Uint8Array =>
  strToU8([header, ...rows, ''].join('\n'));
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

/**
 * A stand-in for California's service that exchanges nothing with anyone: lists of made-up people, whose addresses and
 * numbers are nobody's. The first download has most of them, the second two more and one who withdrew, and then there is
 * nothing new. `isOpen`: the last download is not answered yet.
 */
export const createSimulatedDrop = (past: {
  downloads: number;
  isOpen: boolean;
  now: Date;
}): DeletionPlatform => ({
  async download() {
    if (past.isOpen) return { kind: 'open' };
    if (past.downloads > 1) return { kind: 'nothing' };
    const base = `${past.now.toISOString().slice(0, 10).replaceAll('-', '')}_0000`;
    const [emails, phones] = past.downloads === 0 ? [range(1, 12), range(1, 8)] : [range(13, 14), []];
    const row = (list: string, n: number, text: string): string => `${idOf(list, n)},${digest(text)}`;
    const email = (n: number): string => row('Email', n, simulatedEmail(n));
    const archive = zipSync({
      [`${base}_Email.csv`]: csv('ID,Hash', emails.map(email)),
      [`${base}_Phone.csv`]: csv(
        'ID,Hash',
        phones.map((n) => row('Phone', n, simulatedPhone(n).slice(-10))),
      ),
      ...(past.downloads === 1
        ? { [`${base}_Removed.csv`]: csv('ID,Hash,ListType', [`${email(12)},Email`]) }
        : {}),
    });
    return { kind: 'zip', name: `${base}_DROP.zip`, bytes: one(archive) };
  },
  answer: async (files) => ({ accepted: files.map((file) => file.name), rejected: [] }),
});

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
