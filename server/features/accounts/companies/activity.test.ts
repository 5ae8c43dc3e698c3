import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { type Dues, duesOf } from '../../../test/dues.ts';
import type { Company } from '../../../test/factories.ts';

const USD = 1_000_000n;
let app: TestApp;
let root: Company;
let dues: Dues;

beforeAll(async () => {
  app = await testApp({ cards: { answerTimeoutMs: 5_000, wait: async () => {} } });
  root = await app.make.root({ host: 'root.test', isMaster: true });
  await app.make.user(root, { email: 'root@x.test', password: PASSWORD });
  dues = duesOf(app, root);
});
afterAll(() => app.close());

/** The activity of the rows below a company, by their ids. */
async function activity(parent: Company, who = { email: 'root@x.test', host: 'root.test' }, search = 'all') {
  const type = parent.id === root.id ? 'userdownline' : 'client';
  const { status, body } = await app.call(
    'GET',
    `/api/configuration/user/${parent.id}/all/all/${type}/all/all/all/${search}?PerPage=100`,
    { host: who.host, token: await app.signIn(who.email, who.host) },
  );
  expect([status, body.message]).toEqual([200, undefined]);
  return new Map(
    (body.data as { company_id: string; activity: unknown }[]).map((row) => [row.company_id, row.activity]),
  );
}
const lead = (
  of: { id: string; owner: { root_id: string; agency_id: string; company_id: string } },
  at: string,
) =>
  app.admin.query(
    `insert into lead (id, root_id, agency_id, company_id, campaign_id, match_kind, confidence, price_micros, cost_micros, created_at)
     values (gen_random_uuid(), $1, $2, $3, $4, 1, 98, 0, 0, $5)`,
    [of.owner.root_id, of.owner.agency_id, of.owner.company_id, of.id, at],
  );
const quiet = { last_lead_at: null, balance_micros: null, failing: '', failing_since: null };

describe('[AGCY-01] the activity of agencies and clients', () => {
  test('an agency shows the last lead of its clients and its wallet, a client its own lead and all its prepaid balances', async () => {
    const agency = await app.make.agency(root);
    const [busy, idle] = [await app.make.client(agency), await app.make.client(agency)];
    expect((await activity(root)).get(agency.id)).toEqual(quiet);
    const first = await app.make.campaign(busy, { balance: 30n * USD });
    await app.make.campaign(busy, { balance: 12_500_000n });
    await lead(first, '2026-03-01T10:00:00Z');
    await lead(first, '2026-03-04T10:00:00Z');
    await lead(first, '2026-03-02T10:00:00Z');
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.wallet.topUp(
        tx,
        { rootId: root.id, agencyId: agency.id, amountMicros: 120n * USD, key: 'activity' },
        app.clock.now(),
      ),
    );
    const last_lead_at = '2026-03-04T10:00:00.000Z';
    expect((await activity(root)).get(agency.id)).toEqual({
      ...quiet,
      last_lead_at,
      balance_micros: 120_000_000,
    });
    const below = await activity(agency);
    expect(below.get(idle.id)).toEqual(quiet);
    expect(below.get(busy.id)).toEqual({ ...quiet, last_lead_at, balance_micros: 42_500_000 });
  });

  test('a payment that fails is told with the first failure, and no more once it is paid', async () => {
    const agency = await dues.agency({ card: 'declined' });
    const client = await dues.client(agency, { card: 'declined' });
    const campaign = await app.make.campaign(client.company);
    await dues.lead(campaign, 30n * USD, 12n * USD);
    const at = new Date(app.clock.now());
    await dues.bill(client.company);
    await dues.jobs();
    app.clock.advance(3_600_000);
    const later = new Date(app.clock.now());
    await dues.fee(agency.company, 8n * USD);
    await dues.bill(agency.company);
    await dues.jobs();
    const third = await app.make.agency(root);
    await app.make.failedPayment(third, 5n * USD);
    expect((await activity(root)).get(third.id)).toMatchObject({ failing: 'payment' });
    const since = async (parent: Company, of: Company) => (await activity(parent)).get(of.id);
    const failing = { ...quiet, failing: 'payment' };
    expect(await since(root, agency.company)).toEqual({ ...failing, failing_since: later.toISOString() });
    expect(await since(agency.company, client.company)).toMatchObject({
      failing: 'payment',
      failing_since: at.toISOString(),
    });
    // Retried and declined again: the start of the failure does not change.
    await dues.passes(4 * 86_400_000);
    expect(await since(root, agency.company)).toEqual({ ...failing, failing_since: later.toISOString() });
    await dues.card(agency.company, 'works');
    const { rows } = await app.admin.query(
      `select id from invoice where company_id = $1 and status = 'open'`,
      [agency.company.id],
    );
    const token = await app.signIn(agency.email, agency.host);
    const paid = await app.call('POST', `/api/billing/invoices/${rows[0].id}/pay`, {
      host: agency.host,
      token,
      body: { idempotencyKey: 'activity' },
    });
    expect(paid.status).toBe(200);
    await dues.jobs();
    expect(await since(root, agency.company)).toEqual(quiet);
  });

  test('renewals and top-ups that were declined count from the first of the last in a row', async () => {
    const agency = await app.make.agency(root);
    const client = await app.make.client(agency);
    const campaign = await app.make.campaign(client, { balance: 5n * USD });
    const day = '2026-03-05T10:00:00.000Z';
    const owner = [root.id, agency.id];
    await app.make.terms(client, { payment_status: 'failed' });
    await app.admin.query(
      `insert into prepaid_auto (campaign_id, root_id, agency_id, company_id, state, declines, is_failing, updated_at)
       values ($4, $1, $2, $3, 'stopped', 2, true, now())
       on conflict (campaign_id) do update set state = 'stopped', declines = 2, is_failing = true, retry_at = null`,
      [...owner, client.id, campaign.id],
    );
    await app.admin.query(
      `insert into wallet_setting (root_id, agency_id, company_id, continual, state, declines, updated_at) values ($1, $2, $2, true, 'stopped', 2, now())`,
      owner,
    );
    // An old failure that was resolved no longer counts.
    for (const at of ['2026-01-01T10:00:00Z', day, '2026-03-06T10:00:00Z']) {
      await app.admin.query(
        `insert into prepaid_attempt (id, root_id, agency_id, company_id, campaign_id, leads, amount_micros, state, created_at, ended_at)
         values (gen_random_uuid(), $1, $2, $3, $4, 10, 10000, 'declined', $5, $5)`,
        [...owner, client.id, campaign.id, at],
      );
      await app.admin.query(
        `insert into wallet_attempt (id, root_id, agency_id, company_id, amount_micros, state, created_at, ended_at)
         values (gen_random_uuid(), $1, $2, $2, 10000, 'declined', $3, $3)`,
        [...owner, at],
      );
    }
    expect((await activity(root)).get(agency.id)).toEqual({ ...quiet, failing: 'topup', failing_since: day });
    expect((await activity(agency)).get(client.id)).toEqual({
      ...quiet,
      balance_micros: 5_000_000,
      failing: 'payment',
      failing_since: day,
    });
    // An automatic top-up that was switched off no longer counts as failing.
    await app.admin.query('update wallet_setting set continual = false where company_id = $1', [agency.id]);
    expect((await activity(root)).get(agency.id)).toMatchObject({ failing: '' });
  });

  test('an agency sees it of its own clients; who may not see leads and statements is told nothing', async () => {
    const agency = await app.make.agency(root, { host: 'own.test' });
    const client = await app.make.client(agency);
    await app.make.user(agency, { email: 'owner@own.test', password: PASSWORD });
    await lead(await app.make.campaign(client), '2026-03-03T10:00:00Z');
    const own = await activity(agency, { email: 'owner@own.test', host: 'own.test' });
    expect(own.get(client.id)).toMatchObject({ last_lead_at: '2026-03-03T10:00:00.000Z' });
    const { rows } = await app.admin.query(
      `select id from role where company_id = $1 and name = 'Read only'`,
      [agency.id],
    );
    await app.admin.query(`update role_module set may_see = (module = 'Settings') where role_id = $1`, [
      rows[0].id,
    ]);
    const blind = {
      email: 'blind@own.test',
      role: 'administrator' as const,
      password: PASSWORD,
      roleId: rows[0].id,
    };
    await app.make.user(agency, blind);
    expect((await activity(agency, { email: blind.email, host: 'own.test' })).get(client.id)).toBeNull();
  });

  test('a search of two letters finds parts of words, as a longer one does', async () => {
    const agency = await app.make.agency(root);
    const found = await app.make.client(agency, { name: 'Quizzical Birds' });
    await app.make.client(agency, { name: 'Plain Fish' });
    for (const text of ['zz', 'izzi', 'QU'])
      expect([...(await activity(agency, undefined, text)).keys()]).toEqual([found.id]);
  });
});
