// What the commands that import files have in common: their arguments, the platform without a server, and how they end.
import { statSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { systemClock } from '../server/platform/clock.ts';
import { ConfigError, loadConfig } from '../server/platform/config.ts';
import { Vault } from '../server/platform/crypto.ts';
import { openDatabase, provisionLogins } from '../server/platform/db/connect.ts';
import { isMigrated } from '../server/platform/db/migrate.ts';
import { EventHub } from '../server/platform/events.ts';
import { Jobs } from '../server/platform/jobs.ts';
import { Metrics } from '../server/platform/metrics.ts';
import { openFiles } from '../server/platform/open-files.ts';
import type { Log, Platform } from '../server/platform/platform.ts';
import { findDatabase, NoDatabase } from './find-database.ts';
import { NoRoot } from './find-root.ts';

/** An error that the user at the terminal can fix; printed without a stack trace. */
export class Wrong extends Error {}

/**
 * The options of a command and the one file that it imports. --help prints the usage and ends the process.
 * @throws Wrong saying what is wrong with the arguments
 */
export function readArguments<const O extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: O,
  usage: string,
) {
  const parse = () => parseArgs({ args, allowPositionals: true, options });
  let parsed: ReturnType<typeof parse>;
  try {
    if (parseArgs({ args, strict: false, options: { help: { type: 'boolean', short: 'h' } } }).values.help) {
      console.log(usage);
      process.exit(0);
    }
    parsed = parse();
  } catch (error) {
    throw new Wrong(`${(error as Error).message}\n\n${usage}`);
  }
  const [file, ...more] = parsed.positionals;
  if (!file) throw new Wrong(`FILE is missing.\n\n${usage}`);
  if (more.length > 0)
    throw new Wrong(`Only one file at a time can be imported. Remove ${more.join(', ')}.\n\n${usage}`);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw new Wrong(`FILE: ${file} ${stats ? 'is not a file' : 'does not exist'}.`);
  return { values: parsed.values, file };
}

/**
 * Runs an import on this installation's database, which may be in use. SIGINT and SIGTERM abort the signal.
 * @returns the exit code of `work`, or 130 if it was stopped
 */
async function withPlatform(
  work: (platform: Platform, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const config = loadConfig({ ...process.env, SEED: 'none' });
  const database = await findDatabase(config);
  const closing: (() => Promise<unknown>)[] = [database.close];
  try {
    const db = openDatabase(await provisionLogins(database.url, config.appKey), 4);
    closing.unshift(() => db.close());
    const migrated = await isMigrated((text) => db.appPool.query(text)).catch(() => false);
    if (!migrated)
      throw new Wrong('The database is not on this version. Start the platform once, then run the import.');
    const metrics = new Metrics();
    const platform: Platform = {
      config,
      db,
      clock: systemClock,
      vault: new Vault(config.appKey, config.previousAppKeys),
      jobs: new Jobs(database.url, false, () => {}, { metrics }),
      metrics,
      events: new EventHub(),
      files: await openFiles(config, systemClock),
      log: console as unknown as Log,
    };
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    return await work(platform, stop.signal);
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    console.error('Stopped. Run the same command again to continue.');
    return 130;
  } finally {
    for (const close of closing) await close();
  }
}

/**
 * Runs a command and ends the process with its exit code. Errors of the kinds in `known`, and those of every import, are
 * printed as they are, others with a stack trace; both exit with 1.
 */
export function runImport<Given>(
  read: () => Given,
  work: (given: Given, platform: Platform, signal: AbortSignal) => Promise<number>,
  known: readonly (new (...args: never[]) => Error)[],
): void {
  const start = async () => {
    const given = read();
    return withPlatform((platform, signal) => work(given, platform, signal));
  };
  start().then(
    (code) => process.exit(code),
    (error: unknown) => {
      const isKnown = [Wrong, NoDatabase, NoRoot, ConfigError, ...known].some(
        (kind) => error instanceof kind,
      );
      console.error(isKnown ? (error as Error).message : error);
      process.exit(1);
    },
  );
}
