import { afterAll, beforeAll, expect, test } from 'vitest';
import { inScope } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import { type TestApp, testApp } from '../../test/app.ts';
import type { Company, MadeCampaign } from '../../test/factories.ts';
import { auditLedger } from '../ledger/index.ts';

const USD = 1_000_000n;
let app: TestApp;
let root: Company;
const campaigns: MadeCampaign[] = [];

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ isMaster: true });
  for (let i = 0; i < 6; i++) {
    const agency = await app.make.agency(root);
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.wallet.topUp(
        tx,
        { rootId: root.id, agencyId: agency.id, amountMicros: 100n * USD, key: 'test' },
        app.clock.now(),
      ),
    );
    campaigns.push(
      await app.make.campaign(await app.make.client(agency), { price: 2n * USD, balance: 20n * USD }),
    );
  }
});
afterAll(() => app?.close());

const saleOn = (campaign: MadeCampaign, more: object = {}) => ({
  id: newId(app.clock.now()),
  rootId: root.id,
  agencyId: campaign.owner.agency_id,
  clientId: campaign.owner.company_id,
  campaignId: campaign.id,
  priceMicros: 2n * USD,
  costMicros: USD,
  ...more,
});
const sell = (sale: ReturnType<typeof saleOn>) => app.features.billing.sell(sale);
const left = async (campaign: MadeCampaign): Promise<bigint | undefined> =>
  inScope(app.platform.db.app, { rootId: root.id }, async (tx) =>
    (await app.features.billing.prepaidOf(tx, [campaign.id])).get(campaign.id),
  );
const transactions = async (ids: (string | null)[]): Promise<number> =>
  (
    await app.admin.query(
      'select count(distinct xmin::text)::int as count from transfer where id = any($1)',
      [ids],
    )
  ).rows[0].count;

test('[PAY-03] leads that are sold at once share a transaction, and each is answered after it', async () => {
  const sales = campaigns.flatMap((campaign) => [saleOn(campaign), saleOn(campaign)]);
  const ids = await Promise.all(
    sales.map(async (sale) => {
      const id = await sell(sale);
      // What was answered is there for everybody.
      const posted = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
        app.features.ledger.posted(tx, root.id, `lead:${sale.id}`),
      );
      expect(posted?.id).toBe(id);
      return id;
    }),
  );
  expect(new Set(ids).size).toBe(sales.length);
  expect(await transactions(ids)).toBe(1);
  for (const campaign of campaigns) expect(await left(campaign)).toBe(16n * USD);
});

test('[PAY-03] who fails in such a transaction fails alone, and the same lead is sold once', async () => {
  const [poor, foreign, fine, other] = campaigns as [MadeCampaign, MadeCampaign, MadeCampaign, MadeCampaign];
  const twice = saleOn(fine);
  const results = await Promise.allSettled([
    sell(saleOn(fine)),
    sell(saleOn(poor, { priceMicros: 17n * USD })),
    sell(saleOn(other, { excessMicros: 1n })),
    sell(saleOn(other)),
    sell(twice),
    sell(twice),
  ]);
  const [, empty, below, , first, second] = results as [
    never,
    PromiseRejectedResult,
    PromiseRejectedResult,
    never,
    PromiseFulfilledResult<string>,
    PromiseFulfilledResult<string>,
  ];
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  expect(empty.reason).toMatchObject({ code: '23514' });
  expect(below.reason).toMatchObject({ code: 'conflict' });
  expect([first.value, second.value]).toEqual([expect.any(String), null]);
  expect([await left(poor), await left(fine), await left(other)]).toEqual([16n * USD, 12n * USD, 14n * USD]);

  // One that breaks the transaction of all takes none of the others along.
  const broken = await Promise.allSettled([
    sell(saleOn(fine)),
    sell(saleOn(foreign, { clientId: newId(app.clock.now()) })),
    sell(saleOn(other)),
  ]);
  expect(broken.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect([await left(fine), await left(other), await left(foreign)]).toEqual([
    10n * USD,
    12n * USD,
    16n * USD,
  ]);
  const { rows } = await app.admin.query(`select count(*)::int as count from spend_day where micros < 0`);
  expect(rows[0].count).toBe(0);
  await app.admin.query(`insert into lead (id, root_id, agency_id, company_id, campaign_id, match_kind, confidence, price_micros, cost_micros, transfer_id, created_at)
    select t.reference_id, t.root_id, t.agency_id, t.company_id, t.campaign_id, 1, 98, ${2n * USD}, ${USD}, t.id, t.created_at from transfer t where kind = 'lead'`);
  const { checks } = await auditLedger(app.admin);
  expect(checks.filter((check) => check.violations > 0)).toEqual([]);
});
