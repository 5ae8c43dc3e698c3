// npm run import:company -- FILE (--agency ID | --root ROOT) [--yes] [--balances open|none] [--new-ids] [--compare]
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Refusal } from '../contract/errors.ts';
import {
  type Comparison,
  comparisonHtml,
  comparisonText,
  type Progress,
  resultText,
} from '../server/features/accounts/company-imports/index.ts';
import type { Tenants } from '../server/features/accounts/tenants/index.ts';
import { inScope } from '../server/platform/db/scope.ts';
import type { Platform } from '../server/platform/platform.ts';
import { createServices } from '../server/services.ts';
import { findRoot } from './find-root.ts';
import { readArguments, runImport, Wrong } from './importing.ts';

const USAGE = `Usage: npm run import:company -- FILE (--agency ID | --root ROOT) [options]

Imports a full export (docs/export-format.md) of a client or an agency. Without --yes, everything is tried and undone, and
you see what would happen. Nothing of an import is visible until all of it is there, and it is there only if it compares
equal. An import that was cut off goes on when it is started again.

  FILE        the archive (.tar.gz)
  --agency    for a client: the ID of the agency that receives it
  --root      for an agency: the root's ID, its host, or the word master
  --yes       imports it
  --balances  what becomes of prepaid and wallet balances: open (the agency or root owes them here) or none (they stay
              documents). Required with --yes if there are any
  --new-ids   imports once more what is here already. Ids that are taken are replaced in any case
  --compare   only compares the archive with what an earlier import of it has made
  --most N    how many differences are named for each table (20)

A comparison is also written next to FILE, as FILE.comparison.html and FILE.comparison.json.
Exits with 0 if all is equal, 2 if there are differences, 1 if something is wrong.

Uses the database in DATABASE_URL, or else the one in DATA_DIR. It may be in use.`;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function readGiven() {
  const { values, file } = readArguments(
    process.argv.slice(2),
    {
      agency: { type: 'string' },
      root: { type: 'string' },
      yes: { type: 'boolean' },
      balances: { type: 'string' },
      'new-ids': { type: 'boolean' },
      compare: { type: 'boolean' },
      most: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
    USAGE,
  );
  if (Boolean(values.agency) === Boolean(values.root))
    throw new Wrong(`Give either --agency (for a client) or --root (for an agency).\n\n${USAGE}`);
  if (values.agency && !UUID.test(values.agency))
    throw new Wrong(`--agency: "${values.agency}" is not an ID.`);
  const { balances } = values;
  if (balances !== undefined && balances !== 'open' && balances !== 'none')
    throw new Wrong(`--balances: must be open or none, not "${balances}".`);
  const most = Number(values.most ?? 20);
  if (!Number.isInteger(most) || most < 0 || most > 10_000)
    throw new Wrong(`--most: must be a whole number from 0 to 10000, not "${values.most}".`);
  return {
    file,
    agency: values.agency?.toLowerCase(),
    root: values.root,
    isReal: values.yes ?? false,
    isCompare: values.compare ?? false,
    newIds: values['new-ids'] ?? false,
    balances: balances as 'open' | 'none' | undefined,
    most,
  };
}

/** The root of an agency. */
async function rootOf({ db }: Platform, tenants: Tenants, agencyId: string): Promise<string> {
  for (const rootId of await tenants.roots()) {
    const company = await inScope(db.app, { rootId, isRead: true }, (tx) => tenants.company(tx, agencyId));
    if (company?.kind === 'agency') return rootId;
    if (company) throw new Wrong(`--agency: ${company.name} is not an agency.`);
  }
  throw new Wrong(`--agency: there is no agency with the ID ${agencyId}.`);
}

/** Prints the steps of an import, at most one line a second. */
function teller(): (step: Progress) => void {
  const STEPS = { checking: 'Checking', reading: 'Reading', importing: 'Importing', comparing: 'Comparing' };
  let [last, at] = ['', 0];
  return ({ step, done, of, table }) => {
    const now = performance.now();
    if (step === last && now - at < 1000 && done < of) return;
    [last, at] = [step, now];
    const part = of > 1 ? ` ${Math.round((100 * done) / of)}%` : '';
    console.log(`${STEPS[step]}${part}${table ? ` (${table})` : ''}`);
  };
}

runImport(
  readGiven,
  async (given, platform, signal) => {
    const { tenants, companyImports } = createServices(platform);
    const target = given.agency
      ? { rootId: await rootOf(platform, tenants, given.agency), agencyId: given.agency }
      : { rootId: await findRoot(tenants, given.root!) };
    const options = { signal, progress: teller(), mostDifferences: given.most };
    const report = (comparison: Comparison): number => {
      const path = `${given.file}.comparison`;
      writeFileSync(`${path}.html`, comparisonHtml(`Comparison of ${basename(given.file)}`, comparison));
      writeFileSync(`${path}.json`, `${JSON.stringify(comparison, null, 1)}\n`);
      for (const line of comparisonText(comparison)) console.log(line);
      console.log(`Written: ${path}.html, ${path}.json`);
      return comparison.isEqual ? 0 : 2;
    };
    if (given.isCompare)
      return report((await companyImports.compare(given.file, target, options)).comparison);
    const result = await companyImports.import(given.file, target, {
      ...options,
      dryRun: !given.isReal,
      newIds: given.newIds,
      balances: given.balances,
    });
    if (result.resumedAt > 0) console.log(`Went on after ${result.resumedAt.toLocaleString('en-US')} files.`);
    console.log();
    for (const line of resultText(result)) console.log(line);
    const code = report(result.comparison);
    if (code !== 0)
      console.log('Nothing was imported, because the result would not be what the archive has.');
    else if (!given.isReal) console.log('Nothing was imported yet. Add --yes to import it.');
    return code;
  },
  [Refusal],
);
