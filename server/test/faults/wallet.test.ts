import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditLedger } from '../../features/money/ledger/index.ts';
import { type TestApp, testApp } from '../app.ts';
import { walletModel } from './wallet-model.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

test('[BEY-02] [PAY-03] the wallet agrees with a simple model over random lives, and the audit finds nothing', {
  timeout: 600_000,
}, async () => {
  const report = await walletModel(
    { ...app, query: (text, values) => app.admin.query(text, values) },
    { runs: 80, seed: 4 },
  );
  expect(report.sequences).toBe(80);
  expect(report.done).toBeGreaterThan(240);
  expect(report.refused).toBeGreaterThan(40);
  const { checks, counts } = await auditLedger(app.admin);
  // The leads of this test are sales without a lead row.
  const odd = checks.filter((check) => check.violations > 0).map((check) => check.name);
  expect(odd).toEqual([expect.stringMatching(/^every lead with a price/)]);
  expect(counts.entries).toBeGreaterThan(400);
});
