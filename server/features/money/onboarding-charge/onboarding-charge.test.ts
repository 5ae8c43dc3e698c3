import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownMessages } from '../../../../contract/messages.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { type Dues, duesOf } from '../../../test/dues.ts';
import type { Company } from '../../../test/factories.ts';
import { auditLedger } from '../ledger/index.ts';

let app: TestApp;
let root: Company;
let dues: Dues;
let boss: string;

beforeAll(async () => {
  app = await testApp({ cards: { answerTimeoutMs: 5_000, wait: async () => {} } });
  root = await app.make.root({ host: 'root.test', isMaster: true });
  await app.make.user(root, { email: 'boss@root.test', password: PASSWORD });
  boss = await app.signIn('boss@root.test', 'root.test');
  dues = duesOf(app, root);
  await coupon({ coupon_code: 'HALF', percent: '50' });
  await coupon({ coupon_code: 'FREE', percent: '100' });
  await coupon({ coupon_code: 'ONCE', amount: '20', max_uses: 1 });
});
afterAll(async () => {
  const { checks } = await auditLedger(app.admin);
  await app.close();
  expect(checks.filter((one) => one.violations > 0)).toEqual([]);
});

const asRoot = (method: 'PUT' | 'POST', url: string, body: object) =>
  app.call(method, `/api${url}`, { host: 'root.test', token: boss, body });
async function coupon(given: object): Promise<void> {
  expect((await asRoot('POST', '/configuration/coupon', given)).status).toBe(200);
}
/** An agency with an onboarding charge. */
async function agency(
  card: Parameters<Dues['card']>[1] | null = 'works',
  amount = '250',
  enable_coupon = 'T',
) {
  const one = await dues.agency({ card });
  const set = await asRoot('PUT', '/configuration/setting/onboarding-charge', {
    CompanyID: one.company.id,
    amount,
    enable_coupon,
  });
  expect(set.status).toBe(200);
  const send = (method: 'GET' | 'POST' | 'PUT', url: string, body?: object) =>
    app.call(method, `/api${url}`, { host: one.host, token: one.token, ...(body ? { body } : {}) });
  return {
    ...one,
    send,
    charge: (body: object = {}) => send('POST', '/user/onboarding-charge', body),
    status: async () => (await send('GET', `/user/onboarding-status/${one.userId}`)).body,
  };
}
const uses = async (code: string) => {
  const { rows } = await app.admin.query(
    `select c.uses, (select count(*)::int from coupon_use u where u.coupon_id = c.id) as rows
     from coupon c where code = $1`,
    [code],
  );
  return [rows[0].uses, rows[0].rows];
};
const lines = async (invoiceId: unknown) =>
  (
    await app.admin.query(
      'select kind, description, amount_micros::float8 / 1e6 as amount from invoice_line where invoice_id = $1 order by line',
      [invoiceId],
    )
  ).rows;

describe('[PAY-08] the onboarding charge', () => {
  test('is paid by the card on file, on an invoice of its own, and the setup waits for it', async () => {
    const one = await agency();
    expect(await one.status()).toEqual({
      agency_onboarding_status: true,
      agency_onboarding_price: '250.00',
      agency_enable_coupon: true,
      is_onboard_charged: false,
      onboarding_due: '250.00',
      onboarding_invoice_id: null,
    });
    const check = async () => (await one.send('GET', `/user/checksetupcomplete/${one.userId}`)).body;
    expect(await check()).toMatchObject({ onboarding_waiting: true, setupcomplete: 'F' });
    const { status, body } = await one.charge();
    expect([status, body]).toEqual([
      200,
      {
        result: 'success',
        message: ownMessages.onboardPaid,
        client_secret: '',
        publishable_key: '',
        stripe_account: '',
        paymentgateway: 'sandbox',
        invoice_id: expect.any(String),
        charge_id: null,
      },
    ]);
    expect(await dues.taken(one.company)).toBe(25_000);
    expect(await dues.books(one.company)).toEqual({});
    expect(await lines(body.invoice_id)).toEqual([
      { kind: 'onboarding', description: 'Onboarding charge', amount: 250 },
    ]);
    expect(await dues.invoice(body.invoice_id as unknown as string)).toMatchObject({ status: 'paid' });
    expect(await one.status()).toMatchObject({ is_onboard_charged: true, onboarding_due: '0.00' });
    expect(await check()).toMatchObject({ onboarding_waiting: false, agency_onboarding_status: true });
    const { rows } = await app.admin.query(
      'select onboarding_charged from company_billing where company_id = $1',
      [one.company.id],
    );
    expect(rows[0].onboarding_charged).toEqual(app.clock.now());
  });

  test('however often it is asked, also at once, it charges once and writes one row', async () => {
    const one = await agency();
    const all = await Promise.all([one.charge(), one.charge({ coupon_code: 'HALF' }), one.charge()]);
    await dues.jobs();
    const again = await one.charge({ coupon_code: 'FREE' });
    expect([...all, again].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(again.body.result).toBe('success');
    expect([12_500, 25_000]).toContain(await dues.taken(one.company));
    expect(await uses('FREE')).toEqual([0, 0]);
    const { rows } = await app.admin.query(
      `select count(*)::int as n from user_log where action = 'onboarding.charge' and company_id = $1`,
      [one.company.id],
    );
    expect(rows[0].n).toBe(1);
  });

  test('a coupon is used once with the charge, and stands on the invoice', async () => {
    const one = await agency();
    const before = (await uses('HALF')) as [number, number];
    const look = await one.send('POST', '/configuration/coupon/get-coupon', { coupon_code: 'half' });
    expect(look.body.data).toMatchObject({ charge: '250.00', discount: '125.00', total: '125.00' });
    const { body } = await one.charge({ coupon_code: ' half ' });
    expect(body.result).toBe('success');
    expect(await dues.taken(one.company)).toBe(12_500);
    expect(await lines(body.invoice_id)).toEqual([
      { kind: 'onboarding', description: 'Onboarding charge', amount: 250 },
      { kind: 'coupon', description: 'Coupon HALF', amount: -125 },
    ]);
    expect(await uses('HALF')).toEqual([before[0] + 1, before[1] + 1]);
    expect(await dues.books(one.company)).toEqual({});
  });

  test('an open session does not charge the card', async () => {
    const one = await agency();
    const token = await app.oldSession(one.email, one.host);
    boss = await app.signIn('boss@root.test', 'root.test');
    const at = { host: one.host, token };
    const { status, body } = await app.call('POST', '/api/user/onboarding-charge', { ...at, body: {} });
    expect([status, body.errors]).toEqual([403, { confirm: ['password'] }]);
    expect(await dues.taken(one.company)).toBe(0);
    const state = await app.call('GET', `/api/user/onboarding-status/${one.userId}`, at);
    expect(state.body).toMatchObject({ is_onboard_charged: false, onboarding_invoice_id: null });
  });

  test('a coupon of 100% charges nothing and needs no card', async () => {
    const one = await agency(null);
    const { body } = await one.charge({ coupon_code: 'FREE' });
    expect(body).toMatchObject({
      result: 'success',
      message: ownMessages.onboardFree,
      invoice_id: null,
    });
    expect(await dues.taken(one.company)).toBe(0);
    expect(await dues.books(one.company)).toEqual({});
    expect(await one.status()).toMatchObject({ is_onboard_charged: true, onboarding_due: '0.00' });
    expect((await one.charge()).body).toMatchObject({ result: 'success', invoice_id: null });
  });

  test('what is refused uses nothing up: no card, an unknown or used-up coupon, coupons that are off', async () => {
    const bare = await agency(null);
    const refused = await bare.charge({ coupon_code: 'ONCE' });
    expect([refused.status, refused.body.message]).toEqual([409, ownMessages.noCard]);
    expect(await uses('ONCE')).toEqual([0, 0]);
    expect(await dues.books(bare.company)).toEqual({});
    expect((await bare.charge({ coupon_code: 'NOSUCH' })).body.errors).toHaveProperty('coupon_code');
    const first = await agency();
    expect((await first.charge({ coupon_code: 'ONCE' })).body.result).toBe('success');
    const second = await agency();
    expect((await second.charge({ coupon_code: 'ONCE' })).status).toBe(422);
    expect(await second.status()).toMatchObject({ is_onboard_charged: false, onboarding_invoice_id: null });
    const off = await agency('works', '250', 'F');
    expect((await off.charge({ coupon_code: 'HALF' })).body.message).toBe(ownMessages.couponOff);
    expect(await dues.taken(off.company)).toBe(0);
  });

  test('a declined card is told; the coupon holds, and the same charge is paid later by another card', async () => {
    const one = await agency('declined');
    const { status, body } = await one.charge({ coupon_code: 'HALF' });
    expect([status, body.result]).toEqual([200, 'failed']);
    expect(body.message).toMatch(/declined/i);
    const id = body.invoice_id as unknown as string;
    expect(await one.status()).toMatchObject({
      is_onboard_charged: false,
      onboarding_due: '125.00',
      onboarding_invoice_id: id,
    });
    const again = await one.charge();
    expect([again.body.result, again.body.invoice_id]).toEqual(['failed', id]);
    await dues.card(one.company, 'works');
    const paid = await one.send('POST', `/billing/invoices/${id}/pay`, { idempotencyKey: 'second' });
    expect(paid.body.result).toBe('success');
    expect((await one.charge()).body.result).toBe('success');
    expect(await dues.taken(one.company)).toBe(12_500);
    expect(await one.status()).toMatchObject({ is_onboard_charged: true, onboarding_due: '0.00' });
    expect(await dues.flags(one.company)).toEqual(['', '']);
  });

  test('a holder who must confirm is sent to do so; an answer that is lost is told as such and settled later', async () => {
    const held = await agency('authenticate');
    const { body } = await held.charge();
    expect(body.result).toBe('authenticate');
    expect(body.client_secret).not.toBe('');
    await dues.network().authenticateCharge(body.client_secret as unknown as string, true);
    expect((await held.charge()).body.result).toBe('success');
    expect(await dues.taken(held.company)).toBe(25_000);
    const lost = await agency('lost');
    const answer = await lost.charge();
    expect([answer.body.result, answer.body.message]).toEqual(['unknown', ownMessages.onboardUnknown]);
    await dues.passes(120_000);
    await dues.passes(3_600_000);
    expect(await dues.taken(lost.company)).toBe(25_000);
    const token = await app.signIn(lost.email, lost.host);
    const later = await app.call('POST', '/api/user/onboarding-charge', { host: lost.host, token, body: {} });
    expect(later.body.result).toBe('success');
  });
});

describe('[PAY-08] who is asked', () => {
  test('nobody with an amount of 0 or excluded; only agencies are', async () => {
    boss = await app.signIn('boss@root.test', 'root.test');
    const none = await agency('works', '0');
    expect(await none.status()).toMatchObject({ agency_onboarding_status: false });
    const refused = await none.charge();
    expect([refused.status, refused.body.message]).toEqual([409, ownMessages.onboardNone]);
    const spared = await agency();
    await app.admin.query(
      `insert into company_billing (company_id, root_id, agency_id, excluded_onboarding, updated_at)
       values ($1, $2, $1, true, now()) on conflict (company_id) do update set excluded_onboarding = true`,
      [spared.company.id, root.id],
    );
    expect(await spared.status()).toMatchObject({ agency_onboarding_status: false, onboarding_due: '0.00' });
    expect((await spared.charge()).status).toBe(409);
    const client = await dues.client(spared);
    const asClient = await app.call('POST', '/api/user/onboarding-charge', {
      host: client.host,
      token: client.token,
      body: {},
    });
    expect(asClient.status).toBe(404);
    const asRootPerson = await asRoot('POST', '/user/onboarding-charge', {});
    expect(asRootPerson.status).toBe(403);
  });
});
