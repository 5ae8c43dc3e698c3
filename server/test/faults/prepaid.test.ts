import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditLedger } from '../../features/money/ledger/index.ts';
import { type TestApp, testApp } from '../app.ts';
import { runs } from '../runs.ts';
import { crash, prepaidModel } from './prepaid-model.ts';

const LIVES = runs(12);

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    cards: {
      onStep(step) {
        if (crash.at !== step) return;
        crash.at = null;
        throw new Error('crash');
      },
    },
  });
});
afterAll(() => app.close());

test('[PAY-09] [PAY-02] prepaid balances agree with a model that adds up, whatever cards, processes and people do', {
  timeout: 600_000,
}, async () => {
  const report = await prepaidModel(app, { lives: LIVES, steps: 40, seed: 9 });
  expect(report.steps).toBe(LIVES * 40);
  expect(report.bought).toBeGreaterThan(LIVES * 3);
  expect(report.renewed).toBeGreaterThan(0);
  for (const count of [report.refunded, report.disputed, report.crashes, report.refused])
    expect(count).toBeGreaterThan(0);
  const { checks } = await auditLedger(app.admin);
  // The leads of this test are sales without a lead row.
  const odd = checks.filter((check) => check.violations > 0).map((check) => check.name);
  expect(odd).toEqual([expect.stringMatching(/^every lead with a price/)]);
});
