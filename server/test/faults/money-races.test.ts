import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type App, createApp } from '../../app.ts';
import { auditLedger } from '../../features/money/ledger/index.ts';
import { ManualClock } from '../../platform/clock.ts';
import { inScope, type Tx } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../app.ts';
import { type Dues, duesOf } from '../dues.ts';
import type { Company, MadeCampaign } from '../factories.ts';

// What several processes, people and the card provider do with the same money at the same time. After each, the ledger's
// invariants hold (npm run audit).

const USD = 1_000_000n;
const DAY_MS = 86_400_000;
let app: TestApp;
let other: App;
/** The clock of the second process. */
let apart: ManualClock;
let root: Company;
let boss: string;
let dues: Dues;
let serial = 0;

beforeAll(async () => {
  app = await testApp();
  apart = new ManualClock(app.clock.now().toISOString());
  other = await createApp({
    config: { ...app.platform.config, roles: [] },
    urls: app.urls,
    clock: apart,
  });
  await other.platform.jobs.start();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  await app.make.user(root, { email: 'boss@root.test', password: PASSWORD });
  dues = duesOf(app, root);
});
afterAll(async () => {
  await other?.stop();
  await app?.close();
});
beforeEach(async () => {
  app.clock.advance(60_000);
  await together();
  boss = await app.signIn('boss@root.test', 'root.test');
});

/** Both processes at the same time, with the partitions that visits need. */
async function together(): Promise<void> {
  apart.advance(app.clock.now().getTime() - apart.now().getTime());
  await app.features.visits.keepPartitions();
}
const both = () => [app, other];
const within = <T>(of: App | TestApp, work: (tx: Tx) => Promise<T>): Promise<T> =>
  inScope(of.platform.db.app, { rootId: root.id }, work);
const proven = async () =>
  expect((await auditLedger(app.admin)).checks.filter((check) => check.violations > 0)).toEqual([]);
const ownerOf = (company: Company) => dues.owner(company);
async function sum(company: Company, ...kinds: string[]): Promise<bigint> {
  const { rows } = await app.admin.query(
    `select coalesce(sum(e.amount), 0)::text as sum from entry e join account a on a.id = e.account_id
     where e.company_id = $1 and a.kind = any($2)`,
    [company.id, kinds],
  );
  return BigInt(rows[0].sum);
}
/** Known people visit campaigns, each of them one. */
async function visits(campaigns: MadeCampaign[], count: number): Promise<void> {
  const people = Array.from({ length: count }, () => app.make.person());
  await app.make.people(root, people);
  for (const [i, { email }] of people.entries())
    await app.make.visit(campaigns[i % campaigns.length]!, { email });
}
const resolve = () => Promise.all(both().map((one) => one.features.leads.resolver.resolveAll()));
const send = (
  who: { host: string; token: string },
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body: object,
) => app.call(method, `/api${path}`, { host: who.host, token: who.token, body });

describe('[BEY-03] hard limits', () => {
  test('hold to the cent while two processes sell leads of several campaigns and the limit moves', async () => {
    const agency = await dues.agency();
    const client = await dues.client(agency);
    const campaigns = await Promise.all(
      Array.from({ length: 3 }, () =>
        app.make.campaign(client.company, { price: 2_500_000n, balance: 100n * USD }),
      ),
    );
    const limit = (hard: string) =>
      send(client, 'PUT', '/ledger/caps', {
        subject: 'client',
        subjectID: client.company.id,
        period: 'day',
        hard,
        soft: null,
      });
    expect((await limit('24.99')).status).toBe(200);
    await visits(campaigns, 30);
    const [, ...set] = await Promise.all([
      resolve(),
      limit('20'),
      limit('19.99'),
      limit('20'),
      limit('12.50'),
    ]);
    expect(set.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const spent = -(await sum(client.company, 'client_prepaid')) + 300n * USD;
    expect(spent).toBeLessThanOrEqual(22_500_000n);
    const listed = await app.call('GET', '/api/ledger/caps', { host: client.host, token: client.token });
    expect(listed.body.data).toMatchObject([
      { spent: `${Number(spent) / 1e6}`.replace(/^(\d+)$/, '$1.00').replace(/\.(\d)$/, '.$10') },
    ]);
    await visits(campaigns, 10);
    await resolve();
    expect(-(await sum(client.company, 'client_prepaid')) + 300n * USD).toBe(spent);
    await proven();
  });
});

describe('[BEY-02] the Data Wallet', () => {
  test('is never drawn below zero nor above its limit by leads, charges, top-ups, refunds and disputes at once', async () => {
    const agency = await dues.agency();
    await app.make.leadCost(agency.company, 2n * USD);
    const client = await dues.client(agency);
    const campaign = await app.make.campaign(client.company, { price: 3n * USD, balance: 500n * USD });
    const owner = ownerOf(agency.company);
    const topUp = (of: App | TestApp, amount: bigint) =>
      of.features.payments.charges.charge({
        owner,
        purpose: 'wallet_top_up',
        referenceId: agency.company.id,
        amountMicros: amount,
        key: `race-${++serial}`,
        description: 'Data Wallet top-up',
        details: { custom: 'T', stop: 'T' },
      });
    const first = await topUp(app, 60n * USD);
    await send(agency, 'PUT', '/ledger/caps', {
      subject: 'wallet',
      subjectID: agency.company.id,
      period: 'day',
      hard: '50',
      soft: null,
    });
    await visits([campaign], 30);
    const debit = (of: App | TestApp) =>
      within(of, (tx) =>
        of.features.wallet.debit(
          tx,
          { rootId: root.id, agencyId: agency.company.id, amountMicros: 4n * USD, key: `d${++serial}` },
          of.platform.clock.now(),
        ),
      ).catch((error: Error) => error.name);
    const dispute = (of: App | TestApp, status: string) =>
      of.features.payments.core
        .dispute(root.id, first.charge.id, {
          id: 'dp_wallet',
          status,
          reason: 'fraudulent',
          amountCents: 6000,
        })
        .catch((error: Error) => error.message);
    const refund = (of: App | TestApp, key: string) =>
      of.features.payments.charges
        .refund({ rootId: root.id, chargeId: first.charge.id, amountMicros: 10n * USD, key, reason: 'asked' })
        .catch((error: Error) => error.name);
    await Promise.all([
      resolve(),
      ...both().flatMap((one) => [
        debit(one),
        debit(one),
        debit(one),
        topUp(one, 20n * USD).catch((error: Error) => error.name),
        refund(one, 'same'),
        refund(one, `own-${++serial}`),
        dispute(one, 'needs_response'),
        dispute(one, 'needs_response'),
        dispute(one, 'lost'),
      ]),
    ]);
    await Promise.all(both().flatMap((one) => [dispute(one, 'won'), dispute(one, 'lost'), resolve()]));
    const { rows } = await app.admin.query(
      `select coalesce(sum(-e.amount), 0)::text as spent from transfer t join entry e on e.transfer_id = t.id and e.account_code = 10
       where t.agency_id = $1 and t.kind in ('lead', 'wallet_charge')`,
      [agency.company.id],
    );
    expect(BigInt(rows[0].spent)).toBeLessThanOrEqual(50n * USD);
    const counted = await app.admin.query(
      'select coalesce(sum(micros), 0)::text as n from spend_day where subject_id = $1',
      [agency.company.id],
    );
    expect(counted.rows[0].n).toBe(rows[0].spent);
    const disputes = await app.admin.query('select state from payment_dispute where id = $1', ['dp_wallet']);
    expect(disputes.rows).toEqual([{ state: 'lost' }]);
    expect(await sum(agency.company, 'agency_wallet')).toBeGreaterThanOrEqual(0n);
    await proven();
  });
});

describe('[PAY-04] invoices', () => {
  test('that two processes close while leads, returns and credits arrive have each event once', async () => {
    const agency = await dues.agency();
    await app.make.leadCost(agency.company, 900_000n);
    const client = await dues.client(agency);
    const campaigns = await Promise.all(
      Array.from({ length: 2 }, () =>
        app.make.campaign(client.company, { price: 2n * USD, costs: { term: 'Weekly' } }),
      ),
    );
    await visits(campaigns, 12);
    await resolve();
    const { rows: leads } = await app.admin.query(
      'select id, campaign_id from lead where company_id = $1 order by id',
      [client.company.id],
    );
    expect(leads).toHaveLength(12);
    app.clock.advance(7 * DAY_MS);
    await together();
    await visits(campaigns, 12);
    const giveBack = (
      of: App | TestApp,
      lead: { id: string; campaign_id: string },
      side: 'retail' | 'wholesale',
    ) =>
      within(of, (tx) =>
        of.features.billing.returnLead(
          tx,
          {
            id: lead.id,
            campaignId: lead.campaign_id,
            ...{ rootId: root.id, agencyId: agency.company.id, clientId: client.company.id },
          },
          side,
          of.platform.clock.now(),
        ),
      );
    const [, closed, ...returned] = await Promise.all([
      resolve(),
      Promise.all(both().map((one) => one.features.invoices.close(root.id))),
      ...leads.slice(0, 4).flatMap((lead) => both().map((one) => giveBack(one, lead, 'retail'))),
      ...leads.slice(2, 6).flatMap((lead) => both().map((one) => giveBack(one, lead, 'wholesale'))),
    ]);
    expect(returned.filter((one) => one !== null)).toHaveLength(8);
    expect(closed.reduce((all, n) => all + n, 0)).toBeGreaterThan(0);
    for (let week = 0; week < 2; week++) {
      app.clock.advance(7 * DAY_MS);
      await together();
      await Promise.all(both().map((one) => one.features.invoices.close(root.id)));
    }
    // 24 leads at 2.00 less 4 that went back, all of it on invoices; of the agency's side what is not yet monthly.
    const billed = await app.admin.query(
      `select sum(total_micros)::text as n from invoice where company_id = $1 and side = 'retail'`,
      [client.company.id],
    );
    expect(billed.rows[0].n).toBe(String(20n * 2n * USD));
    expect(await sum(client.company, 'client_unbilled')).toBe(0n);
    const twice = await app.admin.query(
      'select transfer_id from transfer_cover group by transfer_id, side having count(*) > 1',
    );
    expect(twice.rows).toEqual([]);
    await proven();
  });
});

describe('[PAY-08] onboarding charges', () => {
  test('a coupon is used no more often than it may be, and an agency is charged once, however often both ask', async () => {
    const asRoot = (path: string, method: 'PUT' | 'POST', body: object) =>
      app.call(method, `/api${path}`, { host: 'root.test', token: boss, body });
    await asRoot('/configuration/coupon', 'POST', { coupon_code: 'TWICE', amount: '20', max_uses: 2 });
    const agencies = await Promise.all(Array.from({ length: 5 }, () => dues.agency()));
    for (const { company } of agencies)
      await asRoot('/configuration/setting/onboarding-charge', 'PUT', {
        CompanyID: company.id,
        amount: '100',
        enable_coupon: 'T',
      });
    const answers = await Promise.all(
      agencies.flatMap((one) =>
        Array.from({ length: 4 }, () =>
          send(one, 'POST', '/user/onboarding-charge', { coupon_code: 'TWICE' }),
        ),
      ),
    );
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    const { rows } = await app.admin.query(
      `select uses, (select count(*)::int from coupon_use u where u.coupon_id = c.id) as n from coupon c where code = 'TWICE'`,
    );
    expect(rows).toEqual([{ uses: 2, n: 2 }]);
    const charges = await app.admin.query(
      `select amount_cents, count(*)::int as n from charge where company_id = any($1) and state = 'succeeded' group by 1 order by 1`,
      [agencies.map((one) => one.company.id)],
    );
    expect(charges.rows).toEqual([{ amount_cents: 8000, n: 2 }]);
    await proven();
  });
});

// Last, since its sales are without a lead.
describe('[PAY-07] the minimum spend', () => {
  test('of a month counts a lead that is charged while the month ends, and two workers book it once', async () => {
    const agency = await dues.agency();
    await app.make.accept(agency.company, agency.userId, 'default_agency');
    await app.features.minimumSpend.closeMonths(root.id);
    const put = (path: string, body: object, method: 'PUT' | 'POST' = 'PUT') =>
      app.call(method, `/api${path}`, { host: 'root.test', token: boss, body });
    const made = await put(
      '/general/minimum-spend-config',
      { planName: 'Race', months: ['100', '100'], flatMonth: '100' },
      'POST',
    );
    const chosen = await put('/configuration/setting/minimum-spend-plan', {
      companyID: agency.company.id,
      planMinSpendId: (made.body.data as unknown as { id: string }).id,
    });
    expect([made.status, chosen.status]).toEqual([200, 200]);
    // 0.2 s before May begins in Chicago.
    app.clock.advance(new Date('2026-05-01T04:59:59.800Z').getTime() - app.clock.now().getTime());
    await together();
    await app.features.minimumSpend.closeMonths(root.id);
    await app.make.leadCost(agency.company, 30n * USD);
    const client = await dues.client(agency, { card: null });
    const campaign = await app.make.campaign(client.company, { price: 40n * USD, balance: 400n * USD });
    const sale = {
      ...{ rootId: root.id, agencyId: agency.company.id, clientId: client.company.id },
      ...{ campaignId: campaign.id, priceMicros: 40n * USD, costMicros: 30n * USD },
    };
    const sell = (of: App | TestApp, tx: Tx, at: Date) =>
      of.features.billing.sellLeads(tx, [{ ...sale, id: newId(at) }], at);
    await within(app, (tx) => sell(app, tx, app.clock.now()));
    let release = (): void => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    let began = (): void => {};
    const charged = new Promise<void>((done) => {
      began = done;
    });
    const at = new Date('2026-05-01T04:59:59.900Z');
    const lead = within(other, async (tx) => {
      await sell(other, tx, at);
      began();
      await held;
    });
    await charged;
    app.clock.advance(1_000);
    await together();
    const close = () => Promise.all(both().map((one) => one.features.minimumSpend.closeMonths(root.id)));
    await close();
    release();
    await lead;
    app.clock.advance(4 * 60_000);
    await together();
    await close();
    const { rows } = await app.admin.query(
      `select month::text, spent_micros::text as spent, shortfall_micros::text as shortfall from minspend_month
       where company_id = $1 and month = '2026-04-01'`,
      [agency.company.id],
    );
    expect(rows).toEqual([{ month: '2026-04-01', spent: '60000000', shortfall: '40000000' }]);
    const posted = await app.admin.query(
      `select count(*)::int as n from transfer where kind = 'minimum_spend' and company_id = $1`,
      [agency.company.id],
    );
    expect(posted.rows[0].n).toBe(1);
  });
});
