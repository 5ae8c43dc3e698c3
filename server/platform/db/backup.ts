import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import pg from 'pg';
import { adoptCluster } from './embedded.ts';

/** A backup's own description, in its file `backup.json`; it is written last, so a backup without it is incomplete. */
export interface BackupNote {
  made_at: string;
  /** The version number of the PostgreSQL that wrote the files; only the same major version can read them. */
  postgresql: number;
  platform: string;
}

/** A backup that cannot be made or used; the message says what to do. */
export class BackupFault extends Error {
  override name = 'BackupFault';
}

const NOTE = 'backup.json';
/** What is copied from the data folder in addition to the cluster and the files: keys and what the demo stores. */
export const KEPT = ['app-key', 'demo-password', 'demo-receiver-secret'];
/** What a running PostgreSQL keeps for itself and recreates; folders are kept, empty. */
const OWN_FILES = new Set(['postmaster.pid', 'postmaster.opts', 'pg_internal.init']);
const OWN_FOLDERS = new Set(
  'pg_wal pg_dynshmem pg_notify pg_replslot pg_serial pg_snapshots pg_stat_tmp pg_subtrans'.split(' '),
);

/** Whether a path below the cluster's folder is one that a copy does not have. */
export function isOwn(path: string): boolean {
  const [first, second] = path.split('/');
  const name = path.split('/').at(-1)!;
  return (
    OWN_FILES.has(name) ||
    /^(?:pgsql_tmp|\.s\.PGSQL)/.test(name) ||
    (second !== undefined && OWN_FOLDERS.has(first!))
  );
}

const isGone = (error: unknown): boolean => (error as { code?: string }).code === 'ENOENT';

/**
 * Copies a folder while it is being written to: files that disappear are left out, as are names for which `skip` is
 * true.
 */
function copyMoving(
  from: string,
  to: string,
  skip: (path: string) => boolean = () => false,
  below = '',
): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(from)) {
    const path = below + name;
    if (skip(path)) continue;
    const [source, target] = [join(from, name), join(to, name)];
    try {
      const stats = lstatSync(source);
      if (stats.isDirectory()) copyMoving(source, target, skip, `${path}/`);
      else if (stats.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
      else if (stats.isFile()) copyFileSync(source, target);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}

function newFolder(folder: string, name: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new BackupFault(`${name}: ${folder} already exists and is not empty.`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/**
 * Copies the embedded database at `url`, while it is in use, and the rest of `dataDir` to a new folder. The copy is
 * complete: it has every transaction committed by the time it ends, the files, and the application key if the data
 * folder stores it.
 * @throws BackupFault
 */
export async function backUp(url: string, dataDir: string, folder: string): Promise<BackupNote> {
  newFolder(folder, 'FOLDER');
  const files = () => {
    if (existsSync(join(dataDir, 'files'))) copyMoving(join(dataDir, 'files'), join(folder, 'files'));
  };
  // Copied before and after, so that every file that the database refers to is included, whether it was added or
  // removed in the meantime.
  files();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const ask = async (text: string) => (await client.query(text)).rows[0];
  try {
    const { cluster } = await ask(`select current_setting('data_directory') as cluster`);
    // Both end with this connection. The slot keeps the WAL written from now on.
    await ask(`select pg_create_physical_replication_slot('lead_backup_' || pg_backend_pid(), true, true)`);
    await ask(`select pg_backup_start('lead', true)`);
    copyMoving(cluster, join(folder, 'pg'), isOwn);
    const { labelfile } = await ask('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(folder, 'pg', 'backup_label'), labelfile, { mode: 0o600 });
    await ask('select pg_switch_wal()');
    copyMoving(join(cluster, 'pg_wal'), join(folder, 'pg', 'pg_wal'), (path) =>
      /^archive_status\/./.test(path),
    );
    files();
    for (const name of KEPT)
      if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(folder, name));
    const { version } = await ask(`select current_setting('server_version_num')::int as version`);
    const note: BackupNote = {
      made_at: new Date().toISOString(),
      postgresql: version,
      platform: `${process.platform}-${process.arch}`,
    };
    writeFileSync(join(folder, NOTE), `${JSON.stringify(note, null, 2)}\n`);
    return note;
  } finally {
    await client.end();
  }
}

/**
 * Restores a backup into a data folder that holds no database. All or nothing: the database is moved into place last.
 * @throws BackupFault
 */
export async function restore(
  folder: string,
  dataDir: string,
  log: (line: string) => void,
): Promise<BackupNote> {
  if (!existsSync(join(folder, NOTE)))
    throw new BackupFault(`FOLDER: ${folder} is not a backup, or the backup was not finished.`);
  const note: BackupNote = JSON.parse(readFileSync(join(folder, NOTE), 'utf8'));
  mayRestore(note, dataDir);
  for (const name of KEPT) {
    const [from, to] = [join(folder, name), join(dataDir, name)];
    if (!existsSync(from)) continue;
    if (existsSync(to) && readFileSync(to, 'utf8') !== readFileSync(from, 'utf8'))
      throw new BackupFault(`DATA_DIR: ${to} is different from the one in the backup. Move it elsewhere.`);
  }
  mkdirSync(dataDir, { recursive: true });
  for (const name of KEPT) {
    if (!existsSync(join(folder, name))) continue;
    copyFileSync(join(folder, name), join(dataDir, name));
    chmodSync(join(dataDir, name), 0o600);
  }
  if (existsSync(join(folder, 'files'))) copyMoving(join(folder, 'files'), join(dataDir, 'files'));
  await adoptCluster(dataDir, log, ({ cluster, runAs }) => {
    const fresh = `${cluster}.new`;
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(dirname(fresh), { recursive: true });
    copyMoving(join(folder, 'pg'), fresh);
    own(fresh, runAs);
    renameSync(fresh, cluster);
  });
  return note;
}

/** @throws BackupFault if the backup is for another platform, or the data folder already has an installation */
export function mayRestore(note: BackupNote, dataDir: string): void {
  if (note.platform !== `${process.platform}-${process.arch}`)
    throw new BackupFault(
      `The backup is for ${note.platform}, but this machine is ${process.platform}-${process.arch}.`,
    );
  for (const name of ['postgresql.json', 'pg', 'files'])
    if (existsSync(join(dataDir, name)))
      throw new BackupFault(
        `DATA_DIR: ${resolve(dataDir)} already contains an installation (${name}). Set another DATA_DIR, or move that installation.`,
      );
}

/** Gives a cluster to the user that PostgreSQL runs as, and denies access to everyone else. */
export function own(path: string, runAs: { uid: number; gid: number } | undefined): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  if (runAs) chownSync(path, runAs.uid, runAs.gid);
  chmodSync(path, stats.isDirectory() ? 0o700 : 0o600);
  if (stats.isDirectory()) for (const name of readdirSync(path)) own(join(path, name), runAs);
}
