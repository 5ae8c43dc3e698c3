import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { readFileApart } from './file-thread.ts';
import { askThread, ThreadFailed, ThreadLost } from './thread.ts';

const folder = mkdtempSync(join(tmpdir(), 'lead-thread-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const library = pathToFileURL(join(import.meta.dirname, 'thread.ts')).href;
let scripts = 0;
const script = (work: string): URL => {
  const path = join(folder, `work${scripts++}.mjs`);
  writeFileSync(path, `import { serveThread } from ${JSON.stringify(library)};\nserveThread(${work});\n`);
  return pathToFileURL(path);
};
const bounds = { answerMs: 20_000, memoryMb: 64 };
const all = async <T>(answers: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const one of answers) found.push(one);
  return found;
};

describe('[BEY-31] work in a thread of its own', () => {
  test('answers one by one, and knows what it was asked with', async () => {
    const work = script(
      'async function* (task, asked) { for (let i = 0; i < 3; i++) yield [task.name, i, asked()]; }',
    );
    let question = 10;
    expect(await all(askThread(work, { name: 'a' }, bounds, () => question++))).toEqual([
      ['a', 0, 10],
      ['a', 1, 11],
      ['a', 2, 12],
    ]);
  });

  test('is ended when it does not answer, whatever it does, and when its memory is full', async () => {
    const endless = script('async function* () { yield 1; for (;;); }');
    const lost = (why: string) => expect.objectContaining({ name: 'ThreadLost', why });
    await expect(all(askThread(endless, null, { ...bounds, answerMs: 2_000 }))).rejects.toEqual(lost('time'));
    const greedy = script('async function* () { const all = []; for (;;) all.push({ a: [all.length] }); }');
    await expect(all(askThread(greedy, null, bounds))).rejects.toEqual(lost('memory'));
    const buffers = script(
      'async function* () { const all = []; for (;;) all.push(new Uint8Array(4_000_000).fill(1)); }',
    );
    await expect(all(askThread(buffers, null, bounds))).rejects.toEqual(lost('memory'));
    const gone = script('async function* () { process.exit(3); }');
    await expect(all(askThread(gone, null, bounds))).rejects.toEqual(lost('ended'));
    expect(new ThreadLost('time')).toBeInstanceOf(Error);
  });

  test('what it throws comes over with its name; a file that is at fault is a FileFault', async () => {
    const failing = script('async function* () { throw new TypeError("no"); }');
    await expect(all(askThread(failing, null, bounds))).rejects.toMatchObject({
      kind: 'TypeError',
      message: 'no',
    });
    const faulty = script(
      'async function* () { throw Object.assign(new Error("Line 3."), { name: "FileFault" }); }',
    );
    await expect(all(readFileApart(faulty, null, { ...bounds, what: 'CSV' }))).rejects.toMatchObject({
      name: 'FileFault',
      message: 'Line 3.',
    });
    await expect(all(readFileApart(failing, null, { ...bounds, what: 'CSV' }))).rejects.toBeInstanceOf(
      ThreadFailed,
    );
    const endless = script('async function* () { for (;;); }');
    await expect(
      all(readFileApart(endless, null, { ...bounds, answerMs: 1_000, what: 'CSV' })),
    ).rejects.toMatchObject({ name: 'FileFault', message: expect.stringContaining('takes too long') });
  });

  test('ends with whoever asks it', async () => {
    const work = script('async function* () { for (let i = 0; ; i++) yield i; }');
    const answers = askThread<number>(work, null, bounds);
    expect((await answers.next()).value).toBe(0);
    await answers.return(undefined);
    expect(await answers.next()).toEqual({ done: true, value: undefined });
  });
});
