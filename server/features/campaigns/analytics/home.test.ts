import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let agency: Company;
let client: Company;
const HOST = 'acme.test';
const tokens: Record<string, string> = {};

beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency, { name: 'Northwind' });
  const fresh = await app.make.client(agency, { name: 'Fresh' });
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  await app.make.user(fresh, { email: 'fresh@x.test', password: PASSWORD });
  await app.make.user(agency, { email: 'agency@x.test', password: PASSWORD });
  for (const who of ['client', 'fresh', 'agency']) tokens[who] = await app.signIn(`${who}@x.test`, HOST);
});
afterAll(() => app.close());

interface Home {
  attention: {
    kind: string;
    count: number;
    amount_micros: number | null;
    campaigns: { campaignName: string }[];
  }[];
  steps: { step: string; is_done: boolean }[] | null;
}
const home = async (who: string) =>
  (await app.call('GET', '/api/dashboard/home', { host: HOST, token: tokens[who]! })).body as unknown as Home;
const told = async (who: string) =>
  (await home(who)).attention.map(({ kind, count, campaigns }) => [
    kind,
    count,
    ...campaigns.map(({ campaignName }) => campaignName),
  ]);
const steps = async (who: string) => (await home(who)).steps?.map(({ step, is_done }) => [step, is_done]);
const hour = (campaign: { id: string }, hoursAgo: number, visits: number, leads = 0) =>
  app.admin.query(
    `insert into campaign_hour (campaign_id, hour, root_id, agency_id, company_id, visits, matched, leads, spend_micros)
     select id, date_trunc('hour', $2::timestamptz), root_id, agency_id, company_id, $3, 0, $4, 0 from campaign where id = $1`,
    [campaign.id, new Date(app.clock.now().getTime() - hoursAgo * 3_600_000), visits, leads],
  );

test('[BEY-33] the way to the first lead, step by step, until there is one', async () => {
  expect(await steps('fresh')).toEqual([
    ['campaign', false],
    ['pixel', false],
    ['lead', false],
  ]);
  expect((await steps('agency'))?.at(0)).toEqual(['client', true]);
  const campaign = await app.make.campaign(client, { name: 'Tents' });
  expect(await steps('client')).toEqual([
    ['campaign', true],
    ['pixel', false],
    ['lead', false],
  ]);
  // Another client's progress is not this one's.
  expect((await steps('fresh'))?.[0]).toEqual(['campaign', false]);
  await hour(campaign, 1, 5);
  expect((await steps('agency'))?.map(([, done]) => done)).toEqual([true, true, true, false]);
  await hour(campaign, 2, 5, 1);
  expect(await steps('client')).toBeUndefined();
});

test('[BEY-10] [BEY-33] a site of which nothing was heard for two days, but not one that was changed since or still sends visits', async () => {
  const silent = await app.make.campaign(client, { name: 'Silent' });
  const changed = await app.make.campaign(client, { name: 'Changed' });
  const paused = await app.make.campaign(client, { name: 'Paused' });
  app.clock.advance(3 * 86_400_000);
  for (const who of Object.keys(tokens)) tokens[who] = await app.signIn(`${who}@x.test`, HOST);
  await app.admin.query('update campaign set updated_at = $2 where id = $1', [changed.id, app.clock.now()]);
  await app.admin.query(`update campaign set state = 'paused' where id = $1`, [paused.id]);
  const { rows } = await app.admin.query(`select id from campaign where name = 'Tents'`);
  await hour(rows[0], 1, 3);
  expect(await told('client')).toEqual([['silent', 1, 'Silent']]);
  expect(await told('agency')).toEqual([['silent', 1, 'Silent']]);
  expect(await told('fresh')).toEqual([]);
  await hour(silent, 47, 1);
  expect(await told('client')).toEqual([]);
});

test('[BEY-33] campaigns that wait for balance or a price, and leads that a destination did not take', async () => {
  const [first, second] = [
    await app.make.campaign(client, { name: 'Boots' }),
    await app.make.campaign(client, { name: 'Coats' }),
  ];
  await app.admin.query(
    `update campaign set state = 'paused', state_reason = 'balance_empty' where id = any($1)`,
    [[first.id, second.id]],
  );
  expect(await told('client')).toEqual([['balance_empty', 2, 'Boots', 'Coats']]);
  await app.admin.query(`update campaign set state_reason = 'below_cost' where id = $1`, [second.id]);
  expect(await told('agency')).toEqual([
    ['balance_empty', 1, 'Boots'],
    ['below_cost', 1, 'Coats'],
  ]);
  expect(await told('fresh')).toEqual([]);
});

test('[BEY-33] payments that failed: its own, and for an agency those of its clients', async () => {
  const invoice = (side: string, number: string, status = 'open') =>
    app.admin.query(
      `with paid as (insert into transfer (id, root_id, agency_id, company_id, kind, idempotency_key, created_at)
         select gen_random_uuid(), root_id, agency_id, id, 'top_up', $3, $5 from company where id = $1 returning id)
       insert into invoice (id, root_id, agency_id, company_id, issuer_id, side, kind, period_key, number, seq, subtotal_micros,
         total_micros, paid_micros, issuer, payer, transfer_id, finalised_at, due_at, status, first_failed_at)
       select gen_random_uuid(), k.root_id, k.agency_id, k.id, k.parent_id, $2, 'period', $3, $3, right($3, 1)::int, 20000000, 20000000,
         5000000, '{}', '{}', paid.id, $5, $5, $4, $5 from company k, paid where k.id = $1`,
      [client.id, side, number, status, app.clock.now()],
    );
  await invoice('retail', 'INV-1');
  await invoice('retail', 'INV-2', 'paid');
  const payments = async (who: string) =>
    (await home(who)).attention
      .filter(({ amount_micros }) => amount_micros !== null)
      .map(({ kind, count, amount_micros }) => [kind, count, amount_micros]);
  expect(await payments('client')).toEqual([['own_payment', 1, 15_000_000]]);
  expect(await payments('agency')).toEqual([['client_payment', 1, 15_000_000]]);
  expect(await payments('fresh')).toEqual([]);
});
