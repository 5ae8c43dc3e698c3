import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import '../../app.ts'; // Declares the queues.
import { verifyLog } from '../../features/accounts/audit/index.ts';
import { auditLedger } from '../../features/money/ledger/index.ts';
import { startS3 } from '../../test/s3-server.ts';
import { openStage } from '../../test/stage.ts';
import { setUpJobs } from '../jobs.ts';
import { createArchive, prune, removeParts, stopKeepingLog } from './archive.ts';
import {
  type BackupStore,
  type Base,
  type Kept,
  listKept,
  openBackups,
  pieceName,
  planRestore,
  put,
  rangesOf,
} from './backup-store.ts';
import { ensureDatabase } from './connect.ts';
import { type Embedded, installationOf, startEmbedded } from './embedded.ts';
import { migrate } from './migrate.ts';
import { restorable, restoreTo } from './restore-to.ts';
import { inScope } from './scope.ts';

const disk = vi.hoisted(() => ({ hasRoom: true }));
vi.mock('../disk.ts', async (original) => ({
  ...(await original<typeof import('../disk.ts')>()),
  hasRoom: async () => disk.hasRoom,
}));

const KEY = Buffer.alloc(32, 7);
const quiet = (): void => {};
const scripts = join(import.meta.dirname, '../../../scripts');

describe('[BEY-28] the embedded database', () => {
  let folder: string;
  let server: Embedded;
  let url: string;
  let stage: Awaited<ReturnType<typeof openStage>>;
  let s3: Awaited<ReturnType<typeof startS3>>;
  const clusters = new Set<string>();
  const at = (name: string): string => join(folder, name);
  const start = async (dataDir: string): Promise<Embedded> => {
    const one = await startEmbedded({ dataDir, ephemeral: true, log: quiet });
    clusters.add(dirname(one.cluster));
    return one;
  };
  let topUp: () => Promise<void>;
  const countOf = async (one: pg.Client | pg.Pool): Promise<number> =>
    Number((await one.query('select count(*) as n from transfer')).rows[0].n);
  /** A time with nothing committed at it, and how many postings there were. */
  const moment = async (): Promise<{ time: Date; count: number }> => {
    await sleep(20);
    const time: Date = (await stage.admin.query('select clock_timestamp() as at')).rows[0].at;
    const count = await countOf(stage.admin);
    await sleep(20);
    return { time, count };
  };
  const archiveTo = (store: BackupStore, log: (line: string) => void = quiet) =>
    createArchive({
      store,
      url,
      dataDir: at('data'),
      installation: installationOf(at('data')),
      hours: 24,
      days: 14,
      uploads: true,
      log,
    });
  const openStore = (more: { s3?: typeof s3.settings; folder?: string; appKey?: Buffer } = {}) =>
    openBackups({
      backups: { folder: at("it's 100% backed up"), s3: undefined, hours: 24, days: 14, ...more },
      appKey: KEY,
      previousAppKeys: [],
      ...more,
    });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lead-archive-'));
    chmodSync(folder, 0o755);
    s3 = await startS3();
    server = await start(at('data'));
    url = await ensureDatabase(server.url, 'lead');
    await migrate(url);
    await setUpJobs(url);
    stage = await openStage({ databaseUrl: url, env: { APP_KEY: KEY.toString('base64') } });
    const root = await stage.make.root({ name: 'Quokka Root', host: 'localhost', isMaster: true });
    const agency = await stage.make.agency(root, { name: 'Agency', host: 'agency.localhost' });
    let sent = 0;
    topUp = async () => {
      await inScope(stage.platform.db.app, { rootId: root.id }, (tx) =>
        stage.features.wallet.topUp(
          tx,
          { rootId: root.id, agencyId: agency.id, amountMicros: 1_000_000n, key: `archive-${sent++}` },
          new Date(),
        ),
      );
    };
    mkdirSync(at('data/files/imports'), { recursive: true });
    writeFileSync(at('data/files/imports/a'), 'uploaded');
  });
  afterAll(async () => {
    await stage?.close();
    await server?.stop('immediate');
    await s3?.close();
    for (const cluster of clusters)
      if (cluster.startsWith('/var/lib/')) rmSync(cluster, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a restored database: how many postings it has, once its books and its log are proved. */
  async function provenCount(dataDir: string): Promise<number> {
    const restored = await start(dataDir);
    try {
      const lead = Object.assign(new URL(restored.url), { pathname: '/lead' }).href;
      const client = new pg.Client({ connectionString: lead });
      await client.connect();
      const { checks } = await auditLedger(client);
      expect(checks.filter((check) => check.violations > 0)).toEqual([]);
      const count = await countOf(client);
      await client.end();
      for (const one of await verifyLog(lead, [stage.platform.config.appKey])) expect(one.breaks).toEqual([]);
      return count;
    } finally {
      await restored.stop('immediate');
    }
  }

  test('is restored to a time between two postings, from sealed files; other times are refused with what is possible', async () => {
    const store = await openStore();
    // Left by a process that was killed while it was writing.
    const left = store.files.pathOf(`${installationOf(at('data'))}/wal/x.1.part`);
    mkdirSync(dirname(left), { recursive: true });
    writeFileSync(left, 'half');
    await removeParts(store, installationOf(at('data')), false);
    expect(existsSync(left)).toBe(false);
    const archive = archiveTo(store);
    await topUp();
    await archive.tick();
    const [first] = await restorable(store);
    expect(archive.state()).toMatchObject({ lastGood: first!.from, fault: null });
    await topUp();
    writeFileSync(at('data/files/imports/b'), 'uploaded later');
    await archive.tick();
    await topUp();
    const before = await moment();
    await topUp();
    await topUp();
    await archive.tick();
    const after = await moment();
    await topUp();

    // Nothing that anyone could read.
    const root = store.files.pathOf('');
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = readFileSync(join(entry.parentPath, entry.name));
      if (!entry.name.endsWith('.json')) expect(bytes.subarray(0, 9).toString()).toBe('LEADSEAL1');
      for (const secret of ['Quokka', 'uploaded', KEY]) expect(bytes.includes(secret)).toBe(false);
    }

    const [range] = await restorable(store);
    expect(range!.to).toEqual(archive.state().archivedTo);
    const possible = `from ${range!.from.toISOString()} to ${range!.to.toISOString()}`;
    for (const to of [new Date(range!.from.getTime() - 1), after.time])
      await expect(restoreTo({ store, dataDir: at('other'), to, log: quiet })).rejects.toThrow(
        `--to: ${to.toISOString()} cannot be restored. What can be restored: ${possible}.`,
      );
    await expect(restoreTo({ store, dataDir: at('data'), to: before.time, log: quiet })).rejects.toThrow(
      /^DATA_DIR: .* already contains an installation/,
    );
    await expect(
      restoreTo({
        store: await openStore({ appKey: Buffer.alloc(32, 1) }),
        dataDir: at('other'),
        to: before.time,
        log: quiet,
      }),
    ).rejects.toThrow(/^APP_KEY: .* is sealed with the key /);

    // A restore that breaks off in the middle leaves nothing behind, and can be repeated.
    const dataDir = at('restored here');
    const kept = await listKept(store, installationOf(at('data')));
    const last = store.files.pathOf(planRestore(kept, before.time)!.pieces.at(-1)!.name);
    const whole = readFileSync(last);
    writeFileSync(last, whole.subarray(0, -1));
    const again = () => restoreTo({ store, dataDir, to: before.time, log: quiet, ephemeral: true });
    await expect(again()).rejects.toThrow(/was altered or is not complete/);
    for (const name of ['pg', 'pg.new', 'pg.log', 'files', 'restoring', 'postgresql.json'])
      expect([name, existsSync(join(dataDir, name))]).toEqual([name, false]);
    writeFileSync(last, whole);
    expect((await again()).base.made_at).toBe(range!.from.toISOString());
    expect(await provenCount(dataDir)).toBe(before.count);
    for (const [name, text] of [
      ['a', 'uploaded'],
      ['b', 'uploaded later'],
    ] as const)
      expect(readFileSync(join(dataDir, 'files/imports', name), 'utf8')).toBe(text);
    expect(existsSync(join(dataDir, 'app-key'))).toBe(false);
    // It is another installation, which does not continue the log of the first.
    expect(installationOf(dataDir)).not.toBe(installationOf(at('data')));

    // After a crash, another process goes on where this one ended, without a second backup.
    await server.restart('immediate');
    const next = archiveTo(store);
    await next.tick();
    const ranges = await restorable(store);
    expect(ranges).toEqual([{ ...range, to: next.state().archivedTo }]);

    // Someone else's log, from a copy of the data folder.
    const { timeline, to } = (await listKept(store, installationOf(at('data')))).pieces.at(-1)!;
    const foreign = { timeline, from: to, to: to + (1n << 40n), at: new Date() };
    await put(store, pieceName(installationOf(at('data')), foreign), Readable.from([Buffer.alloc(9)]));
    const said: string[] = [];
    const refused = archiveTo(store, (line) => said.push(line));
    await refused.tick();
    await refused.tick();
    expect(said).toEqual([expect.stringMatching(/^backups: BACKUP_TO: it already has a different log/)]);
    expect(refused.state().fault).toMatch(/^BACKUP_TO: /);
  });

  test('is kept in a bucket, also after it was away; what is lost of the log is made up for by a new backup', async () => {
    const store = await openStore({ s3: { ...s3.settings, prefix: 'copies/' }, folder: at('on its way') });
    const said: string[] = [];
    const archive = archiveTo(store, (line) => said.push(line));
    s3.set('refusing');
    await archive.tick();
    expect(archive.state()).toMatchObject({ lastGood: null, archivedTo: null });
    expect(archive.state().fault).toMatch(/^The bucket lead-files cannot be used/);
    s3.set('fine');
    await archive.tick();
    expect(archive.state()).toMatchObject({ fault: null, lastGood: expect.any(Date) });
    expect(said).toEqual([expect.stringMatching(/^backups: The bucket/), 'backups: they work again']);
    expect([...s3.objects.keys()].every((key) => key.startsWith('copies/'))).toBe(true);
    const [range] = await restorable(store);
    expect(range?.from).toEqual(archive.state().lastGood);
    // While the bucket is away, the log is kept on this disk, but not until it is full.
    const slots = () => stage.number('select count(*) from pg_replication_slots');
    s3.set('refusing');
    await topUp();
    await stage.admin.query('select pg_switch_wal()');
    await topUp();
    await archive.tick();
    expect(await slots()).toBe(1);
    disk.hasRoom = false;
    await archive.tick();
    expect(await slots()).toBe(0);
    expect(said.at(-1)).toMatch(/^backups: the disk of DATA_DIR is almost full/);
    disk.hasRoom = true;
    s3.set('fine');
    await archive.tick();
    expect(archive.state().fault).toBeNull();
    const ranges = await restorable(store);
    expect(ranges).toHaveLength(2);
    await topUp();
    await archive.stop();
    const count = await countOf(stage.admin);
    const command = (script: string, dataDir: string, ...args: string[]) =>
      promisify(execFile)(process.execPath, [join(scripts, script), ...args], {
        env: {
          PATH: process.env.PATH,
          DATA_DIR: dataDir,
          ...s3.env,
          BACKUP_TO: 's3://lead-files/copies/',
          APP_KEY: KEY.toString('base64'),
        },
      });
    const { stdout: listed } = await command('restore.ts', at('from bucket'), '--list');
    expect(listed.split('\n')).toHaveLength(3);
    for (const [args, why] of [
      [['--to', '2026-11-29 10:15'], /--to: must be a time with its zone/],
      [['--to', '2000-01-01T00:00:00Z'], /--to: 2000-01-01T00:00:00.000Z cannot be restored\. What can be/],
      [['--to', 'latest', '--of', 'ffffffff'], /BACKUP_TO: there is no complete backup of ffffffff/],
    ] as const)
      await expect(command('restore.ts', at('from bucket'), ...args)).rejects.toThrow(why);
    const { stdout } = await command('restore.ts', at('from bucket'), '--to', 'latest');
    expect(stdout).toMatch(/The ledger holds \(\d+ checks\)\.\nThe user log is intact\./);
    expect(await provenCount(at('from bucket'))).toBe(count);
    const copies = readdirSync(store.files.pathOf(''), { recursive: true, withFileTypes: true });
    expect(copies.filter((one) => one.isFile())).toEqual([]);

    // By hand, beside the server that is running.
    const made = (await listKept(store, installationOf(at('data')))).bases.length;
    const { stdout: told } = await command('backup.ts', at('data'));
    expect(told).toMatch(/It opens only with APP_KEY \(the key [0-9a-f]{8}\)/);
    expect((await listKept(store, installationOf(at('data')))).bases).toHaveLength(made + 1);

    // Once there is no place for backups anymore.
    expect(await slots()).toBe(1);
    await stopKeepingLog(url);
    expect(await slots()).toBe(0);
  });
});

describe('[BEY-28] which backups are used, and which are kept', () => {
  const SEGMENT = 0x100_0000;
  const day = (n: number): Date => new Date(Date.UTC(2026, 0, 1) + n * 86_400_000);
  const hex = (n: number): string => (n * SEGMENT).toString(16).padStart(16, '0');
  /** A base backup a day: day n is at segment n; the log is archived once in between. */
  const kept = (days: number[], gap?: number): Kept => ({
    bases: days.map(
      (n) =>
        ({
          installation: '0123abcd',
          name: `b${n}`,
          began_at: day(n).toISOString(),
          made_at: day(n).toISOString(),
          timeline: '00000001',
          segment_bytes: SEGMENT,
          from: hex(n),
          to: (n * SEGMENT + 99).toString(16).padStart(16, '0'),
        }) as Base,
    ),
    pieces: Array.from({ length: 10 }, (_, n) => ({
      name: `w${n}`,
      timeline: '00000001',
      from: BigInt(n * SEGMENT),
      to: BigInt((n + 1) * SEGMENT),
      at: day(n + 1),
    })).filter((_, n) => n !== gap),
    files: [0, 3, 6].map((n) => ({ name: `f${n}`, path: `imports/${n}`, at: day(n) })),
    unfinished: [
      { name: 'cut off', at: day(2) },
      { name: 'in progress', at: day(9) },
    ],
  });

  test('the last backup before the time, and the log up to it', () => {
    const plan = (to: number, gap?: number) => {
      const found = planRestore(kept([0, 4], gap), day(to));
      return found && [found.base.name, ...found.pieces.map(({ name }) => name)].join(' ');
    };
    expect(plan(2.5)).toBe('b0 w0 w1 w2');
    expect(plan(4)).toBe('b4 w4');
    expect(plan(6)).toBe('b4 w4 w5');
    expect(plan(10.5)).toBeUndefined();
    expect(plan(-1)).toBeUndefined();
    expect(plan(3, 1)).toBeUndefined();
    expect(plan(6, 1)).toBe('b4 w4 w5');
    expect(rangesOf(kept([0, 4], 1)).map(({ from, to }) => [from, to])).toEqual([
      [day(0), day(1)],
      [day(4), day(10)],
    ]);
    expect(rangesOf(kept([0, 4])).map(({ from, to }) => [from, to])).toEqual([[day(0), day(10)]]);
  });

  test.each([
    [[0, 4, 8], 3, 'b0.json b0.sealed cut off w0 w1 w2 w3 f0 f3'],
    [[0, 4, 8], 30, 'cut off'],
    // The only one stays, no matter how old.
    [[4], 1, 'cut off w0 w1 w2 w3 f0 f3'],
    [[], 1, ''],
  ])('of the days %j, for %i days', async (days, most, removed) => {
    const names: string[] = [];
    const files = { remove: async (name: string) => void names.push(name.replace(/.*\//, '')) };
    await prune({ files, appKeys: [] } as never, kept(days), most, day(9.5));
    expect(names.join(' ')).toBe(removed);
  });
});
