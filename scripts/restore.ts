// npm run restore -- FOLDER, or npm run restore -- --to TIME

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { verifyLog } from '../server/features/accounts/audit/index.ts';
import { auditLedger } from '../server/features/money/ledger/index.ts';
import { type Config, ConfigError, loadConfig, loadDataDir } from '../server/platform/config.ts';
import { SealError } from '../server/platform/crypto.ts';
import { BackupFault, restore } from '../server/platform/db/backup.ts';
import { openBackups } from '../server/platform/db/backup-store.ts';
import { startEmbedded } from '../server/platform/db/embedded.ts';
import { rangesInWords, restorable, restoreTo } from '../server/platform/db/restore-to.ts';

const USAGE = `Usage: npm run restore -- FOLDER
       npm run restore -- --to TIME [--of INSTALLATION]
       npm run restore -- --list

Restores a backup into DATA_DIR, which must not contain a database, starts the database once, and audits the ledger and the user log.

  FOLDER  a folder made by npm run backup -- FOLDER
  --to    restores from BACKUP_TO what was there at TIME, for example 2026-11-29T10:15:00Z, or latest
  --of    the installation to restore, if BACKUP_TO has several
  --list  prints the times that can be restored`;

const say = (line: string): void => console.log(line);

/** The settings, without making a key: the backup needs the one that it was sealed with. */
function loadBackupConfig(dataDir: string): Config & { backups: object } {
  const file = join(dataDir, 'app-key');
  if (!process.env.APP_KEY && !existsSync(file))
    throw new BackupFault(
      `APP_KEY: the backups are sealed with it. Set it, or put the app-key file of their installation in ${dataDir}.`,
    );
  const config = loadConfig({ ...process.env, SEED: 'none' });
  if (!config.backups)
    throw new BackupFault('BACKUP_TO: must be set for --to and --list. To restore a folder, name it.');
  return { ...config, backups: config.backups };
}

function timeOf(text: string): Date | undefined {
  if (text === 'latest') return undefined;
  const at = new Date(text);
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(+at))
    throw new BackupFault('--to: must be a time with its zone, like 2026-11-29T10:15:00Z, or latest');
  return at;
}

/** Proves the books and the user log of what was restored. Returns whether they hold. */
async function prove(url: string, dataDir: string): Promise<boolean> {
  const lead = Object.assign(new URL(url), { pathname: '/lead' }).href;
  const client = new pg.Client({ connectionString: lead });
  await client.connect();
  const { checks } = await auditLedger(client).finally(() => client.end());
  const broken = checks.filter(({ violations }) => violations > 0);
  for (const { name, examples } of broken) say(`BROKEN  ${[name, ...examples].join('\n        ')}`);
  if (broken.length === 0) say(`The ledger holds (${checks.length} checks).`);
  const file = join(dataDir, 'app-key');
  const key = process.env.APP_KEY ?? (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined);
  if (!key) {
    say('APP_KEY is not set, so the user log was not verified. Run npm run verify:log with it.');
    return broken.length === 0;
  }
  const { appKey, previousAppKeys } = loadConfig({ ...process.env, APP_KEY: key, SEED: 'none' });
  const breaks = (await verifyLog(lead, [appKey, ...previousAppKeys])).flatMap((one) => one.breaks);
  for (const { kind, id, words } of breaks) say(`BROKEN  user log, ${kind} ${id}: ${words}`);
  if (breaks.length === 0) say('The user log is intact.');
  return broken.length + breaks.length === 0;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      list: { type: 'boolean' },
      to: { type: 'string' },
      of: { type: 'string' },
    },
  });
  const dataDir = loadDataDir(process.env);
  const [given, ...more] = positionals;
  if (values.help || values.list) {
    const config = values.help ? undefined : loadBackupConfig(dataDir);
    say(config ? rangesInWords(await restorable(await openBackups(config))).replaceAll(', ', '\n') : USAGE);
    return 0;
  }
  if (more.length > 0 || Boolean(given) === Boolean(values.to)) throw new BackupFault(USAGE);
  let state: string;
  if (given) state = (await restore(resolve(given), dataDir, say)).made_at;
  else {
    const to = timeOf(values.to!);
    const store = await openBackups(loadBackupConfig(dataDir));
    const { base, lastCommit } = await restoreTo({ store, dataDir, to, of: values.of, log: say });
    state = `${to?.toISOString() ?? 'the end of the log'} (last commit: ${lastCommit ?? base.made_at})`;
  }
  const server = await startEmbedded({ dataDir, log: say });
  const holds = await prove(server.url, dataDir).finally(() => server.stop());
  say(`${dataDir} is restored to its state at ${state}. Run npm start to start it.`);
  return holds ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const known = [BackupFault, ConfigError, SealError].some((kind) => error instanceof kind);
    console.error(known || error instanceof Error ? (error as Error).message : error);
    process.exit(1);
  },
);
