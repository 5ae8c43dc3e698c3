// npm run audit [-- --database-url URL]: verifies the ledger's invariants over the whole database. Only reads, in one
// snapshot, takes no lock that anything else waits for, and may run on a live system. Prints what it counted and each
// violation, and lists the agencies that accepted the developer agreement without its fee; exits with 1 if there is a
// violation.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { acceptedUnpaid } from '../server/features/developer/api/index.ts';
import { auditLedger } from '../server/features/money/ledger/index.ts';
import { ConfigError, loadConfig } from '../server/platform/config.ts';
import { connectionOf } from '../server/platform/db/hosts.ts';
import { findDatabase, NoDatabase } from './find-database.ts';

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { 'database-url': { type: 'string' } } });
  const given = values['database-url'] ? { DATABASE_URL: values['database-url'] } : {};
  const database = await findDatabase(loadConfig({ ...process.env, ...given, SEED: 'none' }));
  const client = new pg.Client({ ...connectionOf(database.url), application_name: 'lead audit' });
  try {
    await client.connect();
    const { checks, counts } = await auditLedger(client);
    for (const [what, count] of Object.entries(counts))
      console.log(`${count.toLocaleString('en-US').padStart(14)}  ${what}`);
    console.log();
    for (const check of checks) {
      console.log(`${check.violations === 0 ? 'holds ' : 'BROKEN'}  ${check.name}`);
      for (const line of check.examples) console.log(`        ${line}`);
      if (check.violations > check.examples.length)
        console.log(`        and ${check.violations - check.examples.length} more`);
    }
    const unpaid = await acceptedUnpaid(client);
    if (unpaid.length > 0)
      console.log(
        '\nAccepted the developer agreement, and its fee was never posted. Turn developer mode off and on:',
      );
    for (const line of unpaid) console.log(`        ${line}`);
    return checks.some((check) => check.violations > 0) ? 1 : 0;
  } finally {
    await client.end();
    await database.close();
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const known = error instanceof NoDatabase || error instanceof ConfigError;
    console.error(known || (error instanceof Error && !process.env.DEBUG) ? error.message : error);
    process.exit(1);
  },
);
