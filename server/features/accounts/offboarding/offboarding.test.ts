import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { OffboardingStep } from '../../../../contract/accounts/offboarding-rules.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import { duesOf } from '../../../test/dues.ts';
import type { Company } from '../../../test/factories.ts';
import { type PrepaidMade, prepaidStage } from '../../../test/prepaid.ts';
import { auditLedger } from '../../money/ledger/index.ts';

const USD = 1_000_000n;
let app: TestApp;
let root: Company;
let stage: ReturnType<typeof prepaidStage>;
let serial = 0;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  stage = prepaidStage(app, root);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => app?.close());

type As = 'client' | 'agency';
const call = async (
  who: PrepaidMade,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
  as: As = 'agency',
  // biome-ignore lint/suspicious/noExplicitAny: any call's answer
): Promise<{ status: number; body: any }> => {
  app.clock.advance(1000);
  return app.call(method, `/api${path}`, { host: who.host, token: await stage.token(who, as), body });
};
const buy = (who: PrepaidMade, as: As = 'client') =>
  call(
    who,
    'POST',
    '/leadspeek/client/topup-card',
    {
      ...{ leadspeekID: who.campaign.id, leadsbuy: 10, amount: '10.00' },
      idempotencyKey: `offboarding-${++serial}`,
    },
    as,
  );
const at = (who: PrepaidMade, more = ''): string => `/offboarding/${who.client.id}${more}`;
const start = async (who: PrepaidMade, keep_balance = false) => {
  const { status, body } = await call(who, 'POST', at(who), { keep_balance, delete_on: '2027-01-31' });
  expect([status, body.message]).toEqual([200, 'The offboarding has started.']);
};
const run = (who: PrepaidMade) => app.features.offboarding.run({ rootId: root.id, companyId: who.client.id });
const list = async (who: PrepaidMade) => (await call(who, 'GET', at(who))).body;
const states = async (who: PrepaidMade): Promise<Partial<Record<OffboardingStep, string>>> =>
  Object.fromEntries(
    (await list(who)).steps.map((one: { step: string; state: string }) => [one.step, one.state]),
  );
const isRemoved = async (who: PrepaidMade): Promise<boolean> =>
  (await app.admin.query('select removed_at is not null as gone from company where id = $1', [who.client.id]))
    .rows[0].gone;
const charges = async (who: PrepaidMade): Promise<number> =>
  (await app.admin.query('select count(*)::int as n from charge where company_id = $1', [who.client.id]))
    .rows[0].n;
const refunded = async (who: PrepaidMade): Promise<number> =>
  (
    await app.admin.query(
      `select coalesce(sum(amount_cents), 0)::int as cents from refund where company_id = $1 and state = 'succeeded'`,
      [who.client.id],
    )
  ).rows[0].cents;
const ledgerHolds = async () => {
  const { checks } = await auditLedger(app.admin);
  // What the stage sells has no lead.
  const mine = checks.filter(({ name }) => !name.startsWith('every lead with a price'));
  expect(mine.filter(({ violations }) => violations > 0)).toEqual([]);
};

describe('[BEY-13] offboarding a client', () => {
  test('stops campaigns, refunds the card, disconnects, waits for a person, then signs out; nothing is charged after', async () => {
    const who = await stage.made();
    expect((await buy(who)).body.result).toBe('success');
    await stage.sell(who, 3);
    expect((await call(who, 'GET', at(who))).body.data.state).toBeNull();
    const past = await call(who, 'POST', at(who), { keep_balance: false, delete_on: '2020-01-01' });
    expect([past.status, past.body.message]).toEqual([
      422,
      expect.stringMatching(/^delete_on: must not be before today/),
    ]);
    await start(who);
    // The client can add no campaign meanwhile, and a second start is refused.
    expect((await call(who, 'POST', at(who), { keep_balance: true, delete_on: '2027-01-31' })).status).toBe(
      409,
    );
    await run(who);
    expect(await states(who)).toMatchObject({
      campaigns: 'done',
      charges: 'done',
      deliveries: 'done',
      balance: 'done',
      connections: 'done',
      export: 'you',
      deletion: 'done',
      users: 'waits',
    });
    expect([await stage.balance(who), await refunded(who)]).toEqual([0n, 700]);
    const { rows } = await app.admin.query('select state from campaign where id = $1', [who.campaign.id]);
    expect(rows[0].state).toBe('archived');
    expect(await isRemoved(who)).toBe(false);

    expect((await call(who, 'POST', at(who, '/exported'))).status).toBe(200);
    await run(who);
    expect(await isRemoved(who)).toBe(true);
    const after = await list(who);
    expect([after.data.state, after.steps.every((one: { state: string }) => one.state === 'done')]).toEqual([
      'done',
      true,
    ]);
    // Signed out at once, and no way back in.
    expect((await call(who, 'GET', '/leadspeek/client/list', undefined, 'client')).status).toBe(401);
    const login = await app.call('POST', '/api/login', {
      host: who.host,
      body: { username: who.emails.client, password: 'correct horse battery' },
    });
    expect(login.status).not.toBe(200);
    const before = await charges(who);
    await app.features.prepaid.auto.run({ rootId: root.id, campaignId: who.campaign.id });
    app.clock.advance(40 * 86_400_000);
    await stage.work(who);
    await run(who);
    expect(await charges(who)).toBe(before);
    expect((await buy(who, 'agency')).status).not.toBe(200);
    const listed = (await call(who, 'GET', '/offboarding')).body.data;
    expect(listed).toMatchObject([{ id: who.client.id, state: 'done', delete_on: '2027-01-31' }]);
    await ledgerHolds();
  });

  test('an offboarding that is interrupted after any step goes on, refunds once, and two runs at once do it once', async () => {
    const who = await stage.made();
    await buy(who);
    await start(who);
    await call(who, 'POST', at(who, '/exported'));
    // The process ends right after the refund was asked for: its answer is never seen.
    const { gateway } = app.features.payments;
    const refund = gateway.refund.bind(gateway);
    vi.spyOn(gateway, 'refund').mockImplementationOnce(async (request) => {
      await refund(request);
      throw new Error('The process ends here');
    });
    await run(who).catch(() => undefined);
    expect(await isRemoved(who)).toBe(false);
    app.clock.advance(3_600_000);
    const asked = (
      await app.admin.query(
        `select id from refund where company_id = $1 and state in ('intended', 'unknown', 'pending')`,
        [who.client.id],
      )
    ).rows;
    for (const row of asked) await app.features.payments.refunds.ask(root.id, row.id);
    await Promise.all([run(who), run(who)]);
    await run(who);
    expect([await isRemoved(who), await stage.balance(who), await refunded(who)]).toEqual([true, 0n, 1000]);
    const { rows } = await app.admin.query(
      `select count(*)::int as n from user_log where object_id = $1 and action in ('company.remove', 'offboarding.done')`,
      [who.client.id],
    );
    expect(rows[0].n).toBe(2);
    await ledgerHolds();
  });

  test('a charge under way is waited for, and what it brings is refunded', async () => {
    const who = await stage.made();
    stage.loseAnswer();
    expect((await buy(who)).body.result).toBe('unknown');
    await start(who);
    await call(who, 'POST', at(who, '/exported'));
    await run(who);
    expect(await states(who)).toMatchObject({ campaigns: 'done', charges: 'waits', users: 'waits' });
    expect(await isRemoved(who)).toBe(false);
    await stage.send(who);
    expect(await stage.balance(who)).toBe(10n * USD);
    await run(who);
    await run(who);
    expect([await isRemoved(who), await stage.balance(who), await refunded(who)]).toEqual([true, 0n, 1000]);
    await ledgerHolds();
  });

  test('a payment that its cardholder could still confirm is canceled before the end, but not while an invoice is due', async () => {
    const who = await stage.made();
    const dues = duesOf(app, root);
    await dues.card(who.client, 'authenticate');
    const { client_secret } = (await buy(who)).body;
    const owes = (amount: bigint) =>
      stage.run((tx) =>
        app.features.ledger.post(
          tx,
          [
            {
              owner: who.owner,
              kind: 'adjustment',
              referenceId: null,
              memo: 'Work',
              key: `work:${++serial}`,
              entries: [
                { account: { owner: who.owner, kind: 'client_unbilled' }, amount: -amount },
                {
                  account: { owner: { ...who.owner, company_id: who.agency.id }, kind: 'agency_revenue' },
                  amount,
                },
              ],
            },
          ],
          app.clock.now(),
        ),
      );
    await owes(5n * USD);
    await start(who);
    await call(who, 'POST', at(who, '/exported'));
    await run(who);
    const step = async () => (await list(who)).steps.find((one: { step: string }) => one.step === 'charges');
    expect(await step()).toMatchObject({
      state: 'waits',
      words:
        '1 declined payment that the cardholder could still confirm will be canceled once nothing is due.',
    });
    await owes(-5n * USD);
    await run(who);
    expect([(await step()).state, await isRemoved(who)]).toEqual(['done', true]);
    expect((await app.features.payments.sandbox.authenticate(client_secret, true)).status).not.toBe(
      'succeeded',
    );
    await app.features.payments.attendNotices();
    expect([await dues.taken(who.client), await stage.balance(who)]).toEqual([0, 0n]);
  });

  test('what was not paid by card is refunded to none: someone has to decide to keep it as credit', async () => {
    const who = await stage.made();
    await call(who, 'POST', '/leadspeek/client/topup', {
      ...{ leadspeekID: who.campaign.id, amount: '5.00', idempotencyKey: `outside-${++serial}` },
    });
    await start(who);
    await call(who, 'POST', at(who, '/exported'));
    await run(who);
    expect((await states(who)).balance).toBe('you');
    expect(await isRemoved(who)).toBe(false);
    expect((await call(who, 'PUT', at(who), { keep_balance: true, delete_on: '2027-02-01' })).status).toBe(
      200,
    );
    await run(who);
    expect([await isRemoved(who), await stage.balance(who), await refunded(who)]).toEqual([
      true,
      5n * USD,
      0,
    ]);
    const balance = (await list(who)).steps.find((one: { step: string }) => one.step === 'balance');
    expect(balance).toMatchObject({ state: 'done', words: expect.stringContaining('$5.00') });
    await ledgerHolds();
  });

  test('a credit toward the next invoice is not lost: someone has to decide to keep it', async () => {
    const who = await stage.made();
    await stage.terms(who, { term: 'Weekly' });
    const granted = await call(who, 'POST', '/credits', {
      ...{ companyID: who.client.id, leadspeekID: who.campaign.id, amount: '50.00', reason: 'goodwill' },
      ...{ note: '', idempotencyKey: `credit-${++serial}` },
    });
    expect([granted.status, await stage.sum(who.client.id, 'client_unbilled')]).toEqual([200, 50n * USD]);
    await start(who);
    await call(who, 'POST', at(who, '/exported'));
    await run(who);
    const balance = async () =>
      (await list(who)).steps.find((one: { step: string }) => one.step === 'balance');
    expect(await balance()).toMatchObject({ state: 'you', words: expect.stringContaining('$50.00') });
    expect(await isRemoved(who)).toBe(false);
    expect((await call(who, 'PUT', at(who), { keep_balance: true, delete_on: '2027-02-01' })).status).toBe(
      200,
    );
    await run(who);
    expect(await isRemoved(who)).toBe(true);
    expect(await balance()).toMatchObject({ state: 'done', words: expect.stringContaining('$50.00') });
    expect(await stage.sum(who.client.id, 'client_unbilled')).toBe(50n * USD);
  });

  test('it can be canceled, other agencies do not see it, and it stops if whoever started it may not go on', async () => {
    const who = await stage.made();
    const other = await stage.made();
    await start(who);
    expect((await call(other, 'GET', at(who))).status).toBe(404);
    expect((await call(other, 'POST', at(who, '/cancel'))).status).toBe(404);
    await app.admin.query('update user_account set disabled_at = now() where email = $1', [
      who.emails.agency,
    ]);
    await run(who);
    await app.admin.query('update user_account set disabled_at = null where email = $1', [who.emails.agency]);
    expect((await list(who)).problem).toContain('Resume it');
    expect((await states(who)).campaigns).toBe('waits');
    expect((await call(who, 'POST', at(who, '/cancel'))).status).toBe(200);
    await run(who);
    expect((await list(who)).data.state).toBe('canceled');
    expect((await states(who)).campaigns).toBe('waits');
    expect(await isRemoved(who)).toBe(false);
  });

  test('[ROLE-01] a role that allows settings alone does not stop campaigns or refund money by way of an offboarding', async () => {
    const who = await stage.made();
    await buy(who);
    const modules = (allowed: string[]) =>
      ['Campaign', 'LeadsPeek', 'Settings'].map((module_name) => ({
        module_name,
        ...Object.fromEntries(
          ['enable', 'create', 'update', 'delete'].map((action) => [
            `${action}_permission`,
            allowed.includes(module_name) ? 'T' : 'F',
          ]),
        ),
      }));
    const role = await call(who, 'POST', '/configuration/role-module/add', {
      roleName: 'Office',
      roleModule: modules(['Settings']),
    });
    const { roleID } = role.body;
    const { rows } = await app.admin.query(
      'select a.* from company c join company a on a.id = c.agency_id where c.id = $1',
      [who.client.id],
    );
    const admin = await app.make.user(rows[0] as Company, {
      role: 'administrator',
      roleId: roleID,
      password: 'correct horse battery',
    });
    let token = await app.signIn(admin.email, who.host);
    const asked = (path: string, body?: object) =>
      app.call('POST', `/api${path}`, { host: who.host, token, body });
    const refused = await asked(at(who), { keep_balance: false, delete_on: '2027-01-31' });
    expect(refused.status).toBe(403);
    // Nor by going on with what someone else began, nor once the role of whoever began it is narrowed.
    await start(who);
    expect((await asked(at(who, '/resume'))).status).toBe(403);
    expect((await asked(at(who, '/exported'))).status).toBe(403);
    const changed = await app.call('PUT', `/api${at(who)}`, {
      host: who.host,
      token,
      body: { keep_balance: true, delete_on: '2027-01-31' },
    });
    expect(changed.status).toBe(403);
    await app.admin.query('update offboarding set acts_as = $2 where company_id = $1', [
      who.client.id,
      admin.id,
    ]);
    await run(who);
    expect((await list(who)).problem).toContain('Resume it');
    expect([await stage.balance(who), await refunded(who)]).toEqual([10n * USD, 0]);

    const widened = await call(who, 'PUT', '/configuration/role-module/update', {
      roleID,
      roleName: 'Office',
      roleModule: modules(['Campaign', 'LeadsPeek', 'Settings']),
    });
    expect(widened.status).toBe(200);
    token = await app.signIn(admin.email, who.host);
    expect((await asked(at(who, '/resume'))).body.message).toBe('The offboarding goes on.');
    await run(who);
    expect([await stage.balance(who), await refunded(who)]).toEqual([0n, 1000]);
  });
});
