import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { TEST_PURPOSE, walletPurpose } from '../../../test/wallet-purpose.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let other: Company;
const HOST = 'cards.test';

type Caller = Awaited<ReturnType<typeof caller>>;
async function caller(company: Company, host: string, isOld = false) {
  const { email } = await app.make.user(company, { password: PASSWORD });
  const token = await (isOld ? app.oldSession(email, host) : app.signIn(email, host));
  const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown) =>
    app.call(method, url, { host, token, ...(body === undefined ? {} : { body }) });
  return {
    get: (url: string) => send('GET', url),
    post: (url: string, body: unknown = {}) => send('POST', url, body),
    put: (url: string, body: unknown) => send('PUT', url, body),
    remove: (url: string) => send('DELETE', url),
  };
}
/** Enters a test card into a new form; returns the form. */
async function enter(who: Caller, number = '4242424242424242') {
  const form = (await who.post('/api/payment/card/start')).body as { setup: string; client_secret: string };
  const entered = await who.post('/api/payment/sandbox/card', {
    client_secret: form.client_secret,
    number,
    exp_month: 12,
    exp_year: 2030,
    cvc: '123',
  });
  return { form, entered: entered.body };
}
const logs = async (action: string) =>
  Number((await app.admin.query('select count(*) as n from user_log where action = $1', [action])).rows[0].n);

let boss: Caller;
let payer: Caller;
let platform: Caller;
beforeAll(async () => {
  app = await testApp({ cards: { wait: async () => {} } });
  app.features.payments.charges.onSettled(TEST_PURPOSE, walletPurpose(app.features.wallet));
  root = await app.make.root({ host: 'platform.test' });
  agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  other = await app.make.agency(root, { host: 'other.test' });
  boss = await caller(agency, HOST);
  payer = await caller(client, HOST);
  platform = await caller(root, 'platform.test');
});
afterAll(() => app?.close());

describe('[PROF-04] a card on file', () => {
  test('is entered at the provider, replaced, and taken off; its number is nowhere', async () => {
    expect((await boss.get('/api/payment/card')).body).toMatchObject({ card: null, usable: false });
    const { form, entered } = await enter(boss);
    expect(entered).toEqual({ status: 'saved', message: '' });
    const saved = await boss.post('/api/payment/customer', { setup: form.setup });
    expect(saved.body).toMatchObject({ card: { brand: 'visa', last4: '4242', provider: 'sandbox' } });
    // Using the same form again changes nothing.
    const again = await boss.put('/api/payment/card', { setup: form.setup });
    expect(again.body.customer_card_id).toBe(saved.body.customer_card_id);
    expect(await logs('card.saved')).toBe(1);

    const next = await enter(boss, '5555555555554444');
    const replaced = await boss.put('/api/payment/card', { setup: next.form.setup });
    expect(replaced.body).toMatchObject({ card: { brand: 'mastercard', last4: '4444' } });
    expect((await boss.get('/api/payment/card')).body).toMatchObject({
      usable: true,
      customer_card_id: replaced.body.customer_card_id,
      paymentgateway: 'sandbox',
    });
    const { rows } =
      await app.admin.query(`select (select jsonb_agg(to_jsonb(c))::text from payment_card c) ||
      (select jsonb_agg(to_jsonb(n))::text from sandbox_network n) as everything`);
    expect(rows[0].everything).not.toMatch(/4242424242424242|5555555555554444/);

    expect((await boss.remove('/api/payment/card')).status).toBe(200);
    expect((await boss.remove('/api/payment/card')).status).toBe(404);
    expect((await boss.get('/api/payment/card')).body).toMatchObject({ card: null, customer_card_id: '' });
    expect([await logs('card.saved'), await logs('card.removed')]).toEqual([2, 1]);
  });

  test('that is refused, or that the bank asks about, is not on file before it is answered', async () => {
    const refused = await enter(boss, '4000000000000002');
    expect(refused.entered).toMatchObject({ status: 'failed', message: 'Your card was declined.' });
    expect((await boss.put('/api/payment/card', { setup: refused.form.setup })).status).toBe(422);
    const real = await enter(boss, '4111111111111111');
    expect(real.entered).toMatchObject({ status: 'failed', message: expect.stringContaining('test card') });
    const asked = await enter(boss, '4000002500003155');
    expect(asked.entered).toMatchObject({ status: 'authenticate' });
    expect((await boss.put('/api/payment/card', { setup: asked.form.setup })).status).toBe(409);
    const { client_secret } = asked.form;
    const answer = (passed: string) =>
      boss.post('/api/payment/sandbox/authentication', { client_secret, passed });
    expect((await answer('F')).body).toMatchObject({ status: 'failed' });
    expect((await boss.get('/api/payment/card')).body).toMatchObject({ card: null });
  });

  test("nobody finishes another company's form", async () => {
    const { form } = await enter(boss);
    const stranger = await caller(other, 'other.test');
    expect((await stranger.put('/api/payment/card', { setup: form.setup })).status).toBe(404);
    expect((await boss.put('/api/payment/card', { setup: `${form.setup}x` })).status).toBe(404);
    expect((await boss.put('/api/payment/card', { setup: form.setup })).status).toBe(200);
  });

  test("a client's card is on its agency's account, and waits for it", async () => {
    expect((await payer.post('/api/payment/card/start')).status).toBe(409);
    await app.features.billing.accounts.sandboxAccount(
      { root_id: root.id, agency_id: agency.id, company_id: agency.id },
      'approve',
    );
    const { form } = await enter(payer);
    expect((await payer.post('/api/payment/customer-direct', { setup: form.setup })).status).toBe(200);
    expect((await payer.get('/api/payment/card')).body).toMatchObject({ usable: true });
    expect((await payer.post('/api/payment/customer', { setup: form.setup })).status).toBe(403);
    expect((await boss.post('/api/payment/customer-direct', { setup: form.setup })).status).toBe(403);
    await boss.post('/api/general/reset-payment-connection');
    expect((await payer.get('/api/payment/card')).body).toMatchObject({ usable: false });
  });
});

test('[PAY-01] a connected account: opened, filled in at the provider, checked, reset', async () => {
  const owner = await caller(other, 'other.test');
  const check = async () => (await owner.get('/api/general/connected-account/check')).body;
  const none = {
    status_acc: '',
    charges_enabled: false,
    payouts_enabled: false,
    account_requirements: [],
  };
  expect(await check()).toEqual({ ...none, change: null });
  expect((await owner.post('/api/general/connected-account/link')).status).toBe(409);
  const opened = await owner.post('/api/general/connected-account/create');
  expect(opened.body).toMatchObject({ status_acc: 'pending', charges_enabled: false });
  expect((opened.body.account_requirements as unknown as string[]).length).toBeGreaterThan(0);
  expect((await owner.post('/api/general/connected-account/create')).body).toMatchObject({
    status_acc: 'pending',
  });
  expect(await logs('account.created')).toBe(1);

  const link = await owner.post('/api/general/connected-account/link');
  const token = (link.body.url as unknown as string).split('/').at(-1)!;
  expect((await boss.post('/api/payment/sandbox/account/open', { token })).status).toBeGreaterThanOrEqual(
    404,
  );
  const second = (await owner.post('/api/general/connected-account/link')).body.url as unknown as string;
  const open = () => owner.post('/api/payment/sandbox/account/open', { token: second.split('/').at(-1)! });
  expect((await open()).body).toMatchObject({ status: 'open', back: '/user/profile-setup' });
  expect((await open()).body).toMatchObject({ status: 'expired' });
  // From the general settings it leads back there.
  const third = await owner.post('/api/general/connected-account/link', { from: 'settings' });
  expect(
    (
      await owner.post('/api/payment/sandbox/account/open', {
        token: (third.body.url as unknown as string).split('/').at(-1)!,
      })
    ).body,
  ).toMatchObject({ status: 'open', back: '/configuration/general-setting?tab=payment' });
  expect(
    (await owner.post('/api/payment/sandbox/account/submit', { verdict: 'approve' })).body,
  ).toMatchObject({
    status_acc: 'inverification',
  });
  app.clock.advance(30_000);
  expect(await check()).toMatchObject({
    status_acc: 'completed',
    charges_enabled: true,
    payouts_enabled: true,
  });
  expect((await owner.post('/api/general/reset-payment-connection')).body).toMatchObject(none);
  expect((await owner.post('/api/general/connected-account/create')).body).toMatchObject({
    status_acc: 'pending',
  });
  await owner.post('/api/payment/sandbox/account/submit', { verdict: 'reject' });
  app.clock.advance(30_000);
  expect(await check()).toMatchObject({ status_acc: 'failed', charges_enabled: false });
});

describe('payments to check', () => {
  const charge = (key: string) =>
    app.features.payments.charges.charge({
      owner: { root_id: root.id, agency_id: agency.id, company_id: agency.id },
      purpose: TEST_PURPOSE,
      referenceId: agency.id,
      amountMicros: 50_000_000n,
      key,
      description: 'Onboarding',
    });
  const problems = async (kind = '') => {
    const { body } = await platform.get(`/api/payment/problems?PerPage=50${kind && `&kind=${kind}`}`);
    return body as unknown as {
      data: { id: string; row: string; kind: string; state: string; may: string[]; company_name: string }[];
      counts: Record<string, number>;
      total: number;
    };
  };

  test('[PAY-02] a root asks again, settles by hand with a reason, refunds; each is in the user log', async () => {
    const lost = await enter(boss, '4000000009000037');
    await boss.put('/api/payment/card', { setup: lost.form.setup });
    const one = await charge('one');
    expect(one.status).toBe('unknown');
    expect((await problems()).data).toEqual([]);
    app.clock.advance(16_000);
    const [shown] = (await problems('unknown')).data;
    expect(shown).toMatchObject({ id: one.charge.id, state: 'unknown', may: ['ask', 'settle'] });
    expect((await platform.post(`/api/payment/problems/${one.charge.id}/ask`)).body).toMatchObject({
      state: 'succeeded',
    });
    expect((await problems()).total).toBe(0);

    const two = await charge('two');
    app.clock.advance(16_000);
    const settle = (id: string, state: string, reason?: string) =>
      platform.post(`/api/payment/problems/${id}/settle`, { state, reason });
    expect((await settle(two.charge.id, 'succeeded')).status).toBe(422);
    expect((await settle(one.charge.id, 'declined', 'no')).status).toBe(409);
    expect((await settle(two.charge.id, 'succeeded', 'seen at the provider')).body).toMatchObject({
      state: 'succeeded',
    });
    const { rows } = await app.admin.query('select settled_by_hand from charge where id = $1', [
      two.charge.id,
    ]);
    expect(rows[0].settled_by_hand).toBe('seen at the provider');
    const balance = () =>
      inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
        app.features.wallet.balance(tx, agency.id, app.clock.now()),
      );
    expect(await balance()).toBe(100_000_000n);

    const body = { amount: '12.50', reason: 'asked', idempotencyKey: one.charge.id };
    for (let i = 0; i < 2; i++)
      expect((await platform.post(`/api/payment/problems/${one.charge.id}/refund`, body)).body).toMatchObject(
        {
          status: 'succeeded',
        },
      );
    expect(await balance()).toBe(87_500_000n);
    const before = [
      await logs('payment.asked'),
      await logs('payment.settled'),
      await logs('payment.refunded'),
    ];
    expect(before).toEqual([1, 1, 1]);
  });

  test('another root sees and mends nothing of it, an agency is refused', async () => {
    const foreign = await app.make.root({ host: 'foreign.test' });
    const stranger = await caller(foreign, 'foreign.test');
    const { rows } = await app.admin.query('select id from charge limit 1');
    const url = `/api/payment/problems/${rows[0].id}`;
    expect((await stranger.post(`${url}/ask`)).status).toBe(404);
    expect((await stranger.post(`${url}/refund`, { reason: 'x', idempotencyKey: rows[0].id })).status).toBe(
      404,
    );
    expect((await stranger.get('/api/payment/problems')).body).toMatchObject({ total: 0 });
    expect((await boss.post(`${url}/ask`)).status).toBe(403);
    // A client does not see its agency's charges, not even when it requests one as its own.
    expect((await payer.post(`/api/payment/charge/${rows[0].id}/check`)).status).toBe(404);
    expect((await boss.post(`/api/payment/charge/${rows[0].id}/check`)).body).toMatchObject({
      status: 'succeeded',
    });
  });
});

test('[BEY-11] an open session adds a first card, and replaces none without a confirmation', async () => {
  const payAt = async (
    company: Company,
    host: string,
    save: (who: Caller, setup: string) => Promise<unknown>,
  ) => {
    const who = await caller(company, host, true);
    expect(await save(who, (await enter(who)).form.setup)).toBe(200);
    const { form } = await enter(who, '5555555555554444');
    expect(await save(who, form.setup)).toBe(403);
    const sandbox = await who.put('/api/payment/sandbox-card', { outcome: 'works' });
    expect([sandbox.status, sandbox.body.errors]).toEqual([403, { confirm: ['password'] }]);
    expect((await who.get('/api/payment/card')).body).toMatchObject({ card: { last4: '4242' } });
    expect((await who.post('/api/user/confirm', { password: PASSWORD })).status).toBe(200);
    expect(await save(who, form.setup)).toBe(200);
    expect((await who.get('/api/payment/card')).body).toMatchObject({ card: { last4: '4444' } });
  };
  const third = await app.make.agency(root, { host: 'third.test' });
  await payAt(
    third,
    'third.test',
    async (who, setup) => (await who.put('/api/payment/card', { setup })).status,
  );
  await app.features.billing.accounts.sandboxAccount(
    { root_id: root.id, agency_id: third.id, company_id: third.id },
    'approve',
  );
  await payAt(
    await app.make.client(third),
    'third.test',
    async (who, setup) => (await who.post('/api/payment/customer-direct', { setup })).status,
  );
});
