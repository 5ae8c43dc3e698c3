// npm run restore -- FOLDER

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError, loadDataDir } from '../server/platform/config.ts';
import { BackupFault, restore } from '../server/platform/db/backup.ts';
import { startEmbedded } from '../server/platform/db/embedded.ts';

const USAGE = `Usage: npm run restore -- FOLDER

Restores a backup made by npm run backup into DATA_DIR, which must not contain a database, and starts the database once.`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return console.log(USAGE);
  const [given, ...more] = positionals;
  if (!given || more.length > 0) throw new BackupFault(USAGE);
  const dataDir = loadDataDir(process.env);
  const say = (line: string): void => console.log(line);
  const { made_at } = restore(resolve(given), dataDir, say);
  const server = await startEmbedded({ dataDir, log: say });
  await server.stop();
  console.log(
    `${dataDir} is restored to its state at ${made_at}. Run npm run audit and npm run verify:log to verify it, and npm start to start it.`,
  );
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const known = [BackupFault, ConfigError].some((kind) => error instanceof kind);
    console.error(known || error instanceof Error ? (error as Error).message : error);
    process.exit(1);
  },
);
