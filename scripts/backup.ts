// npm run backup [-- FOLDER]

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, ConfigError, loadConfig } from '../server/platform/config.ts';
import { createArchive, makeBase } from '../server/platform/db/archive.ts';
import { BackupFault, backUp } from '../server/platform/db/backup.ts';
import { openBackups } from '../server/platform/db/backup-store.ts';
import { installationOf } from '../server/platform/db/embedded.ts';
import { findDatabase, NoDatabase } from './find-database.ts';

const USAGE = `Usage: npm run backup [-- FOLDER]

Backs up the database of DATA_DIR, its files, and its stored settings. The platform may be running or not.
Without FOLDER: adds a backup to BACKUP_TO, sealed with APP_KEY and without that key.
With FOLDER: copies everything to a new folder. It is not sealed, and contains the key if DATA_DIR does.
npm run restore restores both. If you use your own database (DATABASE_URL), back it up with its own tools.`;

/** Adds a backup to BACKUP_TO, and what has been logged since to the log kept there. */
async function addBackup(config: Config, url: string, isOurs: boolean): Promise<void> {
  const store = await openBackups(config);
  const { dataDir } = config;
  const copied = { url, dataDir, installation: installationOf(dataDir) };
  // A running platform archives the log itself.
  const log = isOurs
    ? createArchive({ ...copied, store, hours: 0, days: 1, uploads: !config.s3, log: console.log })
    : undefined;
  await log?.tick();
  const { made_at, key } = await makeBase(store, copied);
  await log?.tick();
  const fault = log?.state().fault;
  if (fault) throw new BackupFault(`The backup of ${made_at} is complete, but the log is not: ${fault}`);
  console.log(
    `Backup of ${dataDir} as of ${made_at}: ${process.env.BACKUP_TO}\n` +
      `It opens only with APP_KEY (the key ${key}). Keep a copy of that key where the backups are not.`,
  );
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return console.log(USAGE);
  const config = loadConfig({ ...process.env, SEED: 'none' });
  const [given, ...more] = positionals;
  if (more.length > 0 || !(given || config.backups)) throw new BackupFault(USAGE);
  if (config.databaseUrl)
    throw new BackupFault(
      'DATABASE_URL: back up your own database with its own tools (docs/operations.md, Backup and restore).',
    );
  const database = await findDatabase(config);
  try {
    if (!given) return await addBackup(config, database.url, database.isOurs);
    const folder = resolve(given);
    const { made_at } = await backUp(database.url, config.dataDir, folder);
    console.log(`Backup of ${config.dataDir} as of ${made_at}: ${folder}`);
  } finally {
    await database.close();
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const known = [BackupFault, NoDatabase, ConfigError].some((kind) => error instanceof kind);
    console.error(known || error instanceof Error ? (error as Error).message : error);
    process.exit(1);
  },
);
