import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Spool, type SpoolOptions } from './spool.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lead-spool-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const bytes = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text));
const segments = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.spool'));
const fileOf = (): string => join(folder, segments()[0]!);

/** Everything that waits, taken out in steps of one record. */
async function takeAll(spool: Spool, most = 1): Promise<string[]> {
  const all: string[] = [];
  for (let batch = await spool.next(most); batch; batch = await spool.next(most)) {
    all.push(...batch.payloads.map(String));
    await spool.done(batch);
  }
  return all;
}

/** Fills a spool, closes it, changes its file, and returns what is read from it then. */
async function reread(texts: string[], change: (file: Buffer) => Buffer) {
  const spool = await Spool.open(folder);
  for (const text of texts) await spool.append(bytes(text));
  await spool.close();
  writeFileSync(fileOf(), change(readFileSync(fileOf())));
  const damages: string[] = [];
  const again = await Spool.open(folder, { onDamage: ({ why }) => damages.push(why) });
  const read = await takeAll(again);
  const state = again.state();
  await again.close();
  return { read, damages, state };
}

describe('[BEY-29] the spool', () => {
  test('keeps records in order, over a restart, and forgets what is done with its segment', async () => {
    const options: SpoolOptions = { segmentBytes: 200 };
    const first = await Spool.open(folder, options);
    const texts = Array.from({ length: 40 }, (_, i) => `record ${i} ${'x'.repeat(i)}`);
    await Promise.all(texts.slice(0, 20).map((text) => first.append(bytes(text))));
    for (const text of texts.slice(20)) await first.append(bytes(text));
    expect(segments().length).toBeGreaterThan(3);
    const batch = (await first.next(60))!;
    await first.done(batch);
    const rest = texts.slice(batch.payloads.length);
    expect(first.state().records).toBe(rest.length);
    await first.close();

    const second = await Spool.open(folder, options);
    expect(second.state()).toMatchObject({ records: rest.length, damaged: 0 });
    expect(second.state().oldest).toBeGreaterThan(0);
    await second.append(bytes('new'));
    expect(await takeAll(second, 100)).toEqual([...rest, 'new']);
    expect(second.state()).toEqual({ records: 0, bytes: 0, oldest: null, damaged: 0 });
    expect(segments().length).toBeLessThanOrEqual(2);
    await second.append(bytes('later'));
    expect(await takeAll(second)).toEqual(['later']);
    await second.close();
  });

  test('what was taken but not done is there again after a crash', async () => {
    const spool = await Spool.open(folder);
    await spool.append(bytes('a', 'b', 'c'));
    expect((await spool.next(1000))!.payloads.map(String)).toEqual(['a', 'b', 'c']);
    const again = await Spool.open(folder);
    expect(await takeAll(again)).toEqual(['a', 'b', 'c']);
    await again.close();
    await spool.close();
  });

  test('one flipped bit anywhere costs no more than the record that it is in, and never goes unnoticed', async () => {
    const texts = ['first', 'second one', '', 'the fourth'];
    const spool = await Spool.open(folder);
    for (const text of texts) await spool.append(bytes(text));
    await spool.close();
    const whole = readFileSync(fileOf());
    const name = segments()[0]!;
    for (let at = 0; at < whole.length; at++) {
      rmSync(folder, { recursive: true });
      const fresh = await Spool.open(folder);
      await fresh.close();
      const changed = Buffer.from(whole);
      changed[at]! ^= 1 << (at % 8);
      writeFileSync(join(folder, name), changed);
      const again = await Spool.open(folder);
      const read = await takeAll(again, 1000);
      await again.close();
      const missing = texts.filter((text) => !read.includes(text));
      expect([at, missing.length, again.state().damaged]).toEqual([at, 1, 1]);
      expect(read).toEqual(texts.filter((text) => text !== missing[0]));
    }
  });

  test('a file torn in the middle: what is whole before and behind is read, the rest is put aside', async () => {
    const texts = Array.from({ length: 30 }, (_, i) => `record ${i} of thirty`);
    const { read, damages, state } = await reread(texts, (file) =>
      Buffer.concat([file.subarray(0, file.length / 3), file.subarray(file.length / 2)]),
    );
    expect(damages).toHaveLength(1);
    expect(state.damaged).toBe(1);
    expect(read.length).toBeGreaterThan(22);
    expect(read).toEqual(texts.filter((text) => read.includes(text)));
    const kept = readdirSync(join(folder, 'damaged'));
    expect(kept).toHaveLength(1);
    expect(readFileSync(join(folder, 'damaged', kept[0]!)).length).toBeGreaterThan(0);
  });

  test('a hole of zeros in the middle is the same', async () => {
    const { read, damages } = await reread(['one', 'two', 'three'], (file) => file.fill(0, 30, 40));
    expect([read, damages.length]).toEqual([['one', 'three'], 1]);
  });

  test('a record that was torn while it was written was never acknowledged, and is no damage', async () => {
    for (const cut of [1, 5, 26]) {
      rmSync(folder, { recursive: true, force: true });
      const { read, damages } = await reread(['kept', 'torn'], (file) => file.subarray(0, file.length - cut));
      expect([cut, read, damages]).toEqual([cut, ['kept'], []]);
    }
  });

  test('a full disk: the append fails, nothing of it is there, and it goes on when there is room', async () => {
    let isFull = false;
    const spool = await Spool.open(folder, {
      async needRoom() {
        if (isFull) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
      },
    });
    await spool.append(bytes('before'));
    isFull = true;
    await expect(spool.append(bytes('refused'))).rejects.toMatchObject({ code: 'ENOSPC' });
    isFull = false;
    await spool.append(bytes('after'));
    expect(await takeAll(spool)).toEqual(['before', 'after']);
    await spool.close();
  });

  test('a write that fails halfway, or a flush that fails, is not acknowledged and spoils nothing', async () => {
    const probe = await open(join(folder, 'probe'), 'w');
    const prototype = Object.getPrototypeOf(probe) as typeof probe;
    await probe.close();
    const spool = await Spool.open(folder);
    await spool.append(bytes('one'));
    const whole = prototype.write;
    vi.spyOn(prototype, 'write').mockImplementationOnce(async function (
      this: typeof probe,
      ...given: unknown[]
    ) {
      const [buffer, , , at] = given as [Buffer, number, number, number];
      await (whole as (...all: unknown[]) => Promise<unknown>).call(this, buffer, 0, 10, at);
      throw Object.assign(new Error('disk full'), { code: 'ENOSPC' });
    } as never);
    await expect(spool.append(bytes('half'))).rejects.toMatchObject({ code: 'ENOSPC' });
    await spool.append(bytes('two'));
    vi.spyOn(prototype, 'datasync').mockRejectedValueOnce(Object.assign(new Error('I/O'), { code: 'EIO' }));
    await expect(spool.append(bytes('unsure'))).rejects.toThrow('I/O');
    await spool.append(bytes('three'));
    expect(await takeAll(spool)).toEqual(['one', 'two', 'three']);
    expect(spool.state().damaged).toBe(0);
    await spool.close();
  });

  test('records larger than what is read at a time', async () => {
    const spool = await Spool.open(folder);
    const large = 'x'.repeat(3 * 1024 * 1024);
    await spool.append(bytes('small', large, 'last'));
    expect(await takeAll(spool)).toEqual(['small', large, 'last']);
    await spool.close();
  });
});
