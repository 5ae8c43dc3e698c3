import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from './app.ts';
import { compareAmounts, openYear } from './year.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ cards: { answerTimeoutMs: 5_000, wait: async () => {} } });
});
afterAll(() => app?.close());

// A few weeks on every test run; `npm run demo:year` simulates a whole year and compares at the end of each month.
const isWhole = process.env.YEAR === 'whole';

test('[PAY-03] after weeks of trade each list, tile, chart, mail and file with an amount says what the ledger says', async () => {
  const year = await openYear(app);
  for (let month = 0; month < (isWhole ? 12 : 1); month++) {
    await year.pass(isWhole ? 31 : 40, isWhole ? 1 : 4);
    const { compared, differing } = await compareAmounts(year);
    if (isWhole)
      console.log(
        `${app.clock.now().toISOString().slice(0, 10)}: ${compared} amounts, ${differing.length} differ`,
      );
    expect(differing).toEqual([]);
    expect(compared).toBeGreaterThan(60);
  }
  // At least one of each kind has occurred.
  const { rows } = await app.admin.query('select distinct kind from transfer order by kind');
  expect(rows.map((row) => row.kind)).toEqual(
    expect.arrayContaining([
      'lead',
      'lead_return',
      'client_grant',
      'wallet_grant',
      'monthly_fee',
      'platform_fee',
      'invoice',
      'payment',
      'wallet_top_up',
      'top_up',
    ]),
  );
});
