// npm run import:people -- FILE --root ID [--country CODE] [--map "COLUMN=FIELD" ...]
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PERSON_FIELDS } from '../contract/audience/people.ts';
import { createAudit } from '../server/features/accounts/audit/index.ts';
import { createTenants } from '../server/features/accounts/tenants/index.ts';
import { createPeople } from '../server/features/audience/people/index.ts';
import { systemClock } from '../server/platform/clock.ts';
import { ConfigError, loadConfig } from '../server/platform/config.ts';
import { type CountryCode, countryOf, HOME_COUNTRY } from '../server/platform/countries.ts';
import { Vault } from '../server/platform/crypto.ts';
import { FileFault, TooLarge } from '../server/platform/csv-reader.ts';
import { openDatabase, provisionLogins } from '../server/platform/db/connect.ts';
import { isMigrated } from '../server/platform/db/migrate.ts';
import { EventHub } from '../server/platform/events.ts';
import { Jobs } from '../server/platform/jobs.ts';
import { Metrics } from '../server/platform/metrics.ts';
import { openFiles } from '../server/platform/open-files.ts';
import type { Log } from '../server/platform/platform.ts';
import { findDatabase, NoDatabase } from './find-database.ts';
import { findRoot, NoRoot } from './find-root.ts';

/** Wraps names in lines of at most 80 characters, indenting each continuation line like the first. */
function inLines(names: readonly string[]): string {
  const lines = [''];
  for (const name of names) {
    const longer = lines.at(-1) ? `${lines.at(-1)}, ${name}` : name;
    if (longer.length > 80) lines.push(name);
    else lines[lines.length - 1] = longer;
  }
  return lines.join(',\n          ');
}

const USAGE = `Usage: npm run import:people -- FILE --root ROOT [--country CODE] [--map "COLUMN=FIELD" ...]

  FILE    a CSV file with column names in its first line, in UTF-8 (or UTF-16 with a byte order mark)
  ROOT    the root's id, its host, or the word master
  --country
          where phone numbers without a country code are from: a code such as US (the default) or GB;
          a country column in the file takes precedence
  --map   what a column means where its name does not tell; FIELD is one of
          ${inLines(PERSON_FIELDS)}

The database is that of DATABASE_URL, else the one in DATA_DIR. An import that was cut off goes on when it is started again.`;

/** An error that the user at the terminal can fix; printed without a stack trace. */
class Wrong extends Error {}

type Field = (typeof PERSON_FIELDS)[number];

function readArguments(args: string[]): {
  file: string;
  root: string;
  country: CountryCode;
  mapping: Record<string, Field>;
} {
  let parsed: ReturnType<typeof parse>;
  const parse = () =>
    parseArgs({
      args,
      allowPositionals: true,
      options: {
        root: { type: 'string' },
        country: { type: 'string' },
        map: { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h' },
      },
    });
  try {
    parsed = parse();
  } catch (error) {
    throw new Wrong(`${(error as Error).message}\n\n${USAGE}`);
  }
  const { values, positionals } = parsed;
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const [file, ...more] = positionals;
  if (!file) throw new Wrong(`FILE is missing.\n\n${USAGE}`);
  if (more.length > 0)
    throw new Wrong(`Only one file at a time can be imported. Remove ${more.join(', ')}.\n\n${USAGE}`);
  if (!values.root) throw new Wrong(`--root is missing.\n\n${USAGE}`);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw new Wrong(`FILE: ${file} ${stats ? 'is not a file' : 'does not exist'}.`);
  const country = countryOf(values.country ?? HOME_COUNTRY);
  if (!country)
    throw new Wrong(`--country: "${values.country}" is not a country code. Use a code such as US or GB.`);
  const mapping: Record<string, Field> = {};
  for (const pair of values.map ?? []) {
    const at = pair.lastIndexOf('=');
    const field = pair.slice(at + 1) as Field;
    if (at < 1) throw new Wrong(`--map: "${pair}" must have the form COLUMN=FIELD.`);
    if (!PERSON_FIELDS.includes(field))
      throw new Wrong(`--map: unknown field "${field}". Use one of ${PERSON_FIELDS.join(', ')}.`);
    mapping[pair.slice(0, at)] = field;
  }
  return { file, root: values.root, country, mapping };
}

async function main(): Promise<number> {
  const { file, root, country, mapping } = readArguments(process.argv.slice(2));
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
    const platform = {
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
    const rootId = await findRoot(createTenants(platform), root);
    const identity = createPeople(platform, { audit: createAudit(platform.events) });

    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    const began = performance.now();
    let before = 0;
    const end = await identity.importFile(rootId, file, mapping, {
      country,
      signal: stop.signal,
      begun({ id, resumedAt }) {
        before = resumedAt;
        console.log(
          resumedAt > 0
            ? `Import ${id} is resuming after ${number(resumedAt)} rows.`
            : `Import ${id} is starting.`,
        );
      },
      progress(job) {
        const rate = (job.rows_read - before) / ((performance.now() - began) / 1000);
        console.log(
          `${job.percentage.toFixed(1).padStart(5)}%  ${number(job.rows_read)} rows, ${number(Math.round(rate))} per second`,
        );
      },
    });
    if (end.state !== 'done')
      throw new Wrong(
        end.error ? `The import failed. ${end.error}` : `The import was stopped: ${end.state}.`,
      );
    console.log(
      `Done: ${number(end.rows_read)} rows; ${number(end.rows_added)} people added, ${number(end.rows_changed)} changed, ` +
        `${number(end.rows_same)} unchanged, ${number(end.rows_bad)} invalid; ${number(end.keys_added)} keys added.`,
    );
    if (end.phones_marked > 0)
      console.log(`${number(end.phones_marked)} phone numbers are on a do-not-call list.`);
    for (const { column, reason } of end.ignored) console.log(`Column ignored: ${column}. ${reason}.`);
    for (const { what, field, reason, count } of end.left_out)
      console.log(
        `Skipped: ${number(count)} ${what}${count === 1 ? '' : 's'} (${field ?? 'the row'} ${reason}).`,
      );
    if (end.left_out.length > 0)
      console.log(`Download the list with line numbers from the import's page (${end.id}).`);
    return 0;
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    console.error('Stopped. Run the same command again to continue.');
    return 130;
  } finally {
    for (const close of closing) await close();
  }
}

const number = (value: number): string => value.toLocaleString('en-US');

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const known = [Wrong, NoDatabase, NoRoot, FileFault, TooLarge, ConfigError].some(
      (kind) => error instanceof kind,
    );
    console.error(known ? (error as Error).message : error);
    process.exit(1);
  },
);
