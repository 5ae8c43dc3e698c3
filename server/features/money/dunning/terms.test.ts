import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SetupCheck } from '../../../../contract/accounts/setup.ts';
import { hidesOperatingMenus, paymentFailed } from '../../../../contract/accounts/setup-rules.ts';
import type { SessionUser } from '../../../../contract/accounts/users.ts';
import { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { decide } from '../../../../contract/routing/routing.ts';
import { toInside } from '../../../../contract/wire-schema.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { type Dues, duesOf } from '../../../test/dues.ts';
import type { Company } from '../../../test/factories.ts';

const USD = 1_000_000n;
const DAY = 86_400_000;
let app: TestApp;
let root: Company;
let dues: Dues;
let boss: { host: string; email: string };

beforeAll(async () => {
  app = await testApp({ cards: { answerTimeoutMs: 5_000, wait: async () => {} } });
  root = await app.make.root({ host: 'root.test', isMaster: true });
  boss = { host: 'root.test', ...(await app.make.user(root, { password: PASSWORD })) };
  dues = duesOf(app, root);
});
afterAll(() => app?.close());

async function ask(
  method: 'POST' | 'PUT' | 'GET',
  url: string,
  who: { host: string; email: string },
  body?: unknown,
) {
  const token = await app.signIn(who.email, who.host);
  return app.call(method, url, { host: who.host, token, ...(body ? { body } : {}) });
}
type Facts = { user: SessionUser; setup: SetupCheck };
async function facts(who: { host: string; email: string }): Promise<Facts> {
  const { body } = await ask('GET', '/api/user/retrieve', who);
  return toInside(contract.setup.retrieveUserData['~orpc'].outputSchema!, body) as Facts;
}
async function owing(
  given: { client?: Parameters<Dues['client']>[1]; agency?: Parameters<Dues['agency']>[0] } = {},
) {
  const agency = await dues.agency(given.agency);
  const client = await dues.client(agency, given.client);
  const campaign = await app.make.campaign(client.company);
  await dues.lead(campaign, 30n * USD, 12n * USD);
  return { agency, client, campaign };
}
const termsOf = async (company: Company) =>
  (await app.admin.query('select * from company_billing where company_id = $1', [company.id])).rows[0];
const invoicesOf = async (company: Company) =>
  (
    await app.admin.query(
      'select side, kind, total_micros::float8 as total, status from invoice where company_id = $1 order by id',
      [company.id],
    )
  ).rows;

describe('[PAY-06] who owes', () => {
  test('an agency is led to its card and reads its invoices; its clients and view mode are spared; paid, all is as before', async () => {
    const { agency, client } = await owing({ agency: { card: 'declined' } });
    await app.make.setUp(agency.company, agency.userId);
    await app.make.setUp(client.company, client.userId);
    await dues.card(agency.company, 'declined');
    await dues.bill(agency.company);
    await dues.jobs();
    const owner = await facts(agency);
    expect(owner.setup).toMatchObject({ agency_access: 'paymentfailed', payment_failed: true });
    expect(decide('/user/profile', owner)).toMatchObject({
      to: '/user/card-setting',
      why: 'paymentFailed',
    });
    expect(hidesOperatingMenus(owner.setup, owner.user)).toBe(true);
    expect(decide('/configuration/invoices', owner)).toMatchObject({ kind: 'page' });
    expect(
      decide('/user/profile', { ...owner, user: { ...owner.user, in_view_mode: true } }),
    ).not.toMatchObject({
      why: 'paymentFailed',
    });
    const below = await facts(client);
    expect(below.setup).toMatchObject({ access: '', agency_access: 'paymentfailed' });
    // The agency's debt is not its clients' debt.
    expect(paymentFailed(below.setup, below.user)).toBe(false);
    await dues.card(agency.company, 'works');
    await dues.passes(DAY + 1000);
    const after = await facts(agency);
    expect(after.setup).toMatchObject({ agency_access: '', payment_failed: false });
    expect(hidesOperatingMenus(after.setup, after.user)).toBe(false);
  });

  test('a client that owes is led to its card, its setup undone until it pays', async () => {
    const { agency, client } = await owing({ client: { card: 'declined' } });
    await app.make.setUp(client.company, client.userId);
    await dues.card(client.company, 'declined');
    await dues.bill(client.company);
    await dues.jobs();
    const mine = await facts(client);
    expect(mine.setup).toMatchObject({
      access: 'paymentfailed',
      setup_complete: 'F',
      agency_access: '',
    });
    expect(decide('/user/profile', mine)).toMatchObject({ to: '/user/card-setting' });
    for (const path of ['/dashboard', '/configuration/invoices'])
      expect(decide(path, mine)).toMatchObject({ kind: 'page' });
    expect(hidesOperatingMenus(mine.setup, mine.user)).toBe(true);
    expect(await dues.flags(agency.company)).toEqual(['', '']);
  });
});

describe('[AGCY-09] manual bill settlement', () => {
  test('charges everything due and clears the failed payment; a root its agencies, an agency its clients', async () => {
    const { agency, client, campaign } = await owing({ client: { card: 'declined' } });
    const first = await dues.bill(client.company);
    await dues.lead(campaign, 5n * USD, 0n);
    const second = await dues.bill(client.company);
    await dues.jobs();
    expect(await dues.flags(client.company)).toEqual(['failed', 'paymentfailed']);
    const settle = (who: { host: string; email: string }, userID: string) =>
      ask('POST', '/api/general/manual-bill-settlement', who, { userID });
    const failed = await settle(agency, client.userId);
    expect(failed.body.data).toEqual({
      result: 'failed',
      message: 'INV-000001: Your card was declined. INV-000002: Your card was declined.',
    });
    await dues.card(client.company, 'works');
    const done = await settle(agency, client.userId);
    expect(done.body.data).toEqual({
      result: 'success',
      message: 'Manual Bill Settlement has been successfully processed.',
    });
    expect([(await dues.invoice(first)).status, (await dues.invoice(second)).status]).toEqual([
      'paid',
      'paid',
    ]);
    expect(await dues.flags(client.company)).toEqual(['', '']);
    // Nothing is due but the flag is set: it is cleared.
    await app.admin.query(
      `update company_billing set payment_status = 'failed', access_module = 'paymentfailed' where company_id = $1`,
      [client.company.id],
    );
    expect((await settle(agency, client.userId)).body.data).toMatchObject({ result: 'success' });
    expect(await dues.flags(client.company)).toEqual(['', '']);
    expect(await dues.taken(client.company)).toBe(3500);
    // Users cannot settle for themselves, or for other agencies' clients.
    expect((await settle(agency, agency.userId)).status).toBe(404);
    expect((await settle(boss, client.userId)).status).toBe(404);
    const wholesale = await dues.bill(agency.company).catch(() => null);
    expect(wholesale).toBeNull();
    expect((await settle(boss, agency.userId)).body.data).toMatchObject({ result: 'success' });
  });
});

describe('[AGCY-07] manual billing', () => {
  const set = (who: { host: string; email: string }, company: Company, manualBill: 'T' | 'F') =>
    ask('PUT', '/api/payment/set-billing-method', who, { companyID: company.id, manualBill });

  test('on: what clients owe is invoiced to them; off: the agency pays to date, then everything stops', async () => {
    const { agency, client, campaign } = await owing();
    const on = await set(boss, agency.company, 'T');
    expect(on.body).toMatchObject({ message: 'Your settings have been saved.', manual_bill: 'T' });
    await dues.jobs();
    expect(await invoicesOf(client.company)).toEqual([
      { side: 'retail', kind: 'to_date', total: 30_000_000, status: 'paid' },
    ]);
    expect((await termsOf(agency.company)).manual_bill).toBe(true);
    expect(await dues.states(campaign)).toEqual(['active']);
    await dues.fee(agency.company, 7n * USD);
    const off = await set(agency, agency.company, 'F');
    expect(off.body).toMatchObject({ message: 'Your settings have been saved.', manual_bill: 'F' });
    const [bill] = await invoicesOf(agency.company);
    expect(bill).toMatchObject({ side: 'wholesale', kind: 'to_date', status: 'paid' });
    expect(await dues.states(campaign)).toEqual(['paused:billing_changed']);
    // A user may start it again.
    const again = await ask('POST', '/api/leadspeek/client/activepause', agency, {
      leadspeekID: campaign.id,
      status: 'active',
    });
    expect(again.status).toBe(200);
  });

  test('without a card, or with one that is declined, nothing of it happens', async () => {
    const { agency, client, campaign } = await owing({ agency: { card: null } });
    const none = await set(boss, agency.company, 'T');
    expect([none.status, none.body.message, none.body.errors]).toEqual([
      409,
      messages.manualBillFailed,
      { card: [ownMessages.noCard] },
    ]);
    expect(await invoicesOf(client.company)).toEqual([]);
    await dues.card(agency.company, 'works');
    await set(boss, agency.company, 'T');
    await dues.jobs();
    await dues.card(agency.company, 'declined');
    await dues.fee(agency.company, 7n * USD);
    const declined = await set(boss, agency.company, 'F');
    expect([declined.status, declined.body.errors]).toEqual([409, { card: ['Your card was declined.'] }]);
    expect((await termsOf(agency.company)).manual_bill).toBe(true);
    expect(await dues.states(campaign)).toEqual(['active']);
    // When requested again it is charged again: the bill from the first attempt is still due.
    const again = await Promise.all([set(boss, agency.company, 'F'), set(boss, agency.company, 'F')]);
    expect(again.map(({ status }) => status)).toEqual([409, 409]);
    expect((await termsOf(agency.company)).manual_bill).toBe(true);
    expect((await set(client, agency.company, 'F')).status).toBe(403);
    const stranger = await dues.agency();
    expect((await set(stranger, agency.company, 'F')).status).toBe(404);
    await dues.card(agency.company, 'works');
    expect((await set(boss, agency.company, 'F')).status).toBe(200);
    expect((await invoicesOf(agency.company)).map(({ status }) => status)).toEqual(['paid']);
    expect((await termsOf(agency.company)).manual_bill).toBe(false);
  });
});

describe('[CONF-06] subscription and packages', () => {
  test('its end stops campaigns and top-ups and bills to date; nothing runs until a package is chosen again', async () => {
    const { agency, client, campaign } = await owing();
    const unpaid = await app.make.campaign(client.company, { state: 'paused' });
    await app.admin.query(
      `insert into wallet_setting (root_id, agency_id, company_id, amount_micros, updated_at) values ($1, $2, $2, 250000000, now())`,
      [root.id, agency.company.id],
    );
    await dues.inRoot((tx) =>
      app.features.dataWallet.setContinual(
        tx,
        { rootId: root.id, agencyId: agency.company.id },
        true,
        app.clock.now(),
      ),
    );
    const cancel = () =>
      ask('PUT', '/api/configuration/cancel-subscription', agency, { companyID: agency.company.id });
    expect((await cancel()).body).toMatchObject({ result: 'success', message: ownMessages.cancelled });
    await dues.jobs();
    expect(await invoicesOf(client.company)).toEqual([
      { side: 'retail', kind: 'to_date', total: 30_000_000, status: 'paid' },
    ]);
    expect(await termsOf(agency.company)).toMatchObject({ package_id: '' });
    expect(await dues.states(campaign, unpaid)).toEqual(['paused:cancelled', 'paused']);
    const { rows } = await app.admin.query('select continual from wallet_setting where company_id = $1', [
      agency.company.id,
    ]);
    expect(rows).toEqual([{ continual: false }]);
    for (const one of [campaign, unpaid])
      expect(
        (
          await ask('POST', '/api/leadspeek/client/activepause', client, {
            leadspeekID: one.id,
            status: 'active',
          })
        ).body.message,
      ).toBe(ownMessages.heldCancelled);
    expect((await cancel()).status).toBe(409);
    // An account update alone does not give it a package.
    await app.features.billing.accounts.sandboxAccount(dues.owner(agency.company), 'approve');
    expect(await termsOf(agency.company)).toMatchObject({ package_id: '' });
    const choose = (packageID: string) =>
      ask('PUT', '/api/configuration/setting/package', agency, { companyID: agency.company.id, packageID });
    const offered = async () => (await ask('GET', '/api/configuration/package', agency)).body;
    expect(await offered()).toMatchObject({
      package_id: '',
      package_since: null,
      cancelled_at: app.clock.now().toISOString(),
    });
    expect((await choose('gold')).status).toBe(422);
    expect((await choose('standard')).status).toBe(200);
    const now = app.clock.now();
    expect(await offered()).toMatchObject({
      package_id: 'standard',
      package_since: now.toISOString(),
      cancelled_at: null,
    });
    const on = await ask('POST', '/api/leadspeek/client/activepause', client, {
      leadspeekID: campaign.id,
      status: 'active',
    });
    expect(on.status).toBe(200);
  });

  test("[PAY-06] a campaign says whose payment failed: its agency's is not the client's, whatever else of the client's fails", async () => {
    const { agency, client, campaign } = await owing({ agency: { card: 'declined' } });
    await dues.fee(agency.company, 20n * USD);
    const id = await dues.bill(agency.company);
    await dues.jobs();
    await dues.passes(9 * DAY);
    await dues.jobs();
    expect((await dues.invoice(id)).next_attempt_at).toBeNull();
    expect(await dues.states(campaign)).toEqual(['paused:payment_failed']);
    // A first failure of the client itself, which does not stop any campaign yet.
    await app.features.billing.accounts.sandboxCard(dues.owner(client.company), 'declines');
    await dues.lead(campaign, 8n * USD, USD);
    await dues.bill(client.company);
    await dues.jobs();
    expect(await termsOf(client.company)).toMatchObject({ payment_status: 'failed' });
    const seen = async (who: { host: string; email: string }) => {
      const list = await ask('GET', '/api/leadspeek/client/list', who);
      const one = await ask('GET', `/api/leadspeek/getcampaign/${campaign.id}`, who);
      return [
        (list.body.data as unknown as { statusReason: string }[])[0]!.statusReason,
        one.body.statusReason,
      ];
    };
    expect(await seen(client)).toEqual(['agency_paused', 'agency_paused']);
    expect(await seen(agency)).toEqual(['agency_unpaid', 'agency_unpaid']);
    const on = await ask('POST', '/api/leadspeek/client/activepause', client, {
      leadspeekID: campaign.id,
      status: 'active',
    });
    expect([on.status, on.body.errors]).toEqual([409, { status: ['is paused by your agency'] }]);
  });

  test('[PAY-06] a root sets the days of the retries; only its own people may', async () => {
    const save = (who: typeof boss, retry_days: unknown) =>
      ask('PUT', '/api/configuration/setting', who, { comsetname: 'dunning', comsetval: { retry_days } });
    for (const wrong of [[], [0], [31], [3, 3], [3, 1], [1.5], '1,3'])
      expect((await save(boss, wrong)).status).toBe(422);
    const { agency, client, campaign } = await owing({ client: { card: 'declined' } });
    expect((await save({ host: agency.host, email: agency.email }, [2])).status).toBe(422);
    expect((await save(boss, [2])).status).toBe(200);
    const id = await dues.bill(client.company);
    await dues.jobs();
    const began = app.clock.now().getTime();
    const { next_attempt_at } = await dues.invoice(id);
    expect(next_attempt_at!.getTime() - began).toBe(2 * DAY);
    await dues.passes(2 * DAY);
    expect(await dues.invoice(id)).toMatchObject({ attempts: 2, next_attempt_at: null });
    await dues.jobs();
    expect(await dues.states(campaign)).toEqual(['paused:payment_failed']);
    const seen = async (who: { host: string; email: string }) =>
      (await ask('GET', `/api/leadspeek/getcampaign/${campaign.id}`, who)).body.statusReason;
    expect([await seen(client), await seen(agency)]).toEqual(['payment_failed', 'payment_failed']);
    expect((await save(boss, [1, 3, 5, 7])).status).toBe(200);
  });

  test("the root's packages are charged once a month, whole, to those that had them when it began", async () => {
    const packages = [
      { package_id: 'standard', name: 'Standard', amount: '0.00', description: '' },
      { package_id: 'gold', name: 'Gold', amount: '99.00', description: 'All of it' },
    ];
    const save = (list: unknown) =>
      ask('PUT', '/api/configuration/setting', boss, {
        comsetname: 'packages',
        comsetval: { packages: list },
      });
    expect((await save(packages)).status).toBe(200);
    expect((await save(packages.slice(1))).status).toBe(422);
    const agency = await dues.agency();
    const late = await dues.agency();
    const choose = (who: typeof agency) =>
      ask('PUT', '/api/configuration/setting/package', who, {
        companyID: who.company.id,
        packageID: 'gold',
      });
    await choose(agency);
    const { body } = await ask('GET', '/api/configuration/package', agency);
    expect(body).toMatchObject({
      package_id: 'gold',
      fee_from: '2026-04-01',
      data: [{}, { monthly_micros: 99_000_000, name: 'Gold' }],
    });
    // A package that agencies have cannot be removed.
    const gone = await save(packages.slice(0, 1));
    expect([gone.status, JSON.stringify(gone.body)]).toEqual([422, expect.stringContaining('gold')]);
    expect(await app.features.dunning.terms.chargePackages(root.id)).toBe(0);
    app.clock.advance(Date.parse('2026-06-01T05:01:00Z') - app.clock.now().getTime());
    await choose(late);
    expect((await ask('GET', '/api/configuration/package', late)).body.fee_from).toBe('2026-07-01');
    // A package chosen after the month has begun is charged from the next month on; an agency that drops one then still
    // has to pay for the month.
    expect((await dues.books(late.company)).agency_payable).toBeUndefined();
    expect(await app.features.dunning.terms.chargePackages(root.id)).toBe(1);
    expect(await app.features.dunning.terms.chargePackages(root.id)).toBe(0);
    expect((await dues.books(agency.company)).agency_payable).toBe(-99_000_000);
    const id = await dues.bill(agency.company);
    await dues.jobs();
    expect(await dues.invoice(id)).toMatchObject({ total_micros: 99n * USD, status: 'paid' });
  });

  test('a package that is dropped only across the turn of each month is charged like one that is kept', async () => {
    const packages = [
      { package_id: 'standard', name: 'Standard', amount: '0.00', description: '' },
      { package_id: 'silver', name: 'Silver', amount: '40.00', description: '' },
      { package_id: 'gold', name: 'Gold', amount: '99.00', description: 'All of it' },
    ];
    const saved = await ask('PUT', '/api/configuration/setting', boss, {
      comsetname: 'packages',
      comsetval: { packages },
    });
    expect(saved.status).toBe(200);
    type Who = Awaited<ReturnType<Dues['agency']>>;
    const choose = async (who: Who, packageID: string) => {
      const body = { companyID: who.company.id, packageID };
      expect((await ask('PUT', '/api/configuration/setting/package', who, body)).status).toBe(200);
    };
    const cancel = async (who: Who) => {
      const body = { companyID: who.company.id };
      expect((await ask('PUT', '/api/configuration/cancel-subscription', who, body)).status).toBe(200);
    };
    const fees = async (who: Who) =>
      (
        await app.admin.query(
          `select coalesce(sum(e.amount), 0)::float8 / 1e6 as sum from transfer t join entry e on e.transfer_id = t.id
           where t.company_id = $1 and t.kind = 'monthly_fee' and e.company_id = $2`,
          [who.company.id, root.id],
        )
      ).rows[0].sum;
    const keeps = await dues.agency();
    const cancels = await dues.agency();
    const switches = await dues.agency();
    const steps = await dues.agency();
    const leaves = await dues.agency();
    const rises = await dues.agency();
    for (const who of [keeps, cancels, switches, steps, leaves]) await choose(who, 'gold');
    let total = 0;
    for (const month of ['2026-07', '2026-08', '2026-09']) {
      const turn = Date.parse(`${month}-01T05:00:00Z`);
      app.clock.advance(turn - 12 * 3_600_000 - app.clock.now().getTime());
      await cancel(cancels);
      await choose(switches, 'standard');
      await choose(steps, 'silver');
      if (month === '2026-07') await cancel(leaves);
      app.clock.advance(turn + 600_000 - app.clock.now().getTime());
      await app.features.dunning.terms.chargePackages(root.id);
      const { body } = await ask('GET', '/api/configuration/package', cancels);
      const added = (body.data as unknown as { package_id: string; fee_now_micros: number }[]).map(
        (one) => one.fee_now_micros,
      );
      expect(added).toEqual([0, 40_000_000, 99_000_000]);
      for (const who of [cancels, switches, steps]) await choose(who, 'gold');
      // Choosing back and forth within a month adds nothing more.
      await choose(switches, 'silver');
      await choose(switches, 'gold');
      await app.features.dunning.terms.chargePackages(root.id);
      total += 99;
      for (const who of [keeps, cancels, switches, steps]) expect(await fees(who)).toBe(total);
    }
    // Who stays away for a whole month, or has a package for the first time, pays from the next month on.
    await choose(leaves, 'gold');
    await choose(rises, 'gold');
    await app.features.dunning.terms.chargePackages(root.id);
    expect([await fees(leaves), await fees(rises)]).toEqual([0, 0]);
  });
});
