import { afterAll, beforeAll, expect, test } from 'vitest';
import { inScope } from '../platform/db/scope.ts';
import { type TestApp, testApp } from './app.ts';
import { type Dues, duesOf } from './dues.ts';
import type { Company, MadeCampaign } from './factories.ts';

const USD = 1_000_000n;
const DAY = 86_400_000;
let app: TestApp;
let root: Company;
let dues: Dues;
type Party = { agency: Company; client: Company; campaign: MadeCampaign };
/** The first of two agencies, whose money cannot be moved, and the second, which is not to blame. */
let broken: Party;
let good: Party;

beforeAll(async () => {
  app = await testApp({ cards: { answerTimeoutMs: 5_000, wait: async () => {} } });
  root = await app.make.root({ host: 'root.test', isMaster: true });
  dues = duesOf(app, root);
  const party = async (): Promise<Party> => {
    const agency = await dues.agency();
    const client = await dues.client(agency);
    const costs = { term: 'Prepaid', topup: 'continual', leads_buy: 20, setup_micros: 5n * USD } as const;
    const campaign = await app.make.campaign(client.company, { price: 10n * USD, costs });
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.wallet.topUp(
        tx,
        { rootId: root.id, agencyId: agency.company.id, amountMicros: 10n * USD, key: 'one' },
        app.clock.now(),
      ),
    );
    await app.admin.query(
      `insert into wallet_setting (company_id, root_id, agency_id, amount_micros, continual, state, updated_at)
       values ($1, $2, $1, 250000000, true, 'due', $3)`,
      [agency.company.id, root.id, app.clock.now()],
    );
    await app.admin.query(
      `insert into prepaid_auto (campaign_id, root_id, agency_id, company_id, state, updated_at) values ($1, $2, $3, $4, 'due', $5)
       on conflict (campaign_id) do update set state = 'due'`,
      [campaign.id, root.id, agency.company.id, client.company.id, app.clock.now()],
    );
    return { agency: agency.company, client: client.company, campaign };
  };
  broken = await party();
  // Of a later id, too.
  app.clock.advance(1000);
  good = await party();
});
afterAll(() => app.close());

/** Runs something while no posting and no balance of the broken agency can be touched. */
async function whileBroken(work: () => Promise<unknown>): Promise<unknown> {
  const { ledger } = app.features;
  const { lock, post } = ledger;
  const check = (owners: { agency_id: string | null }[]): void => {
    if (owners.some(({ agency_id }) => agency_id === broken.agency.id)) throw new Error('broken');
  };
  Object.assign(ledger, {
    lock: async (...given: Parameters<typeof lock>) => {
      check(given[1].map(({ owner }) => owner));
      return lock(...given);
    },
    post: async (...given: Parameters<typeof post>) => {
      check(given[1].map(({ owner }) => owner));
      return post(...given);
    },
  });
  try {
    return await work();
  } finally {
    Object.assign(ledger, { lock, post });
  }
}
const count = async (of: string, id: string): Promise<number> =>
  (await app.admin.query(`select count(*)::int as n from ${of} = $1`, [id])).rows[0].n;

test('[PAY-06] scheduled work about money goes on with the others of a root when one of them fails', async () => {
  const fails = (work: () => Promise<unknown>) => expect(whileBroken(work)).rejects.toThrow('broken');
  const { invoices, prepaid, dataWallet, wallet, payments } = app.features;

  const fees = 'campaign_fee where retail_micros > 0 and campaign_id';
  await fails(() => invoices.fees.sweep(root.id));
  expect([await count(fees, broken.campaign.id), await count(fees, good.campaign.id)]).toEqual([0, 1]);

  const renewals = 'prepaid_attempt where campaign_id';
  await fails(() => prepaid.auto.sweep(root.id));
  expect([await count(renewals, broken.campaign.id), await count(renewals, good.campaign.id)]).toEqual([
    0, 1,
  ]);

  const topUps = 'wallet_attempt where company_id';
  await fails(() => dataWallet.auto.sweep(root.id));
  expect([await count(topUps, broken.agency.id), await count(topUps, good.agency.id)]).toEqual([0, 1]);

  const expiries = `transfer where kind = 'wallet_expiry' and company_id`;
  app.clock.advance(400 * DAY);
  await fails(() => wallet.sweep(root.id));
  expect([await count(expiries, broken.agency.id), await count(expiries, good.agency.id)]).toEqual([0, 1]);

  const { gateway } = payments;
  const { listCharges } = gateway;
  const asked: (string | undefined)[] = [];
  gateway.listCharges = (of) => {
    asked.push(of.account);
    return asked.length === 1 ? Promise.reject(new Error('broken')) : listCharges(of);
  };
  try {
    await expect(payments.checks.compare(root.id)).rejects.toThrow('broken');
  } finally {
    gateway.listCharges = listCharges;
  }
  // The root's own account, and those of both agencies.
  expect(new Set(asked).size).toBe(3);
});
