import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let root: Company;

type Caller = Awaited<ReturnType<typeof as>>;
async function as(email: string, host: string) {
  const token = await app.signIn(email, host);
  return {
    token,
    get: (url: string) => app.call('GET', url, { host, token }),
    post: (url: string) => app.call('POST', url, { host, token, body: {} }),
  };
}

beforeAll(async () => {
  app = await testApp({ cards: { wait: async () => {} } });
  root = await app.make.root({ host: 'platform.test' });
});
afterAll(() => app?.close());

describe('[PAY-01] where an agency is paid', () => {
  let company: Company;
  let owner: Caller;
  let admin: Caller;
  const OWN = 'payouts.test';
  const path = '/api/general/connected-account';
  const check = async () =>
    (await owner.get(`${path}/check`)).body as unknown as {
      status_acc: string;
      change: { asked_by: string; at: string } | null;
    };
  const reset = (who: Caller) => who.post('/api/general/reset-payment-connection');
  const mails = async () =>
    (
      await app.admin.query(
        `select to_address, subject from mail where company_id = $1 and kind = 'account.change' order by created_at, to_address`,
        [company.id],
      )
    ).rows;
  const connect = async () => {
    await owner.post(`${path}/create`);
    await app.call('POST', '/api/payment/sandbox/account/submit', {
      host: OWN,
      token: owner.token,
      body: { verdict: 'approve' },
    });
    app.clock.advance(30_000);
    expect(await check()).toMatchObject({ status_acc: 'completed', change: null });
  };
  const waiting = async () =>
    (
      await app.admin.query('select id from account_change where company_id = $1 and ended_at is null', [
        company.id,
      ])
    ).rows[0]?.id as string;
  const due = (id: string) => app.features.payments.accounts.takeDue({ rootId: root.id, id });

  beforeAll(async () => {
    company = await app.make.agency(root, { host: OWN });
    await app.make.user(company, { email: 'owner@payouts.test', password: PASSWORD });
    await app.make.user(company, { email: 'admin@payouts.test', password: PASSWORD, role: 'administrator' });
    owner = await as('owner@payouts.test', OWN);
    admin = await as('admin@payouts.test', OWN);
    await connect();
  });

  test("an administrator's wish waits for 72 hours, all are told, and the account goes on until then", async () => {
    const asked = await reset(admin);
    expect([asked.status, asked.body.status_acc]).toEqual([200, 'completed']);
    expect((await reset(admin)).status).toBe(409);
    const { change } = await check();
    expect(new Date(change!.at).getTime()).toBe(app.clock.now().getTime() + 72 * 3_600_000);
    expect(await mails()).toContainEqual({
      to_address: 'owner@payouts.test',
      subject: 'Someone asked to disconnect the payment account',
    });
    // The job's clock is not the only one that is checked.
    await due(await waiting());
    expect(await check()).toMatchObject({ status_acc: 'completed', change });
    expect((await admin.post(`${path}/keep`)).status).toBe(200);
    expect(await check()).toMatchObject({ status_acc: 'completed', change: null });
    expect((await owner.post(`${path}/keep`)).status).toBe(409);
  });

  test('unstopped, it is let go of; the new one is told with the one before', async () => {
    await reset(admin);
    const id = await waiting();
    app.clock.advance(72 * 3_600_000);
    owner = await as('owner@payouts.test', OWN);
    await due(id);
    await due(id);
    expect(await check()).toMatchObject({ status_acc: '', change: null });
    const before = await mails();
    expect(before.at(-1)).toEqual({
      to_address: 'owner@payouts.test',
      subject: 'The payment account was disconnected',
    });
    app.clock.advance(60_000);
    await connect();
    expect((await mails()).slice(before.length)).toEqual([
      { to_address: 'admin@payouts.test', subject: 'A payment account was connected' },
      { to_address: 'owner@payouts.test', subject: 'A payment account was connected' },
    ]);
    const { rows } = await app.admin.query(
      `select count(*)::int as n from account_change where company_id = $1 and outcome = 'done' and reference <> ''`,
      [company.id],
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test("an owner's word is done at once, also where something waits; an account that was never in use needs nobody's", async () => {
    admin = await as('admin@payouts.test', OWN);
    await reset(admin);
    const id = await waiting();
    // The sandbox's own way around the wait is also reserved for owners.
    expect((await admin.post('/api/general/sandbox-account/reset')).status).toBe(403);
    expect((await reset(owner)).body).toMatchObject({ status_acc: '' });
    expect(await waiting()).toBeUndefined();
    await admin.post(`${path}/create`);
    expect((await reset(admin)).body).toMatchObject({ status_acc: '' });
    // A request made for the previous account has no effect on the next one.
    await connect();
    app.clock.advance(73 * 3_600_000);
    owner = await as('owner@payouts.test', OWN);
    await due(id);
    expect(await check()).toMatchObject({ status_acc: 'completed' });
  });
});
