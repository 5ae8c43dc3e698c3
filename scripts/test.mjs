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

const total = { passed: 0, failed: 0, skipped: 0 };
const reports = join(root, 'reports');
mkdirSync(reports, { recursive: true });

for (const projects of [['unit', 'replacing'], ['e2e']]) {
  const report = join(reports, `${projects[0]}.json`);
  rmSync(report, { force: true });
  const code = await runNode(node, [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...projects.map((project) => `--project=${project}`),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    '--passWithNoTests',
    ...filters,
  ]);
  const failedBefore = total.failed;
  if (existsSync(report)) {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    total.passed += result.numPassedTests;
    total.failed += result.numFailedTests;
    total.skipped += result.numPendingTests + result.numTodoTests;
    // A file that cannot be loaded has failed without a test of its own.
    for (const file of result.testResults) {
      if (file.status === 'failed' && file.assertionResults.length === 0) total.failed += 1;
    }
  }
  // Set-up or tear-down failed, or something was thrown outside every test.
  if (code !== 0 && total.failed === failedBefore) total.failed += 1;
}

const ran = total.passed + total.failed + total.skipped;
if (ran === 0) {
  console.error('No test matches.');
  total.failed = 1;
}
const skipped = total.skipped ? `, ${total.skipped} skipped` : '';
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed ? 1 : 0);
