import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openStream, sealStream } from './seal-stream.ts';

const KEY = randomBytes(32);
const NAME = 'base/1.sealed';
const FRAME = 256 * 1024;

async function all(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}
/** In parts whose sizes have nothing to do with frames. */
async function* parts(whole: Buffer, size = 100_003): AsyncGenerator<Buffer> {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}
const sealed = (text: Buffer): Promise<Buffer> => all(sealStream(parts(text), KEY, NAME));
const opened = (text: Buffer, keys = [KEY], name = NAME): Promise<Buffer> =>
  all(openStream(parts(text), keys, name));

describe('[SCAL-01] a sealed stream', () => {
  test.each([0, 1, FRAME - 1, FRAME, FRAME + 1, 3 * FRAME])('of %i bytes opens as it was', async (size) => {
    const text = randomBytes(size);
    const made = await sealed(text);
    if (size > 100) expect(made.includes(text.subarray(0, 100))).toBe(false);
    expect((await opened(made, [randomBytes(32), KEY])).equals(text)).toBe(true);
  });

  test('does not open altered, cut off, extended, reordered, under another name, or with another key', async () => {
    const made = await sealed(randomBytes(2 * FRAME));
    const flipped = Buffer.from(made);
    flipped[FRAME] = flipped[FRAME]! ^ 1;
    const head = made.length - 2 * (FRAME + 16) - 16;
    const [first, second] = [0, 1].map((n) =>
      made.subarray(head + n * (FRAME + 16), head + (n + 1) * (FRAME + 16)),
    );
    for (const [what, bad] of [
      ['flipped', flipped],
      ['one byte short', made.subarray(0, -1)],
      ['without its last frame', made.subarray(0, -16)],
      ['one frame', made.subarray(0, head + FRAME + 16)],
      ['longer', Buffer.concat([made, Buffer.alloc(16)])],
      ['swapped', Buffer.concat([made.subarray(0, head), second!, first!, made.subarray(-16)])],
      ['only a head', made.subarray(0, head)],
      ['empty', Buffer.alloc(0)],
      ['something else', randomBytes(1000)],
    ] as const)
      await expect(opened(bad), what).rejects.toThrow(/altered or is not complete/);
    await expect(opened(made, [KEY], 'base/2.sealed')).rejects.toThrow(/altered/);
    await expect(opened(made, [randomBytes(32)])).rejects.toThrow(/^APP_KEY: .* is sealed with the key /);
  });
});
