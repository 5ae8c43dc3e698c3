import {
  constants,
  createWriteStream,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readTar } from '../tar.ts';
import { BackupFault, KEPT, mayRestore, own } from './backup.ts';
import {
  type BackupStore,
  type Base,
  type Kept,
  listInstallations,
  listKept,
  type Piece,
  planRestore,
  type Range,
  rangesOf,
  read,
  segmentName,
  segmentStart,
} from './backup-store.ts';
import { adoptCluster, recoverCluster } from './embedded.ts';

/** What to restore, and where. */
export interface RestoreTo {
  store: BackupStore;
  /** A data folder without a database; created if missing. */
  dataDir: string;
  /** The time to restore to; without one, the last that there is. */
  to?: Date | undefined;
  /** The installation, if the store has several. */
  of?: string | undefined;
  log: (line: string) => void;
  /** For tests: nothing is synced to disk. */
  ephemeral?: boolean;
}

/** The times that everything in the store can be restored to. */
export async function restorable(store: BackupStore): Promise<Range[]> {
  const all = await Promise.all((await listInstallations(store)).map((one) => listKept(store, one)));
  return all.flatMap(rangesOf);
}

/** How the times that a database can be restored to are told. */
export function rangesInWords(ranges: Range[]): string {
  if (ranges.length === 0) return 'There is no complete backup.';
  const several = new Set(ranges.map(({ installation }) => installation)).size > 1;
  return ranges
    .map(
      ({ installation, from, to }) =>
        `${several ? `${installation}: ` : ''}from ${from.toISOString()} to ${to.toISOString()}`,
    )
    .join(', ');
}

/**
 * Restores the state of a time into a data folder that holds no database: the last base backup before it, and the log
 * from there on. All or nothing: the database is moved into place last.
 * @returns the base backup that was used, and when the last transaction in it was committed, if the log says so
 * @throws BackupFault, which names the times that can be restored; SealError
 */
export async function restoreTo(given: RestoreTo): Promise<{ base: Base; lastCommit: string | null }> {
  const { store, to, of, log, ephemeral = false } = given;
  const dataDir = resolve(given.dataDir);
  const { kept, plan } = await choose(store, to, of);
  const { base, pieces } = plan;
  mayRestore(base, dataDir);
  mkdirSync(dataDir, { recursive: true });
  let lastCommit: string | null = null;
  const fresh = join(dataDir, 'restoring');
  await adoptCluster(dataDir, log, async ({ cluster, bin, runAs }) => {
    const [made, wal] = [`${cluster}.new`, `${cluster}.log`];
    for (const path of [made, wal, fresh]) rmSync(path, { recursive: true, force: true });
    for (const path of [dirname(made), wal, fresh]) mkdirSync(path, { recursive: true });
    try {
      log(`Copying the backup of ${base.made_at}`);
      await unpack(store, base, (name) => {
        const [first] = name.split('/');
        if (first === 'pg') return join(made, name.slice(3));
        if (first === 'files' || KEPT.includes(name)) return join(fresh, name);
        throw new BackupFault(`The backup has a file that does not belong to it: ${name}`);
      });
      for (const file of kept.files.filter(({ at }) => at >= new Date(base.began_at)))
        await copyTo(join(fresh, 'files', file.path), read(store, file.name));
      if (pieces.length > 0) {
        await assemble(store, base, pieces, wal);
        await copyTo(join(made, 'recovery.signal'), nothing());
        own(wal, runAs);
        own(made, runAs);
        const place = { cluster: made, bin, runAs };
        log(`Applying the log${to ? ` up to ${to.toISOString()}` : ''}`);
        const settings = {
          restore_command: `cp ${inShell(`${wal}/`)}%f "%p"`,
          recovery_target_timeline: 'current',
          recovery_target_action: 'promote',
        };
        const logFile = join(dataDir, 'postgresql.log');
        const said = await recoverCluster(
          place,
          logFile,
          to
            ? { ...settings, recovery_target_time: to.toISOString().replace('T', ' ').replace('Z', '+00') }
            : settings,
          ephemeral,
        ).catch((error: Error) => {
          // Nothing was committed after that time in what is archived, so the end of it is the state at that time.
          if (!to || !/recovery ended before configured recovery target/.test(error.message)) throw error;
          return recoverCluster(place, logFile, settings, ephemeral);
        });
        lastCommit = /last completed transaction was at log time ([^\n]{1,60})/.exec(said)?.[1] ?? null;
      } else own(made, runAs);
      for (const name of [...KEPT, 'files'])
        if (existsSync(join(fresh, name))) renameSync(join(fresh, name), join(dataDir, name));
      renameSync(made, cluster);
    } finally {
      for (const path of [made, wal, fresh]) rmSync(path, { recursive: true, force: true });
    }
  });
  return { base, lastCommit };
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** Chooses the installation, the base backup, and the log. @throws BackupFault */
async function choose(store: BackupStore, to: Date | undefined, of: string | undefined) {
  const installations = (await listInstallations(store)).filter((one) => !of || one === of);
  const found: { kept: Kept; plan: { base: Base; pieces: Piece[] } }[] = [];
  const ranges: Range[] = [];
  for (const one of installations) {
    const kept = await listKept(store, one);
    ranges.push(...rangesOf(kept));
    const plan = planRestore(kept, to);
    if (plan) found.push({ kept, plan });
  }
  const [only, ...more] = found;
  if (!only)
    throw new BackupFault(
      ranges.length === 0
        ? `BACKUP_TO: there is no complete backup${of ? ` of ${of}` : ''}.`
        : `--to: ${to!.toISOString()} cannot be restored. What can be restored: ${rangesInWords(ranges)}.`,
    );
  if (more.length > 0)
    throw new BackupFault(
      `--of: BACKUP_TO has backups of several installations. Choose one. What can be restored: ${rangesInWords(ranges)}.`,
    );
  return only;
}

async function copyTo(path: string, content: AsyncIterable<Buffer>): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  await pipeline(content, createWriteStream(path, { mode: 0o600 }));
}

/** Unpacks a base backup. `placeOf` says where each of its files goes. */
async function unpack(store: BackupStore, base: Base, placeOf: (name: string) => string): Promise<void> {
  for await (const entry of readTar(read(store, `${base.installation}/base/${base.name}.sealed`))) {
    if (entry.name.split('/').includes('..')) throw new BackupFault(`Not a name of a file: ${entry.name}`);
    const path = placeOf(entry.name);
    if (entry.kind === 'folder') mkdirSync(path, { recursive: true });
    else if (entry.kind === 'link') symlinkSync(entry.target!, path);
    else await copyTo(path, entry.content);
  }
}

/** Makes the files that PostgreSQL asks for from pieces of the log. What a file does not have yet is zeros. */
async function assemble(store: BackupStore, base: Base, pieces: Piece[], folder: string): Promise<void> {
  for (const piece of pieces) {
    const start = segmentStart(piece.from, base.segment_bytes);
    const name = segmentName(base.timeline, start, base.segment_bytes);
    const file = await open(join(folder, name), constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      await file.truncate(base.segment_bytes);
      let position = Number(piece.from - start);
      for await (const part of read(store, piece.name)) {
        await file.write(part, 0, part.length, position);
        position += part.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

/** A text as one word of a shell, in a setting of PostgreSQL where % is special. */
const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''").replaceAll('%', '%%')}'`;
