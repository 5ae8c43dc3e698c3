import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startS3 } from '../../test/s3-server.ts';
import { prune } from './archive.ts';
import { type BackupStore, listKept, openBackups, put, putBase, read } from './backup-store.ts';

const INSTALLATION = '0a1b2c3d';
const STAMP = '20261129T101500000Z';
const TIMES = { began_at: '2026-11-29T10:15:00.000Z', made_at: '2026-11-29T10:16:00.000Z' };
const BASE = {
  ...{ installation: INSTALLATION, name: STAMP, ...TIMES, postgresql: 180_000, platform: 'linux-x64' },
  ...{ timeline: '00000001', segment_bytes: 16 * 1024 ** 2, from: '0'.repeat(16), to: `${'0'.repeat(15)}1` },
};

describe('[BEY-28] whoever can write to the place of the backups, without the key', () => {
  let s3: Awaited<ReturnType<typeof startS3>>;
  let folder: string;
  let store: BackupStore;
  const at = (name: string): string => join(folder, name);

  beforeAll(async () => {
    s3 = await startS3();
  });
  afterAll(() => s3.close());
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lead-backup-store-'));
    s3.objects.clear();
  });
  const open = async (isBucket: boolean): Promise<BackupStore> => {
    store = await openBackups({
      backups: {
        ...{ folder: at('data/backups'), hours: 24, days: 14 },
        s3: isBucket ? { ...s3.settings, prefix: '' } : undefined,
      },
      appKey: Buffer.alloc(32, 7),
      previousAppKeys: [],
    });
    return store;
  };
  /** A file of the store, as someone else puts it there. */
  const plant = (name: string, text: string): void => {
    mkdirSync(dirname(at(`data/backups/${name}`)), { recursive: true });
    writeFileSync(at(`data/backups/${name}`), text);
  };
  const drop = () => {
    store.files.stop();
    rmSync(folder, { recursive: true, force: true });
  };

  test('has no file written outside of the folder that a restore reads through', async () => {
    await open(true);
    const name = `${INSTALLATION}/files/${STAMP}/../../../../planted`;
    s3.objects.set(name, Buffer.from('not sealed'));
    s3.objects.set(`${INSTALLATION}/files/${STAMP}/imports/a`, Buffer.from('not sealed'));
    expect((await listKept(store, INSTALLATION)).files.map(({ path }) => path)).toEqual(['imports/a']);
    await expect(store.files.get(name)).rejects.toThrow('not a name of a file');
    expect(existsSync(at('data/planted'))).toBe(false);
    await expect(store.files.remove(name)).rejects.toThrow('not a name of a file');
    drop();
  });

  test('has no file removed elsewhere by a note that names another: it is what its file is called', async () => {
    await open(false);
    plant('../postgresql.json', 'the settings of the database');
    const old = { ...BASE, ...TIMES, key: 'x' };
    plant(
      `${INSTALLATION}/base/20261120T101500000Z.json`,
      JSON.stringify({ ...old, made_at: '2026-11-20T10:15:00.000Z', name: '../../../postgresql' }),
    );
    await putBase(store, BASE);
    const kept = await listKept(store, INSTALLATION);
    expect(kept.bases.map(({ name }) => name)).toEqual(['20261120T101500000Z', STAMP]);
    await prune(store, kept, 1, new Date('2026-12-09T10:15:00.000Z'));
    expect(existsSync(at('data/postgresql.json'))).toBe(true);
    drop();
  });

  test('cannot stop the backups with a note that is none', async () => {
    await open(false);
    for (const [n, text] of [
      '{',
      'null',
      JSON.stringify({ ...BASE, segment_bytes: 0 }),
      JSON.stringify({ ...BASE, timeline: '../../x1' }),
      JSON.stringify({ ...BASE, key: 'x'.repeat(100_000) }),
    ].entries()) {
      plant(`${INSTALLATION}/base/2026112${n}T000000000Z.json`, text);
      plant(`${INSTALLATION}/base/2026112${n}T000000000Z.sealed`, '');
    }
    await putBase(store, BASE);
    const kept = await listKept(store, INSTALLATION);
    expect(kept.bases.map(({ name }) => name)).toEqual([STAMP]);
    // Nor are the copies beside them removed as if they were never finished: a note may be from a later version.
    expect(kept.unfinished).toEqual([]);
    drop();
  });

  test('is found out by whatever is read', async () => {
    await open(false);
    const name = `${INSTALLATION}/files/${STAMP}/a`;
    await put(
      store,
      name,
      (async function* content() {
        yield Buffer.from('uploaded');
      })(),
    );
    plant(name, 'LEADSEAL1 and something else');
    const all = async () => {
      for await (const _ of read(store, name));
    };
    await expect(all()).rejects.toThrow('was altered or is not complete');
    drop();
  });
});
