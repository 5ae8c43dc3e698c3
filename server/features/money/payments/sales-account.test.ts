import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownMessages } from '../../../../contract/messages.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { openStripe } from '../../../test/stripe-bench.ts';
import type { Fault } from '../../../test/stripe-server.ts';

const PAGE = '/configuration/sales-connect-account';
const HOST = 'root.test';
let app: TestApp;
let bench: Awaited<ReturnType<typeof openStripe>>;
let root: Company;
let agency: Company;
let passwordHash: string;

beforeAll(async () => {
  bench = await openStripe();
  const { secretKey, publishableKey, webhookSecrets, timeoutMs } = bench.parts;
  app = await testApp({
    clock: bench.clock,
    cards: { answerTimeoutMs: timeoutMs },
    settings: { stripe: { secretKey, publishableKey, webhookSecrets, apiBase: bench.server.url } },
  });
  passwordHash = await app.features.users.hashPassword(PASSWORD);
  root = await app.make.root({ host: HOST, isMaster: true });
  agency = await app.make.agency(root, { host: 'agency.test' });
});
afterAll(async () => {
  await app?.close();
  await bench?.close();
});

type Body = Record<string, unknown> & { message?: string };
async function person(company: Company, role: 'owner' | 'sales', host: string) {
  const { id, email } = await app.make.user(company, { role, passwordHash });
  const token = await app.signIn(email, host);
  const call = (method: 'GET' | 'POST', url: string, body?: object) =>
    app.call(method, `/api${url}`, { host, token, ...(body ? { body } : {}) });
  return {
    id,
    token,
    create: () => call('POST', '/general/connected-account/create', {}),
    link: () => call('POST', '/general/connected-account/link', {}),
    check: async () => (await call('GET', '/general/connected-account/check')).body,
    reset: () => call('POST', '/general/reset-payment-connection', {}),
    status: async () =>
      ((await call('GET', `/user/checksetupcomplete/${id}`)).body as Body).accountconnected as string,
    call,
  };
}
const seller = () => person(root, 'sales', HOST);
/** The account that we have stored for a salesperson. */
const kept = async (id: string) =>
  (await app.admin.query('select provider, reference, status from sales_account where user_id = $1', [id]))
    .rows[0] as { provider: string; reference: string; status: string } | undefined;
const logs = async (action: string, id: string) =>
  Number(
    (
      await app.admin.query('select count(*) as n from user_log where action = $1 and object_id = $2', [
        action,
        id,
      ])
    ).rows[0].n,
  );
const made = () => bench.server.requests.filter(({ name }) => name === 'POST /v1/accounts');
/** Delivers the provider's notices; returns the result of each. */
async function deliver(): Promise<string[]> {
  const outcomes: string[] = [];
  for (const { body, headers } of await bench.notices()) {
    const { statusCode: status } = await app.server.inject({
      method: 'POST',
      url: '/api/payment/notice',
      headers: { host: HOST, 'content-type': 'application/json', ...headers },
      payload: body,
    });
    const { rows } = await app.admin.query('select outcome from payment_notice where id = $1', [
      JSON.parse(body).id,
    ]);
    outcomes.push(`${status} ${rows[0].outcome}`);
  }
  return outcomes;
}
const goWrong = (path: RegExp, act: Fault['act'], at: Fault['at'] = 'before', times = 10) =>
  bench.server.faults.push({ path, at, act, times });

describe("[ROUT-14] [PAY-01] a sales person's own account at a card provider", () => {
  test.each([
    ['a root', () => [root, HOST] as const],
    ['an agency', () => [agency, 'agency.test'] as const],
  ])('of %s: opened once, filled in there, seen by notice and on return', async (_, where) => {
    const [company, host] = where();
    const sales = await person(company, 'sales', host);
    expect([await sales.status(), (await sales.check()).status_acc]).toEqual(['', '']);
    expect((await sales.link()).status).toBe(409);
    const before = made().length;
    const opened = await sales.create();
    expect(opened.body).toMatchObject({ result: 'success', status_acc: 'pending', charges_enabled: false });
    expect((await sales.create()).body).toMatchObject({ status_acc: 'pending' });
    expect(
      made()
        .slice(before)
        .map(({ body }) => body.metadata),
    ).toEqual([{ reference: sales.id }]);
    expect(await logs('account.created', sales.id)).toBe(1);
    expect(await sales.status()).toBe('pending');
    const { reference } = (await kept(sales.id))!;

    const link = await sales.link();
    expect(link.body.url).toContain(`/${reference}/`);
    expect(bench.server.requests.at(-1)!.body).toMatchObject({
      account: reference,
      return_url: expect.stringMatching(new RegExp(`^http://${host}.*${PAGE}$`)),
      refresh_url: expect.stringMatching(new RegExp(`^http://${host}.*${PAGE}$`)),
    });

    // The provider reports that the form has been sent; then the person comes back before it has reported its verdict.
    await bench.onboard(reference, 'submitted');
    expect(await deliver()).toEqual(['200 account inverification']);
    expect(await sales.status()).toBe('inverification');
    await bench.onboard(reference, 'approved');
    await bench.notices();
    expect(await sales.status()).toBe('inverification');
    expect(await sales.check()).toEqual({
      status_acc: 'completed',
      charges_enabled: true,
      payouts_enabled: true,
      account_requirements: [],
      change: null,
    });
    expect(await sales.status()).toBe('completed');
    // A notice that was lost or comes again changes nothing.
    bench.server.setAccount(reference, {});
    expect(await deliver()).toEqual(['200 account completed']);

    expect((await sales.reset()).body).toMatchObject({
      status_acc: '',
      message: ownMessages.ownAccountReset,
    });
    expect([await sales.status(), await logs('account.reset', sales.id)]).toEqual(['', 1]);
    expect((await sales.create()).body).toMatchObject({ status_acc: 'pending' });
    expect((await kept(sales.id))!.reference).not.toBe(reference);
    // Notices about the previous account do not apply to the current one.
    await bench.onboard(reference, 'rejected');
    expect(await deliver()).toEqual(['200 unknown account']);
    expect(await sales.status()).toBe('pending');
  });

  test('a refused one is failed', async () => {
    const sales = await seller();
    await sales.create();
    const { reference } = (await kept(sales.id))!;
    await bench.onboard(reference, 'submitted');
    await bench.onboard(reference, 'rejected');
    await deliver();
    expect(await sales.status()).toBe('failed');
  });

  test("a notice is about its own account only, not another sales person's nor the agency's", async () => {
    const [one, two] = [
      await person(agency, 'sales', 'agency.test'),
      await person(agency, 'sales', 'agency.test'),
    ];
    const owner = await person(agency, 'owner', 'agency.test');
    for (const who of [one, two, owner]) expect((await who.create()).status).toBe(200);
    const all = async () => [await one.status(), await two.status(), await owner.status()];
    expect(await all()).toEqual(['pending', 'pending', 'pending']);
    const { rows } = await app.admin.query('select reference from connected_account where company_id = $1', [
      agency.id,
    ]);
    const references = [(await kept(one.id))!.reference, (await kept(two.id))!.reference, rows[0].reference];
    expect(new Set(references).size).toBe(3);

    await bench.onboard(references[1], 'submitted');
    expect(await deliver()).toEqual(['200 account inverification']);
    expect(await all()).toEqual(['pending', 'inverification', 'pending']);
    await bench.onboard(references[2], 'approved');
    await deliver();
    expect(await all()).toEqual(['pending', 'inverification', 'completed']);
    // An agency's salesperson can disconnect their own account, but not the agency's.
    await one.reset();
    expect(await all()).toEqual(['', 'inverification', 'completed']);
    // The default package of an agency comes with its own account.
    const { rows: packages } = await app.admin.query(
      'select company_id from company_billing where company_id = any($1)',
      [[agency.id, root.id]],
    );
    expect(packages).toEqual([{ company_id: agency.id }]);
    // A correctly signed notice about an account that belongs to no one.
    await bench.gateway
      .createAccount({ reference: 'elsewhere', idempotencyKey: 'elsewhere' })
      .then((strange) => bench.onboard(strange, 'approved'));
    expect(await deliver()).toEqual(['200 unknown account']);
    const forged = await app.call('POST', '/api/payment/notice', {
      host: HOST,
      body: { id: 'evt_1', type: 'account.updated', account: references[0] },
    });
    expect(forged.status).toBe(400);
    expect(await all()).toEqual(['', 'inverification', 'completed']);
  });

  test('one that has left us is none, and another can be connected', async () => {
    const sales = await seller();
    await sales.create();
    const { reference } = (await kept(sales.id))!;
    const gone = { status: 403, type: 'invalid_request_error', code: 'account_invalid' };
    goWrong(new RegExp(`accounts/${reference}`), gone, 'before', 1);
    expect(await sales.check()).toMatchObject({ status_acc: '' });
    expect(await sales.status()).toBe('');
    bench.clock.advance(1000);
    expect((await sales.create()).body).toMatchObject({ status_acc: 'pending' });
    expect((await kept(sales.id))!.reference).not.toBe(reference);
  });

  test('[PAY-01] a payout that fails is told to whose account it is', async () => {
    const sales = await seller();
    await sales.create();
    const { reference } = (await kept(sales.id))!;
    bench.server.failPayout(reference, 12_345, 'The bank account has been closed.');
    expect(await deliver()).toEqual(['200 account pending']);
    const { rows } = await app.admin.query(
      "select m.subject from mail m join user_account u on u.email = m.to_address where m.kind = 'payout.failed' and u.id = $1",
      [sales.id],
    );
    expect(rows).toEqual([{ subject: 'A payout of $123.45 failed' }]);
  });

  test('asked for twice at once it is one account and one row of the log', async () => {
    const sales = await seller();
    const before = made().length;
    const answers = await Promise.all([sales.create(), sales.create()]);
    expect(answers.map(({ body }) => body.status_acc)).toEqual(['pending', 'pending']);
    const keys = made()
      .slice(before)
      .map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
    expect(await logs('account.created', sales.id)).toBe(1);
  });

  test('the sandbox is not there', async () => {
    const sales = await seller();
    await sales.create();
    const { status } = await sales.call('POST', '/payment/sandbox/account/submit', { verdict: 'approve' });
    expect([status, await sales.status()]).toEqual([409, 'pending']);
  });
});

describe('[ROUT-14] while the card provider is down', () => {
  test('it is said, nothing is kept, and the next try makes the one account', async () => {
    const sales = await seller();
    const before = made().length;
    for (const path of [/v1\/accounts$/, /v1\/accounts\/acct/]) {
      goWrong(path, 'drop', 'after');
      const { status, body } = await sales.create();
      expect([status, body.message]).toEqual([503, ownMessages.cardNetworkAway]);
      bench.server.faults.length = 0;
      expect(await kept(sales.id)).toBeUndefined();
      expect([await sales.status(), await logs('account.created', sales.id)]).toEqual(['', 0]);
    }
    expect((await sales.create()).body).toMatchObject({ status_acc: 'pending' });
    // Each attempt sent the same content under the same key, so the provider created only one.
    const keys = made()
      .slice(before)
      .map(({ headers }) => headers['idempotency-key']);
    expect([keys.length > 2, new Set(keys).size]).toEqual([true, 1]);

    goWrong(/account_links/, 'drop');
    const link = await sales.link();
    expect([link.status, link.body.message]).toEqual([503, ownMessages.cardNetworkAway]);
    bench.server.faults.length = 0;
    expect((await sales.link()).status).toBe(200);
  });

  test('what was known stays, and a notice is taken up again later', async () => {
    const sales = await seller();
    await sales.create();
    const { reference } = (await kept(sales.id))!;
    await bench.onboard(reference, 'approved');
    goWrong(/v1\/accounts\/acct/, 'drop');
    const { status, body } = await sales.call('GET', '/general/connected-account/check');
    expect([status, body.message]).toEqual([503, ownMessages.cardNetworkAway]);
    await deliver();
    expect(await sales.status()).toBe('pending');
    bench.server.faults.length = 0;
    await app.features.payments.notices.again();
    expect(await sales.status()).toBe('completed');
  });
});

test("[ROUT-14] no one but the sales person: not in view mode, not the root's owner, not a client", async () => {
  const sales = await person(agency, 'sales', 'agency.test');
  const owner = await person(root, 'owner', HOST);
  const view = await app.call('POST', '/api/user/switch', {
    host: HOST,
    token: owner.token,
    body: { usrID: sales.id, reason: 'To help' },
  });
  expect(view.status).toBe(200);
  const token = view.body.access_token as string;
  for (const [method, url] of [
    ['POST', 'connected-account/create'],
    ['POST', 'connected-account/link'],
    ['GET', 'connected-account/check'],
    ['POST', 'reset-payment-connection'],
  ] as const) {
    const answer = await app.call(method, `/api/general/${url}`, {
      host: HOST,
      token,
      ...(method === 'POST' ? { body: {} } : {}),
    });
    expect([url, answer.status, answer.body.message]).toEqual([url, 403, ownMessages.notInView]);
  }
  expect((await owner.create()).status).toBe(403);
  const client = await person(await app.make.client(agency), 'owner', 'agency.test');
  expect((await client.create()).status).toBe(403);
  expect(await kept(sales.id)).toBeUndefined();
});

test('[ROUT-14] in the sandbox the way is the same, by its own form; an account of it counts for no provider', async () => {
  const sandbox = await testApp();
  try {
    const top = await sandbox.make.root({ host: HOST });
    const login = async () => {
      const { id, email } = await sandbox.make.user(top, { role: 'sales', passwordHash });
      const token = await sandbox.signIn(email, HOST);
      const post = async (url: string, body: object = {}) =>
        (await sandbox.call('POST', `/api${url}`, { host: HOST, token, body })).body;
      return { id, token, post };
    };
    const [one, two] = [await login(), await login()];
    for (const who of [one, two]) await who.post('/general/connected-account/create');
    const formOf = async (who: typeof one) =>
      ((await who.post('/general/connected-account/link')).url as string).split('/').at(-1)!;
    const form = await formOf(one);
    expect(await one.post('/payment/sandbox/account/open', { token: form })).toMatchObject({
      status: 'open',
      back: PAGE,
      again: PAGE,
    });
    // No one can open another person's form.
    const foreign = await formOf(two);
    expect(await one.post('/payment/sandbox/account/open', { token: foreign })).toMatchObject({
      message: ownMessages.notFound,
    });
    const sent = await one.post('/payment/sandbox/account/submit', { verdict: 'approve' });
    expect(sent).toMatchObject({ status_acc: 'inverification' });
    sandbox.clock.advance(30_000);
    await sandbox.features.payments.attendNotices();
    const statuses = async () =>
      (await sandbox.admin.query('select user_id, status from sales_account')).rows
        .map(({ user_id, status }) => `${user_id === one.id ? 'one' : 'two'} ${status}`)
        .sort();
    expect(await statuses()).toEqual(['one completed', 'two pending']);
    const setup = async () =>
      (await sandbox.call('GET', `/api/user/checksetupcomplete/${one.id}`, { host: HOST, token: one.token }))
        .body.accountconnected;
    expect(await setup()).toBe('completed');
    await sandbox.admin.query(`update sales_account set provider = 'stripe' where user_id = $1`, [one.id]);
    expect(await setup()).toBe('');
  } finally {
    await sandbox.close();
  }
});
