import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startS3 } from '../test/s3-server.ts';
import { systemClock } from './clock.ts';
import { contentOf, FileMissing, type Files, FilesAway } from './files.ts';
import { openFiles } from './open-files.ts';

let s3: Awaited<ReturnType<typeof startS3>>;
const folders: string[] = [];
const newFolder = (): string => {
  folders.push(mkdtempSync(join(tmpdir(), 'lead-files-')));
  return folders.at(-1)!;
};
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(async () => {
  await s3.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const put = (files: Files, name: string, text: string | Buffer): void => {
  mkdirSync(dirname(files.pathOf(name)), { recursive: true });
  writeFileSync(files.pathOf(name), text);
};
const NAME = 'imports/0198.csv';

describe.each(['disk', 's3'] as const)('[SCAL-01] files in %s', (form) => {
  /** Two hosts: with a disk they share it, with a bucket they do not. */
  async function hosts(): Promise<[Files, Files]> {
    const shared = newFolder();
    const of = (dataDir: string) =>
      openFiles({ dataDir, s3: form === 's3' ? s3.settings : undefined }, systemClock);
    const both: [Files, Files] = [await of(shared), await of(form === 's3' ? newFolder() : shared)];
    for (const one of both) await one.start();
    return both;
  }

  test('what one host keeps, another gets, until it is removed', async () => {
    const [web, worker] = await hosts();
    put(web, NAME, 'email\nada@example.com\n');
    await web.keep(NAME);
    expect(await worker.has(NAME)).toBe(true);
    const paths = await Promise.all([worker.get(NAME), worker.get(NAME)]);
    expect(new Set(paths)).toEqual(new Set([worker.pathOf(NAME)]));
    expect(readFileSync(paths[0], 'utf8')).toBe('email\nada@example.com\n');
    const names = [NAME, 'imports/a/1', 'imports/a/2'];
    for (const name of names.slice(1)) {
      put(web, name, 'x');
      await web.keep(name);
    }
    expect((await worker.list('imports')).sort()).toEqual(names);
    expect(await worker.list('import')).toEqual([]);
    await worker.remove(NAME);
    await worker.remove(NAME);
    expect(await worker.has(NAME)).toBe(false);
    expect(existsSync(worker.pathOf(NAME))).toBe(false);
    await expect(worker.get(NAME)).rejects.toBeInstanceOf(FileMissing);
    for (const one of [web, worker]) one.stop();
  });
});

describe('[SCAL-01] a bucket', () => {
  const open = (dataDir = newFolder(), more = {}) =>
    openFiles({ dataDir, s3: { ...s3.settings, ...more } }, systemClock);

  test('large files go there in parts', async () => {
    const [web, worker] = [await open(), await open()];
    const content = Buffer.alloc(40 * 1024 ** 2, 'lead');
    put(web, NAME, content);
    s3.asked.length = 0;
    await web.keep(NAME);
    expect(s3.asked.filter((one) => one === `PUT leads/${NAME}`)).toHaveLength(3);
    expect(s3.uploads.size).toBe(0);
    expect(readFileSync(await worker.get(NAME)).equals(content)).toBe(true);
    await worker.remove(NAME);
    for (const one of [web, worker]) one.stop();
  });

  test('a copy on this host is not asked for again, and is removed a day after its last use', async () => {
    const folder = newFolder();
    const [web, worker] = [await open(), await open(folder)];
    put(web, NAME, 'x');
    await web.keep(NAME);
    await worker.get(NAME);
    s3.asked.length = 0;
    await worker.get(NAME);
    expect(s3.asked).toEqual([]);
    const old = new Date(systemClock.now().getTime() - 25 * 3_600_000);
    utimesSync(worker.pathOf(NAME), old, old);
    const next = await open(folder);
    await next.start();
    expect(existsSync(next.pathOf(NAME))).toBe(false);
    expect(readFileSync(await next.get(NAME), 'utf8')).toBe('x');
    for (const one of [web, worker, next]) one.stop();
  });

  test('if it refuses, or stops in the middle, that is said, and nothing half stays', async () => {
    const [web, worker] = [await open(), await open()];
    put(web, NAME, 'y'.repeat(100_000));
    s3.set('refusing');
    await expect(web.keep(NAME)).rejects.toBeInstanceOf(FilesAway);
    await expect(web.has(NAME)).rejects.toBeInstanceOf(FilesAway);
    await expect(web.start()).rejects.toThrow(/^S3_BUCKET: the bucket lead-files cannot be used/);
    s3.set('fine');
    await web.keep(NAME);
    s3.set('cutting');
    await expect(worker.get(NAME)).rejects.toBeInstanceOf(FilesAway);
    expect(existsSync(worker.pathOf(NAME))).toBe(false);
    s3.set('fine');
    expect(readFileSync(await worker.get(NAME), 'utf8')).toHaveLength(100_000);
    for (const one of [web, worker]) one.stop();
  });

  test.each([
    ['a wrong key', { credentials: { accessKeyId: 'TESTKEY', secretAccessKey: 'wrong' } }],
    ['a bucket that does not exist', { bucket: 'other' }],
  ])('%s stops the start', async (_what, more) => {
    const files = await open(newFolder(), more);
    await expect(files.start()).rejects.toThrow(/^S3_BUCKET: /);
    files.stop();
  });
});

test('[SCAL-01] a file that is gone before it is read is an error of whoever reads it, however late', async () => {
  const path = join(newFolder(), 'gone');
  const content = contentOf(path);
  // An error that nothing listens for would fail this test.
  await sleep(50);
  await expect(content.next()).rejects.toMatchObject({ code: 'ENOENT' });
});
