// npm run verify:log [-- --head HASH ...]
import { parseArgs } from 'node:util';
import { type Verdict, verifyLog } from '../server/features/accounts/audit/index.ts';
import { ConfigError, loadConfig } from '../server/platform/config.ts';
import { findDatabase, NoDatabase } from './find-database.ts';

const USAGE = `Usage: npm run verify:log [-- --head HASH ...]

Recomputes the hash chain of the user log and reports what was altered, removed, or inserted afterward. Exits with 1 if anything was.

  --head  the end of a chain that this command printed earlier and that was saved elsewhere. It must still be in a chain.
          If not, the log was cut off before it.

Uses the database in DATABASE_URL, or else the one in DATA_DIR. It may be in use.`;

const number = (value: number): string => value.toLocaleString('en-US');

/** Prints the verdicts; returns the exit code. */
function tell(verdicts: Verdict[], heads: string[]): number {
  let breaks = 0;
  for (const one of verdicts) {
    console.log(
      `Root ${one.rootId}: ${number(one.rows)} rows in ${number(one.seals)} seals, ` +
        `${number(one.erased)} with an erased detail, ${number(one.unsealed)} not sealed yet` +
        `${one.unsealedSince ? ` (the oldest from ${one.unsealedSince.toISOString()})` : ''}.`,
    );
    if (one.unproven > 0)
      console.log(
        `  ${number(one.unproven)} seals use an application key that is not known here (APP_KEY_PREVIOUS): their hashes match, but their origin cannot be verified.`,
      );
    for (const { kind, id, words } of one.breaks)
      console.log(`  ${kind.toUpperCase()}  ${kind === 'seal' ? 'seal' : 'row'} ${id}: ${words}.`);
    if (one.head) console.log(`  End of the chain: ${one.head}`);
    breaks += one.breaks.length;
  }
  for (const head of heads) {
    if (verdicts.some((one) => one.hashes.has(head.toLowerCase()))) continue;
    console.log(`  CUT  --head ${head}: no chain contains it anymore.`);
    breaks++;
  }
  if (verdicts.length === 0) console.log('There is no log yet.');
  console.log(breaks === 0 ? 'The log is intact.' : `The log is broken in ${number(breaks)} places.`);
  return breaks === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { head: { type: 'string', multiple: true }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const config = loadConfig({ ...process.env, SEED: 'none' });
  const database = await findDatabase(config);
  try {
    return tell(await verifyLog(database.url, [config.appKey, ...config.previousAppKeys]), values.head ?? []);
  } finally {
    await database.close();
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const isArgument = String((error as { code?: string }).code).startsWith('ERR_PARSE_ARGS');
    if (isArgument) console.error(`${(error as Error).message}\n\n${USAGE}`);
    else console.error(error instanceof NoDatabase || error instanceof ConfigError ? error.message : error);
    process.exit(1);
  },
);
