import { afterAll, beforeAll, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

const USD = 1_000_000n;
const HOST = 'acme.root.test';
let app: TestApp;
let root: Company;
let acme: Company;
let client: Company;
let token: string;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: HOST });
  await app.make.leadCost(acme, 900_000n);
  client = await app.make.client(acme);
  await app.make.user(acme, { email: 'agency@x.test', password: PASSWORD });
  token = await app.signIn('agency@x.test', HOST);
});
afterAll(() => app.close());

/** New people visit; how many of them are leads now. */
async function visit(campaign: MadeCampaign, count: number) {
  const people = Array.from({ length: count }, () => app.make.person());
  await app.make.people(root, people);
  for (const { email } of people) await app.make.visit(campaign, { email });
  await app.features.leads.resolver.resolveAll();
  const { rows } = await app.admin.query(
    'select id, price_micros::int as price, cost_micros::int as cost from lead where campaign_id = $1 order by id',
    [campaign.id],
  );
  return rows as { id: string; price: number; cost: number }[];
}
const accounts = async (company: Company) =>
  Object.fromEntries(
    (
      await app.admin.query(
        `select a.kind, sum(e.amount)::int as sum from entry e join account a on a.id = e.account_id where e.company_id = $1 group by 1`,
        [company.id],
      )
    ).rows.map((row) => [row.kind, row.sum]),
  );
const stateOf = async (campaign: MadeCampaign) =>
  (await app.admin.query('select state, state_reason from campaign where id = $1', [campaign.id])).rows[0];
const manual = (manual_bill: boolean) => app.make.terms(acme, { manual_bill });

test.each(['Weekly', 'Monthly'] as const)(
  '[PAY-04] %s: leads are owed, and no balance is needed',
  async (term) => {
    const own = await app.make.client(acme);
    const campaign = await app.make.campaign(own, { price: 2n * USD, costs: { term } });
    const leads = await visit(campaign, 3);
    expect(leads.map(({ price }) => price)).toEqual([2_000_000, 2_000_000, 2_000_000]);
    expect(await accounts(own)).toEqual({ client_unbilled: -6_000_000 });
    expect((await stateOf(campaign)).state).toBe('active');
    // A returned lead is no longer owed.
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.billing.returnLead(
        tx,
        { id: leads[0]!.id, rootId: root.id, agencyId: acme.id, clientId: own.id, campaignId: campaign.id },
        'retail',
        app.clock.now(),
      ),
    );
    expect(await accounts(own)).toEqual({ client_unbilled: -4_000_000 });
    const { body } = await app.call('GET', `/api/ledger/statement?companyID=${own.id}`, {
      host: HOST,
      token,
    });
    expect(body).toMatchObject({ balance_micros: -4_000_000 });
    const lines = body.data as unknown as { price_micros: number; kind: string }[];
    expect(lines.find(({ kind }) => kind === 'lead_return')).toMatchObject({ price_micros: -2_000_000 });
  },
);

test('[PAY-04] Prepaid and One Time stop when the balance is empty', async () => {
  for (const term of ['Prepaid', 'One Time'] as const) {
    const campaign = await app.make.campaign(client, { price: 2n * USD, balance: 4n * USD, costs: { term } });
    expect(await visit(campaign, 3)).toHaveLength(2);
    expect(await stateOf(campaign)).toEqual({ state: 'paused', state_reason: 'balance_empty' });
  }
});

test('[PAY-04] a limit stops leads that are owed, too', async () => {
  const campaign = await app.make.campaign(client, { price: 2n * USD, costs: { term: 'Weekly' } });
  const { status } = await app.call('PUT', '/api/ledger/caps', {
    host: HOST,
    token,
    body: { subject: 'campaign', subjectID: campaign.id, period: 'day', hard: '5' },
  });
  expect(status).toBe(200);
  expect(await visit(campaign, 4)).toHaveLength(2);
  expect(await stateOf(campaign)).toEqual({ state: 'paused', state_reason: 'cap_campaign' });
});

test('[PAY-04] a new campaign that owes its leads runs at once; one that is prepaid waits for its balance', async () => {
  const make = async (PaymentTerm: string) =>
    (
      await app.call('POST', '/api/leadspeek/client/create', {
        host: HOST,
        token,
        body: {
          companyID: client.id,
          campaignName: 'New',
          urlCode: 'https://shop.example/',
          CostSet: '3',
          PaymentTerm,
        },
      })
    ).body.data as unknown as { status: string; statusReason: string | null };
  expect(await make('Monthly')).toMatchObject({ status: 'active' });
  expect(await make('Prepaid')).toMatchObject({ status: 'paused', statusReason: 'balance_empty' });
});

test('[PAY-05] an agency that bills its clients outside sells for nothing here, and pays wholesale', async () => {
  const own = await app.make.client(acme);
  const campaign = await app.make.campaign(own, { price: 2n * USD });
  await manual(true);
  try {
    expect(await visit(campaign, 2)).toMatchObject([
      { price: 0, cost: 900_000 },
      { price: 0, cost: 900_000 },
    ]);
    expect(await accounts(own)).toEqual({});
    expect((await stateOf(campaign)).state).toBe('active');
  } finally {
    await manual(false);
  }
  expect(await visit(campaign, 1)).toHaveLength(2);
});
