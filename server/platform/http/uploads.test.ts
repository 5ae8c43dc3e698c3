import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { createUploads } from './uploads.ts';

const folder = mkdtempSync(join(tmpdir(), 'lead-uploads-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const client = (companyId: string) => ({ companyId, agencyId: 'agency' });

describe('[BEY-31] uploads in progress', () => {
  test('a company has three, an agency with all its clients twelve, counted before a body is read', async () => {
    const uploads = createUploads(folder);
    const first = await Promise.all([1, 2, 3].map(() => uploads.enter(client('a'), 10)));
    await expect(uploads.enter(client('a'), 10)).rejects.toMatchObject({ code: 'too_many', retryAfter: 10 });
    for (const one of ['b', 'c', 'd']) await Promise.all([1, 2, 3].map(() => uploads.enter(client(one), 10)));
    await expect(uploads.enter(client('e'), 10)).rejects.toMatchObject({ code: 'too_many' });
    await uploads.enter({ companyId: 'other', agencyId: 'other' }, 10);
    first[0]!();
    await uploads.enter(client('e'), 10);
  });

  test('none begins that would leave the disk without room, also with those that are still on their way', async () => {
    const uploads = createUploads(folder);
    const whole = Number.MAX_SAFE_INTEGER;
    const refused = { code: 'unavailable', retryAfter: 300 };
    await expect(uploads.enter(client('a'), whole)).rejects.toMatchObject(refused);
    const all = await Promise.allSettled([
      uploads.enter(client('a'), whole),
      uploads.enter(client('a'), whole),
      uploads.enter(client('a'), 1),
    ]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await uploads.enter(client('a'), undefined);
  });

  test('a body ends with an error if its sender may no longer send it', async () => {
    const body = (still: () => Promise<void>) =>
      createUploads(folder).bodyOf(
        Readable.from([Buffer.from('a'), Buffer.from('b')]) as IncomingMessage,
        still,
      );
    const read = async (from: AsyncIterable<Uint8Array>) => {
      let text = '';
      for await (const chunk of from) text += Buffer.from(chunk).toString();
      return text;
    };
    expect(await read(body(async () => {}))).toBe('ab');
    await expect(read(body(() => Promise.reject(new Error('gone'))))).rejects.toThrow('gone');
  });
});
