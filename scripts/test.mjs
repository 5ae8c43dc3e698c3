// npm test [-- FILTER ...]: sets up, builds, runs unit and integration tests, then the browser tests, and ends with
// one line that adds up both.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runNode } from './child.mjs';
import { root, setup } from './setup.mjs';

const node = setup();
const filters = process.argv.slice(2);
const built = await runNode(node, ['scripts/build.ts', '--if-needed']);
if (built !== 0) {
  console.log('\n0 passed, 1 failed');
  process.exit(1);
}

/** @type {import('./tally.ts').Tally} */
const total = { passed: 0, skipped: 0, failed: [], flaky: [] };
const reports = join(root, 'reports');
mkdirSync(reports, { recursive: true });

for (const projects of [['unit', 'replacing'], ['e2e']]) {
  const report = join(reports, `${projects[0]}.json`);
  rmSync(report, { force: true });
  const code = await runNode(
    node,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...projects.map((project) => `--project=${project}`),
      '--reporter=default',
      '--reporter=./scripts/tally.ts',
      '--passWithNoTests',
      ...filters,
    ],
    { env: { ...process.env, TALLY: report } },
  );
  /** @type {import('./tally.ts').Tally} */
  const tally = existsSync(report)
    ? JSON.parse(readFileSync(report, 'utf8'))
    : { passed: 0, skipped: 0, failed: [], flaky: [] };
  if (code !== 0 && tally.failed.length === 0)
    tally.failed.push({ name: projects.join(' and '), why: `Vitest ended with exit code ${code}.` });
  total.passed += tally.passed;
  total.skipped += tally.skipped;
  total.failed.push(...tally.failed);
  total.flaky.push(...tally.flaky);
}

if (total.passed + total.failed.length + total.skipped === 0)
  total.failed.push({ name: filters.join(' '), why: 'No test matches.' });
if (total.flaky.length > 0)
  console.log(`\nFailed once, passed when tried again:\n  ${total.flaky.join('\n  ')}`);
for (const { name, why } of total.failed) console.log(`\nFailed: ${name}\n${why.replace(/^/gm, '    ')}`);
const skipped = total.skipped ? `, ${total.skipped} skipped` : '';
console.log(`\n${total.passed} passed, ${total.failed.length} failed${skipped}`);
process.exit(total.failed.length > 0 ? 1 : 0);
