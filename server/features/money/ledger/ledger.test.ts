import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { Metrics } from '../../../platform/metrics.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { createLedger, type Posting } from './index.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
const ledger = createLedger({ metrics: new Metrics() });
const USD = 1_000_000n;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root);
  client = await app.make.client(agency);
});
afterAll(() => app.close());

const owner = (company: Company) => ({
  root_id: company.root_id,
  agency_id: company.agency_id,
  company_id: company.id,
});
const at = new Date('2026-03-10T00:00:00Z');
const run = <T>(work: Parameters<typeof inScope<T>>[2]) =>
  inScope(app.platform.db.app, { rootId: root.id }, work);
const move = (key: string, campaignId: string, amount: bigint): Posting => ({
  owner: owner(client),
  kind: amount > 0n ? 'top_up' : 'lead',
  referenceId: campaignId,
  key,
  entries: [
    { account: { owner: owner(client), kind: 'client_prepaid', campaignId }, amount },
    {
      account: { owner: owner(agency), kind: amount > 0n ? 'card_clearing' : 'agency_revenue' },
      amount: -amount,
    },
  ],
});
const balanceOf = (campaignId: string) =>
  run((tx) => ledger.prepaidOf(tx, [campaignId])).then((m) => m.get(campaignId) ?? 0n);

/** The invariants of the ledger, over everything that is in it. */
async function audit(): Promise<void> {
  const { rows: crooked } = await app.admin.query(
    'select transfer_id from entry group by 1 having sum(amount) <> 0',
  );
  expect(crooked).toEqual([]);
  const { rows: off } = await app.admin.query(
    `select b.account_id from account_balance b where b.balance <> coalesce((select sum(amount) from entry e where e.account_id = b.account_id), 0) or b.balance < 0`,
  );
  expect(off).toEqual([]);
  const { rows: empty } = await app.admin.query(
    'select t.id from transfer t where not exists (select from entry e where e.transfer_id = t.id)',
  );
  expect(empty).toEqual([]);
}

describe('the ledger', () => {
  test('posts once per key and keeps the balance', async () => {
    const campaign = await app.make.campaign(client);
    const first = await run((tx) => ledger.post(tx, [move('k1', campaign.id, 5n * USD)], at));
    const again = await run((tx) =>
      ledger.post(tx, [move('k1', campaign.id, 5n * USD), move('k2', campaign.id, -2n * USD)], at),
    );
    expect(first).toEqual([expect.any(String)]);
    expect(again).toEqual([null, expect.any(String)]);
    expect(await balanceOf(campaign.id)).toBe(3n * USD);
    await audit();
  });

  test('refuses what does not sum to zero, in the code and in the database', async () => {
    const campaign = await app.make.campaign(client);
    const posting = move('k3', campaign.id, USD);
    posting.entries[1]!.amount += 1n;
    await expect(run((tx) => ledger.post(tx, [posting], at))).rejects.toThrow(/sum to zero/);
    const { rows } = await app.admin.query(
      'select t.id, e.account_id, e.account_code from transfer t join entry e on e.transfer_id = t.id limit 1',
    );
    await expect(
      app.admin.query(
        `insert into entry (transfer_id, line, root_id, company_id, account_id, account_code, amount, created_at) values ($1, 99, $2, $2, $3, $4, 5, now())`,
        [rows[0].id, root.id, rows[0].account_id, rows[0].account_code],
      ),
    ).rejects.toThrow(/sum to zero/);
    await audit();
  });

  test('refuses to fall below zero, and leaves nothing of the attempt', async () => {
    const campaign = await app.make.campaign(client, { balance: USD });
    await expect(run((tx) => ledger.post(tx, [move('k4', campaign.id, -USD - 1n)], at))).rejects.toThrow(
      /check constraint/,
    );
    expect(await balanceOf(campaign.id)).toBe(USD);
    await audit();
  });

  test('cannot be altered, not even by its owner', async () => {
    for (const table of ['transfer', 'entry']) {
      await expect(app.admin.query(`update ${table} set created_at = now()`)).rejects.toThrow(/append-only/);
      await expect(app.admin.query(`delete from ${table}`)).rejects.toThrow(/append-only/);
      await expect(app.admin.query(`truncate ${table} cascade`)).rejects.toThrow(/append-only/);
      await expect(run((tx) => tx.deleteFrom(table as 'entry').execute())).rejects.toThrow(
        /permission denied/,
      );
    }
  });

  test('200 debits of a dollar at once on 100 dollars: exactly 100', async () => {
    const campaign = await app.make.campaign(client, { balance: 100n * USD });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, i) =>
        run((tx) => ledger.post(tx, [move(`burst${i}`, campaign.id, -USD)], at)),
      ),
    );
    expect(outcomes.filter((o) => o.status === 'fulfilled')).toHaveLength(100);
    expect(await balanceOf(campaign.id)).toBe(0n);
    await audit();
  });

  test('agrees with a simple model over random sequences', async () => {
    const campaigns = await Promise.all([0, 1, 2].map(() => app.make.campaign(client)));
    const model = campaigns.map(() => 0n);
    const keys = new Set<string>();
    const step = fc.record({
      of: fc.nat(2),
      amount: fc.bigInt(-3n * USD, 4n * USD).filter((n) => n !== 0n),
      key: fc.nat(400),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        for (const { of, amount, key } of steps) {
          const name = `model${key}`;
          const seen = keys.has(name);
          const fits = model[of]! + amount >= 0n;
          const posted = await run((tx) =>
            ledger.post(tx, [move(name, campaigns[of]!.id, amount)], at),
          ).catch(() => 'refused' as const);
          if (seen) expect(posted).toEqual([null]);
          else if (fits) {
            expect(posted).toEqual([expect.any(String)]);
            keys.add(name);
            model[of]! += amount;
          } else expect(posted).toBe('refused');
        }
        for (const [i, campaign] of campaigns.entries()) expect(await balanceOf(campaign.id)).toBe(model[i]);
      }),
      { numRuns: 25 },
    );
    await audit();
  });
});
