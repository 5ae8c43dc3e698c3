import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

const USD = 1_000_000n;
const DAY = 86_400_000;
let app: TestApp;
let root: Company;
let acme: Company;

beforeAll(async () => {
  // A Tuesday; the root is in Chicago.
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: 'acme.root.test', name: 'Acme' });
  await app.make.leadCost(acme, 900_000n);
});
afterAll(() => app.close());

async function visit(campaign: MadeCampaign, count: number) {
  await app.features.visits.keepPartitions();
  const people = Array.from({ length: count }, () => app.make.person());
  await app.make.people(root, people);
  for (const { email } of people) await app.make.visit(campaign, { email });
  await app.features.leads.resolver.resolveAll();
}
const invoicesOf = async (company: Company) =>
  (
    await app.admin.query(
      'select side, term, period_key, total_micros::int as total, period_from, period_to from invoice where company_id = $1 order by finalised_at, seq',
      [company.id],
    )
  ).rows;
const linesOf = async (company: Company) =>
  (
    await app.admin.query(
      `select l.kind, l.description, l.quantity, l.amount_micros::int as amount from invoice_line l join invoice i on i.id = l.invoice_id
       where l.company_id = $1 order by i.seq, l.line`,
      [company.id],
    )
  ).rows;
const fees = async (campaign: MadeCampaign) =>
  (
    await app.admin.query(
      'select kind, period, retail_micros::int as retail, wholesale_micros::int as wholesale from campaign_fee where campaign_id = $1 order by created_at, kind desc',
      [campaign.id],
    )
  ).rows;
/** The clock only goes forward. */
const setClock = (to: Date): void => app.clock.advance(to.getTime() - app.clock.now().getTime());
const close = () => app.features.invoices.close(root.id);
const sweep = () => app.features.invoices.fees.sweep(root.id);
const account = async (company: Company, kind: string) =>
  (
    await app.admin.query(
      `select coalesce(sum(e.amount), 0)::int as sum from entry e join account a on a.id = e.account_id where e.company_id = $1 and a.kind = $2`,
      [company.id, kind],
    )
  ).rows[0].sum;

describe('[PAY-04] closing periods', () => {
  test('each week and month ends in one invoice a party, whatever runs how often', async () => {
    const client = await app.make.client(acme);
    const weekly = await app.make.campaign(client, { name: 'W', price: 2n * USD, costs: { term: 'Weekly' } });
    const monthly = await app.make.campaign(client, {
      name: 'M',
      price: 3n * USD,
      costs: { term: 'Monthly' },
    });
    await visit(weekly, 2);
    await visit(monthly, 1);
    expect(await close()).toBe(0);
    // The last instant of the week.
    setClock(new Date('2026-03-16T04:59:59.999Z'));
    await visit(weekly, 1);
    expect(await close()).toBe(0);
    setClock(new Date('2026-03-16T05:00:00.000Z'));
    await visit(weekly, 1);
    const issued = await Promise.all([close(), close(), close()]);
    expect(issued.reduce((all, n) => all + n, 0)).toBe(2);
    expect(await invoicesOf(client)).toEqual([
      {
        side: 'retail',
        term: 'Weekly',
        period_key: 'Weekly:2026-03-09',
        total: 6_000_000,
        period_from: new Date('2026-03-09T05:00:00Z'),
        period_to: new Date('2026-03-16T05:00:00Z'),
      },
    ]);
    expect(await invoicesOf(acme)).toMatchObject([{ side: 'wholesale', term: 'Weekly', total: 2_700_000 }]);
    // Nothing ran for weeks; every missed period gets its own invoice.
    setClock(new Date('2026-03-25T12:00:00Z'));
    await visit(weekly, 1);
    setClock(new Date('2026-04-07T12:00:00Z'));
    await close();
    await close();
    expect(
      (await invoicesOf(client)).map(({ term, period_key, total }) => [term, period_key, total]),
    ).toEqual([
      ['Weekly', 'Weekly:2026-03-09', 6_000_000],
      ['Weekly', 'Weekly:2026-03-16', 2_000_000],
      ['Weekly', 'Weekly:2026-03-23', 2_000_000],
      ['Monthly', 'Monthly:2026-03-01', 3_000_000],
    ]);
    expect(await account(client, 'client_unbilled')).toBe(0);
    expect(await account(acme, 'agency_payable')).toBe(0);
  });

  test('one that dies in the middle is finished by the next run', async () => {
    const clients = [await app.make.client(acme), await app.make.client(acme)];
    for (const client of clients)
      await visit(await app.make.campaign(client, { price: USD, costs: { term: 'Weekly' } }), 1);
    app.clock.advance(7 * DAY);
    let told = 0;
    app.platform.events.on('invoice.issued', async () => {
      if (++told === 2) throw new Error('died');
    });
    await expect(close()).rejects.toThrow('died');
    expect((await Promise.all(clients.map(invoicesOf))).flat()).toHaveLength(1);
    await close();
    expect((await Promise.all(clients.map(invoicesOf))).flat()).toHaveLength(2);
  });

  test('a change of term moves events from then on to the other cycle', async () => {
    setClock(new Date('2026-05-05T12:00:00Z'));
    await close();
    const client = await app.make.client(acme);
    const campaign = await app.make.campaign(client, { price: USD, costs: { term: 'Weekly' } });
    await visit(campaign, 1);
    app.clock.advance(3_600_000);
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.pricing.changeCampaign(
        tx,
        { id: campaign.id, module: 'local', ...campaign.owner },
        { term: 'Monthly' },
      ),
    );
    await visit(campaign, 2);
    setClock(new Date('2026-05-12T12:00:00Z'));
    await close();
    expect((await invoicesOf(client)).map(({ total }) => total)).toEqual([1_000_000]);
    setClock(new Date('2026-06-01T05:00:00Z'));
    await close();
    expect((await invoicesOf(client)).map(({ total }) => total)).toEqual([1_000_000, 2_000_000]);
  });
});

describe('[PAY-04] fees', () => {
  const wholesale = (setup_micros: bigint, month_micros: bigint) =>
    inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      tx
        .insertInto('wholesale_cost')
        .values({
          root_id: root.id,
          agency_id: acme.id,
          company_id: acme.id,
          module: 'local',
          term: 'Weekly',
          valid_from: app.clock.now(),
          recorded_at: app.clock.now(),
          setup_micros,
          month_micros,
          lead_micros: 900_000n,
          lead_advanced_micros: 0n,
        })
        .execute(),
    );

  test('once at the first start, and once a month; what they were stays', async () => {
    setClock(new Date('2026-06-10T12:00:00Z'));
    await close();
    await sweep();
    await wholesale(10n * USD, 4n * USD);
    const client = await app.make.client(acme);
    const costs = { term: 'Weekly' as const, setup_micros: 25n * USD, month_micros: 9n * USD };
    const campaign = await app.make.campaign(client, { name: 'Fees', price: USD, costs });
    const start = () => app.features.invoices.fees.charge(root.id, campaign.id, app.clock.now());
    await Promise.all([start(), start(), sweep()]);
    const first = [
      { kind: 'platform_fee', period: 'once', retail: 25_000_000, wholesale: 10_000_000 },
      { kind: 'monthly_fee', period: '2026-06', retail: 9_000_000, wholesale: 4_000_000 },
    ];
    expect(await fees(campaign)).toEqual(first);
    expect(await account(client, 'client_unbilled')).toBe(-34_000_000);
    expect(await account(acme, 'agency_payable')).toBe(-14_000_000);
    // The price goes up tomorrow: what was already charged stays, and this month is not charged again.
    app.clock.advance(DAY);
    await wholesale(99n * USD, 5n * USD);
    await start();
    await sweep();
    expect(await fees(campaign)).toEqual(first);
    // June ends in Chicago five hours after it does in UTC.
    setClock(new Date('2026-07-01T04:59:00Z'));
    await sweep();
    expect(await fees(campaign)).toHaveLength(2);
    setClock(new Date('2026-07-01T05:00:00Z'));
    await sweep();
    expect((await fees(campaign))[2]).toEqual({
      kind: 'monthly_fee',
      period: '2026-07',
      retail: 9_000_000,
      wholesale: 5_000_000,
    });
    await close();
    expect(await linesOf(client)).toEqual([
      { kind: 'platform_fee', description: 'One-time platform fee: Fees', quantity: 1, amount: 25_000_000 },
      { kind: 'monthly_fee', description: 'Monthly fee, June 2026: Fees', quantity: 1, amount: 9_000_000 },
    ]);
    await app.admin.query(`update campaign set state = 'paused' where id = $1`, [campaign.id]);
    setClock(new Date('2026-08-15T12:00:00Z'));
    await sweep();
    expect(await fees(campaign)).toHaveLength(3);
  });

  test('the wallet pays wholesale when it covers it', async () => {
    const owed = await account(acme, 'agency_payable');
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.wallet.topUp(
        tx,
        { rootId: root.id, agencyId: acme.id, amountMicros: 100n * USD, key: 'x' },
        app.clock.now(),
      ),
    );
    const client = await app.make.client(acme);
    const costs = { term: 'Weekly' as const, setup_micros: 25n * USD };
    const campaign = await app.make.campaign(client, { price: USD, costs });
    await app.features.invoices.fees.charge(root.id, campaign.id, app.clock.now());
    // 99 of the platform fee; 5 of the monthly fee is no longer covered.
    expect(await account(acme, 'agency_wallet')).toBe(1_000_000);
    expect(await account(acme, 'agency_payable')).toBe(owed - 5_000_000);
  });

  test('[PAY-05] under manual billing only wholesale is charged', async () => {
    await app.make.terms(acme, { manual_bill: true });
    const client = await app.make.client(acme);
    const costs = { term: 'Weekly' as const, setup_micros: 25n * USD };
    const campaign = await app.make.campaign(client, { price: USD, costs });
    await app.features.invoices.fees.charge(root.id, campaign.id, app.clock.now());
    expect(await fees(campaign)).toMatchObject([{ retail: 0, wholesale: 99_000_000 }, { retail: 0 }]);
    expect(await account(client, 'client_unbilled')).toBe(0);
  });

  test('a campaign that starts asks for its fees', async () => {
    const { rows } = await app.admin.query(
      `select count(*)::int as n from pgboss.job where name = 'invoices.fees'`,
    );
    expect(rows[0].n).toBeGreaterThan(5);
  });
});
