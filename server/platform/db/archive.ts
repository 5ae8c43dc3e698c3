import { existsSync, readFileSync } from 'node:fs';
import { type FileHandle, open, readdir, readlink, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { hasRoom } from '../disk.ts';
import { contentOf } from '../files.ts';
import { TAR_END, tarFile, tarStream } from '../tar.ts';
import { BackupFault, isOwn, KEPT } from './backup.ts';
import {
  type BackupStore,
  type Base,
  hexOf,
  type Kept,
  listKept,
  type Piece,
  pieceName,
  positionOf,
  put,
  putBase,
  read,
  segmentName,
  segmentStart,
  stampOf,
} from './backup-store.ts';

/** Makes PostgreSQL keep the log that has not been archived. */
const SLOT = 'lead_archive';
const EVERY_MS = 60_000;
/** A base backup that failed is not tried again at once: it reads the whole database. */
const RETRY_MS = 900_000;
const DAY_MS = 86_400_000;
/** How long a stop waits for the last piece of the log. */
const LAST_MS = 10_000;

type Ask = (text: string, values?: unknown[]) => Promise<pg.QueryResultRow | undefined>;

async function withDatabase<T>(url: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(async (text, values) => (await client.query(text, values)).rows[0]);
  } finally {
    await client.end();
  }
}

const isGone = (error: unknown): boolean => (error as { code?: string }).code === 'ENOENT';

/** Everything below a folder that PostgreSQL or an upload may be writing to, as parts of an archive. */
async function* entriesOf(
  folder: string,
  under: string,
  at: Date,
  skip: (path: string, isFolder: boolean) => boolean,
  below = '',
): AsyncGenerator<Buffer> {
  yield* tarStream({ name: under + below, kind: 'folder', size: 0 }, Readable.from([]), at);
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    const path = below ? `${below}/${entry.name}` : `/${entry.name}`;
    if (skip(path.slice(1), entry.isDirectory())) continue;
    try {
      if (entry.isDirectory()) yield* entriesOf(folder, under, at, skip, path);
      else if (entry.isSymbolicLink())
        yield* tarStream(
          { name: under + path, kind: 'link', size: 0, target: await readlink(join(folder, path)) },
          Readable.from([]),
          at,
        );
      else if (entry.isFile()) yield* fileEntry(join(folder, path), under + path, at);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}

async function* fileEntry(path: string, name: string, at: Date): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    yield* tarStream({ name, kind: 'file', size }, partsOf(file, size), at);
  } finally {
    await file.close();
  }
}

async function* partsOf(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < size; ) {
    const part = Buffer.allocUnsafe(Math.min(262_144, size - from));
    const { bytesRead } = await file.read(part, 0, part.length, from);
    if (bytesRead === 0) return;
    from += bytesRead;
    yield part.subarray(0, bytesRead);
  }
}

/** What is copied, and from where. */
export interface Copied {
  /** The database of the platform, as the superuser of its embedded server. */
  url: string;
  dataDir: string;
  /** The name of the installation (installationOf). */
  installation: string;
}

/**
 * Adds a base backup to the store, while the database is in use. It can be restored by itself; with the log archived
 * since, to any later time.
 * @throws BackupFault, FilesAway
 */
export function makeBase(
  store: BackupStore,
  { url, dataDir, installation }: Copied,
  signal?: AbortSignal,
): Promise<Base> {
  return withDatabase(url, async (ask) => {
    const { cluster, version, segment, began } = (await ask(
      `select current_setting('data_directory') as cluster, current_setting('server_version_num')::int as version,
        (select setting::int from pg_settings where name = 'wal_segment_size') as segment, clock_timestamp() as began`,
    ))! as { cluster: string; version: number; segment: number; began: Date };
    const name = stampOf(began);
    // Both end with this connection. The slot keeps the log written from now on.
    await ask(`select pg_create_physical_replication_slot('lead_backup_' || pg_backend_pid(), true, true)`);
    const { at: start } = (await ask(`select (pg_backup_start('lead', true) - '0/0')::text as at`))!;
    const timeline = await timelineOf(ask);
    const from = segmentStart(BigInt(start), segment);
    let to = 0n;
    let made = began;
    async function* archive(): AsyncGenerator<Buffer> {
      const stored = new Set<string>();
      // Twice, so that every file that the database refers to is included, whether it was added or removed meanwhile.
      const uploads = () =>
        existsSync(join(dataDir, 'files'))
          ? entriesOf(join(dataDir, 'files'), 'files', began, (path, isFolder) => {
              if (isFolder) return false;
              if (path.endsWith('.part') || stored.has(path)) return true;
              stored.add(path);
              return false;
            })
          : Readable.from([]);
      yield* uploads();
      yield* entriesOf(cluster, 'pg', began, isOwn);
      const stopped = (await ask(
        `select (lsn - '0/0')::text as at, labelfile as label from pg_backup_stop(false)`,
      ))!;
      to = BigInt(stopped.at);
      made = (await ask('select clock_timestamp() as at'))!.at;
      yield* tarFile('pg/backup_label', Buffer.from(stopped.label), began);
      for (let at = from; at < to; at += BigInt(segment)) {
        const file = segmentName(timeline, at, segment);
        yield* fileEntry(join(cluster, 'pg_wal', file), `pg/pg_wal/${file}`, began);
      }
      for (const file of await readdir(join(cluster, 'pg_wal')))
        if (file.endsWith('.history'))
          yield* fileEntry(join(cluster, 'pg_wal', file), `pg/pg_wal/${file}`, began);
      yield* uploads();
      // Not the key: whoever finds the backup must not find that as well.
      for (const one of KEPT)
        if (one !== 'app-key' && existsSync(join(dataDir, one)))
          yield* tarFile(one, readFileSync(join(dataDir, one)), began);
      yield TAR_END;
    }
    await put(store, `${installation}/base/${name}.sealed`, archive(), signal);
    return putBase(store, {
      installation,
      name,
      began_at: began.toISOString(),
      made_at: made.toISOString(),
      postgresql: version,
      platform: `${process.platform}-${process.arch}`,
      timeline,
      segment_bytes: segment,
      from: hexOf(from),
      to: hexOf(to),
    });
  });
}

/**
 * How far the log is on disk, which is at least as far as `written` if PostgreSQL flushes that soon. It does so at each
 * commit, or several times a second where commits do not wait for it.
 */
async function flushedTo(ask: Ask, written: string): Promise<bigint> {
  for (let tries = 0; ; tries++) {
    const { at, is } = (await ask(
      `select (lsn - '0/0')::text as at, lsn >= $1::pg_lsn as is from pg_current_wal_flush_lsn() lsn`,
      [written],
    ))!;
    if (is || tries === 20) return BigInt(at);
    await sleep(100);
  }
}

/** The timeline that the server writes, as 8 hexadecimal digits. */
const timelineOf = async (ask: Ask): Promise<string> =>
  (await ask(`select left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as it`))!.it;

/**
 * Removes what is not needed to restore the database to any time of the last `days`. The newest backup always stays.
 * @returns how many files were removed
 */
export async function prune(store: BackupStore, kept: Kept, days: number, now: Date): Promise<number> {
  const { bases, pieces, files, unfinished } = kept;
  const since = new Date(now.getTime() - days * DAY_MS);
  // The last one before that time stays: from it, the database is restored to the beginning of that time.
  const first = Math.max(
    0,
    bases.findLastIndex(({ made_at }) => new Date(made_at) <= since),
  );
  const oldest = bases[first];
  if (!oldest) return 0;
  const began = new Date(oldest.began_at);
  const needed = segmentStart(positionOf(oldest.to), oldest.segment_bytes);
  const names = [
    // A note goes first: without its note, a copy no longer counts.
    ...bases.slice(0, first).flatMap(({ installation, name }) => {
      const path = `${installation}/base/${name}`;
      return [`${path}.json`, `${path}.sealed`];
    }),
    ...unfinished.filter(({ at }) => at.getTime() < now.getTime() - DAY_MS).map(({ name }) => name),
    ...pieces
      .filter(({ timeline, to, at }) => (timeline === oldest.timeline ? to <= needed : at < began))
      .map(({ name }) => name),
    ...files.filter(({ at }) => at < began).map(({ name }) => name),
  ];
  for (const name of names) await store.files.remove(name);
  return names.length;
}

/** How the backups are. */
export interface ArchiveState {
  /** When the newest complete base backup was made. */
  lastGood: Date | null;
  /** All that was committed by then is archived. */
  archivedTo: Date | null;
  /** Why the last attempt failed; null if it did not. */
  fault: string | null;
}

/** The log of a database that is being archived. */
export interface Archive {
  state(): ArchiveState;
  /** Begins to archive, every minute. */
  start(): void;
  /** Archives what there is now, and makes a base backup if one is due. Returns when both are done. */
  tick(): Promise<void>;
  /** Archives the rest, which may take ten seconds. */
  stop(): Promise<void>;
}

/** Another installation writes to this one's folder. */
const OTHERS =
  'BACKUP_TO: it already has a different log of this installation. Was DATA_DIR copied, or an older copy put back? ' +
  'Set another BACKUP_TO, or move the folder away';

/**
 * Archives the log of the embedded database every minute, from its own files: a slot makes PostgreSQL keep what has not
 * been archived. Also makes base backups and removes old ones.
 * @param given.uploads whether the files in the data folder are the only ones
 */
export function createArchive(
  given: Copied & {
    store: BackupStore;
    /** 0: never. */
    hours: number;
    days: number;
    uploads: boolean;
    log: (line: string) => void;
    everyMs?: number;
  },
): Archive {
  const { store, url, dataDir, installation, hours, days, log, everyMs = EVERY_MS } = given;
  const state = { lastGood: null as Date | null, archivedTo: null as Date | null };
  const faults: { log: string | null; base: string | null } = { log: null, base: null };
  const aborting = new AbortController();
  const mirrored = new Map<string, string>();
  /** Where the log continues, and where what is archived without a gap began; undefined: not known. */
  let next: { timeline: string; position: bigint; since: bigint } | undefined;
  let newest: Base | undefined;
  let isListed = false;
  let triedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let basing: Promise<void> | undefined;
  let isStopped = false;

  /** The log line is written once, and the fault stays until the same works again. */
  function failed(what: keyof typeof faults, error: unknown): void {
    // Not `isDiskFull`, which takes the platform out of service: this is the disk of the backups.
    const { code, message = String(error) } = (error ?? {}) as { code?: string; message?: string };
    const said =
      code === 'ENOSPC' || code === 'EDQUOT' ? `BACKUP_TO: the disk is full (${message})` : message;
    if (said !== faults[what]) log(`backups: ${said}`);
    faults[what] = said;
  }
  function worked(what: keyof typeof faults): void {
    if (faults[what]) log('backups: they work again');
    faults[what] = null;
  }

  /** Copies uploaded files that are new, or have changed. */
  async function mirror(at: Date): Promise<void> {
    const folder = join(dataDir, 'files');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || path.endsWith('.part')) continue;
      try {
        const { size, mtimeMs } = await stat(path);
        const name = relative(folder, path);
        const is = `${size}:${mtimeMs}`;
        if (mirrored.get(name) === is) continue;
        await put(store, `${installation}/files/${stampOf(at)}/${name}`, contentOf(path));
        mirrored.set(name, is);
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    }
  }

  /** The bytes of the log from one position to another in the same segment, from PostgreSQL's file. */
  async function bytesOf(wal: string, piece: Pick<Piece, 'timeline' | 'from' | 'to'>, segment: number) {
    const start = segmentStart(piece.from, segment);
    const file = await open(join(wal, segmentName(piece.timeline, start, segment)));
    try {
      const head = Buffer.alloc(16);
      await file.read(head, 0, 16, 0);
      // Each page says where in the log it is; a file that was reused is somewhere else.
      if (head.readBigUInt64LE(8) !== start)
        throw new BackupFault('the log was removed before it was archived');
      const bytes = Buffer.alloc(Number(piece.to - piece.from));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, Number(piece.from - start));
      if (bytesRead !== bytes.length) throw new BackupFault('the log is shorter than PostgreSQL says');
      return bytes;
    } finally {
      await file.close();
    }
  }

  /** Finds out where the archived log ends, and that it is this server's. */
  async function findNext(timeline: string, reserved: bigint, flushed: bigint, wal: string, segment: number) {
    const { pieces } = await listKept(store, installation);
    const last = pieces.filter((one) => one.timeline === timeline).at(-1);
    const start = segmentStart(reserved, segment);
    if (!last || last.to < start) return { timeline, position: start, since: start };
    if (last.to > flushed) throw new BackupFault(OTHERS);
    if (segmentStart(last.from, segment) >= start) {
      const parts: Buffer[] = [];
      for await (const part of read(store, last.name)) parts.push(part);
      if (!(await bytesOf(wal, last, segment)).equals(Buffer.concat(parts))) throw new BackupFault(OTHERS);
    }
    // Back to where there is a gap.
    let since = last.from;
    for (const piece of pieces.toReversed())
      if (piece.timeline === timeline && piece.to >= since && piece.from < since) since = piece.from;
    return { timeline, position: last.to, since };
  }

  async function archive(ask: Ask): Promise<Date> {
    const { at } = (await ask('select clock_timestamp() as at'))! as { at: Date };
    const { cluster, segment, written } = (await ask(
      `select current_setting('data_directory') as cluster, pg_current_wal_insert_lsn()::text as written,
        (select setting::int from pg_settings where name = 'wal_segment_size') as segment`,
    ))! as { cluster: string; segment: number; written: string };
    const end = await flushedTo(ask, written);
    const timeline = await timelineOf(ask);
    const wal = join(cluster, 'pg_wal');
    let slot = await ask(
      `select (restart_lsn - '0/0')::text as at, wal_status from pg_replication_slots where slot_name = $1`,
      [SLOT],
    );
    if (slot?.wal_status === 'lost') {
      await ask('select pg_drop_replication_slot($1)', [SLOT]);
      slot = undefined;
    }
    if (!slot) {
      next = undefined;
      slot = await ask(
        `select (lsn - '0/0')::text as at from pg_create_physical_replication_slot($1, true)`,
        [SLOT],
      );
    }
    if (next?.timeline !== timeline) next = undefined;
    next ??= await findNext(timeline, BigInt(slot!.at), end, wal, segment);
    if (given.uploads) await mirror(at);
    while (next.position < end) {
      const from = next.position;
      const over = segmentStart(from, segment) + BigInt(segment);
      const piece = { timeline, from, to: over < end ? over : end, at };
      const bytes = await bytesOf(wal, piece, segment);
      await put(store, pieceName(installation, piece), Readable.from([bytes]));
      next.position = piece.to;
      await ask('select pg_replication_slot_advance($1, $2::pg_lsn)', [SLOT, lsnOf(piece.to)]);
    }
    return at;
  }

  /** PostgreSQL would keep the log until the disk is full, and then stop. Backups are not worth that. */
  async function giveUpIfFull(): Promise<void> {
    if (await hasRoom(dataDir, 0)) return;
    await withDatabase(url, async (ask) => {
      const slot = await ask('select from pg_replication_slots where slot_name = $1', [SLOT]);
      if (!slot) return;
      await ask('select pg_drop_replication_slot($1)', [SLOT]);
      await ask('checkpoint');
      next = undefined;
      log('backups: the disk of DATA_DIR is almost full, so the log is no longer kept for them.');
    });
  }

  /** Makes a base backup if it is time, or if there is a gap between the last one and the archived log. */
  function isDue(at: Date): boolean {
    if (hours === 0 || performance.now() - triedAt < RETRY_MS) return false;
    if (!newest || newest.timeline !== next!.timeline || positionOf(newest.to) < next!.since) return true;
    return at.getTime() - new Date(newest.made_at).getTime() >= hours * 3_600_000;
  }

  async function base(at: Date): Promise<void> {
    triedAt = performance.now();
    newest = await makeBase(store, given, aborting.signal);
    state.lastGood = new Date(newest.made_at);
    worked('base');
    triedAt = Number.NEGATIVE_INFINITY;
    await prune(store, await listKept(store, installation), days, at);
  }

  async function once(isLast: boolean): Promise<void> {
    try {
      const at = await withDatabase(url, archive);
      const { bases } = isListed && newest ? { bases: [] } : await listKept(store, installation);
      isListed = true;
      newest ??= bases.at(-1);
      state.lastGood ??= newest ? new Date(newest.made_at) : null;
      state.archivedTo = at;
      worked('log');
      if (!isLast && !basing && isDue(at))
        basing = base(at)
          .catch((error: unknown) => {
            if (!isStopped) failed('base', error);
          })
          .finally(() => {
            basing = undefined;
          });
    } catch (error) {
      failed('log', error);
      await giveUpIfFull().catch((other: unknown) => failed('log', other));
    }
  }

  /** One after the other, since each continues where the one before ended. */
  function run(isLast = false): Promise<void> {
    running = (running ?? Promise.resolve()).then(() => once(isLast));
    return running;
  }

  return {
    state: () => ({ ...state, fault: faults.log ?? faults.base }),
    start() {
      const again = (): void => {
        void run().then(() => {
          if (!isStopped) timer = setTimeout(again, everyMs).unref();
        });
      };
      again();
    },
    async tick() {
      await run();
      await basing;
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      aborting.abort();
      await basing;
      const limit = new Promise<void>((done) => setTimeout(done, LAST_MS).unref());
      await Promise.race([run(true), limit]);
      store.files.stop();
    },
  };
}

/** As PostgreSQL writes a position. */
const lsnOf = (position: bigint): string =>
  `${(position >> 32n).toString(16)}/${(position & 0xffffffffn).toString(16)}`;

/** Without backups, no log is kept for them: it would fill the disk. */
export const stopKeepingLog = (url: string): Promise<void> =>
  withDatabase(url, async (ask) => {
    await ask('select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1', [
      SLOT,
    ]);
  });

/**
 * Removes what writers that were killed have left of an installation. Only the process that owns it may.
 * @param isOnItsWay whether the folder has only what is on its way to a bucket
 */
export async function removeParts(
  { files }: BackupStore,
  installation: string,
  isOnItsWay: boolean,
): Promise<void> {
  const folder = files.pathOf(installation);
  if (isOnItsWay) return rm(folder, { recursive: true, force: true });
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries)
    if (entry.isFile() && entry.name.endsWith('.part'))
      await rm(join(entry.parentPath, entry.name), { force: true });
}
