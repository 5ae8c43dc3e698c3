// npm run audit [-- --database-url URL]: proves the ledger's invariants over the whole database. Reads only, in one snapshot, takes no
// lock that anybody waits for, and may run on a live system. Prints what it counted and each violation; exit 1 when there is one.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { auditLedger } from '../server/features/ledger/index.ts';
import { loadConfig } from '../server/platform/config.ts';
import { embeddedUrl } from '../server/platform/db/embedded.ts';

const { values } = parseArgs({ options: { 'database-url': { type: 'string' } } });
const config = loadConfig(process.env);
const url =
  values['database-url'] ??
  config.databaseUrl ??
  embeddedUrl(config.dataDir)?.replace(/\/postgres$/, '/lead');
if (!url) {
  console.error(
    `DATA_DIR: there is no database in ${config.dataDir}. Run npm start once, or set DATABASE_URL.`,
  );
  process.exit(1);
}
const client = new pg.Client({ connectionString: url, application_name: 'lead audit' });
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
  process.exitCode = checks.some((check) => check.violations > 0) ? 1 : 0;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await client.end();
}
