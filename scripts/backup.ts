// npm run backup -- FOLDER

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from '../server/platform/config.ts';
import { BackupFault, backUp } from '../server/platform/db/backup.ts';
import { findDatabase, NoDatabase } from './find-database.ts';

const USAGE = `Usage: npm run backup -- FOLDER

Copies the database of DATA_DIR, its files, and its stored keys to a new folder. The platform may be running or not.
npm run restore restores them. If you use your own database (DATABASE_URL), back it up with its own tools.`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return console.log(USAGE);
  const [given, ...more] = positionals;
  if (!given || more.length > 0) throw new BackupFault(USAGE);
  const config = loadConfig({ ...process.env, SEED: 'none' });
  if (config.databaseUrl)
    throw new BackupFault('DATABASE_URL: back up your own database with its own tools, such as pg_dump.');
  const database = await findDatabase(config);
  try {
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
