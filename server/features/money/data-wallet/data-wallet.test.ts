import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ownMessages } from '../../../../contract/messages.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { compareMails } from '../../../test/mails.ts';
import { auditLedger } from '../ledger/index.ts';

const USD = 1_000_000n;
const HOUR_MS = 3_600_000;
const area = '/api/configuration/agencies/prepaid';
let app: TestApp;
let root: Company;
let serial = 0;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
});
afterAll(() => app.close());

const run = <T>(work: Parameters<typeof inScope<T>>[2]) =>
  inScope(app.platform.db.app, { rootId: root.id }, work);

interface Made {
  agency: Company;
  host: string;
  userId: string;
  email: string;
  token: string;
}
/** Creates an agency with the trial, the agreement and a card, as requested. */
async function made(
  given: { at?: Company; beta?: boolean; agreed?: boolean; card?: boolean } = {},
): Promise<Made> {
  const host = `wallet${++serial}.test`;
  const agency = await app.make.agency(given.at ?? root, { host });
  const { id: userId, email } = await app.make.user(agency, { password: PASSWORD });
  const owner = { root_id: agency.root_id, agency_id: agency.id, company_id: agency.id };
  await inScope(app.platform.db.app, { rootId: agency.root_id }, async (tx) => {
    const at = app.clock.now();
    if (given.beta ?? true) await app.features.tenants.products.setBetaUser(tx, owner, true, at);
    if (given.agreed ?? true)
      await app.features.agreements.accept(tx, { owner, userId, document: 'data_wallet', at, ip: null });
  });
  if (given.card ?? true) await app.features.billing.accounts.sandboxCard(owner, 'works');
  return { agency, host, userId, email, token: await app.signIn(email, host) };
}
const ask = (who: Made, method: 'GET' | 'POST', path: string, body?: object) =>
  app.call(method, path.startsWith('/') ? path : `${area}/${path}`, { ...who, body });
const about = async (who: Made, date?: string) => {
  const query = date === undefined ? '' : `?date=${date}`;
  // biome-ignore lint/suspicious/noExplicitAny: the answer of a call
  return (await ask(who, 'GET', `direct-payment/${who.agency.id}${query}`)).body as any;
};
const settings = (who: Made, amount: string, more: object = {}) => ({
  company_id: who.agency.id,
  amount,
  custom_amount: 'F',
  stop_continual: 'T',
  ...more,
});
const charge = (who: Made, amount: string, more: object = {}) => {
  app.clock.advance(1000);
  return ask(who, 'POST', 'charge-direct-payment', {
    ...settings(who, amount, more),
    ip_user: '192.0.2.1',
    timezone: 'America/Chicago',
    payment_type: 'credit_card',
    idempotencyKey: `click-${++serial}-${newId(app.clock.now())}`,
    ...more,
  });
};
const debit = (who: Made, micros: bigint) => {
  app.clock.advance(1000);
  return run((tx) =>
    app.features.wallet.debit(
      tx,
      { rootId: root.id, agencyId: who.agency.id, amountMicros: micros, key: newId(app.clock.now()) },
      app.clock.now(),
    ),
  );
};
const tries = async (who: Made) =>
  (
    await app.admin.query(
      'select state, reason from wallet_attempt where company_id = $1 order by created_at, id',
      [who.agency.id],
    )
  ).rows as { state: string; reason: string }[];
const state = async (who: Made) =>
  (await app.admin.query('select * from wallet_setting where company_id = $1', [who.agency.id])).rows[0];
/** Does what the workers do: handles what is due, and sends pending charges. */
const work = async (who: Made) => {
  await app.features.dataWallet.auto.run({ rootId: root.id, agencyId: who.agency.id });
  await send(who);
};
/** Does what the queue does with charges in progress. */
async function send(who: Made): Promise<void> {
  const { rows } = await app.admin.query(
    `select id from charge where company_id = $1 and state in ('intended', 'sent', 'unknown')`,
    [who.agency.id],
  );
  for (const { id } of rows) await app.features.payments.core.ask(who.agency.root_id, id);
}
/** Puts another card on file: one that works, or one on which every charge is declined. */
const card = (who: Made, outcome: 'works' | 'declines') =>
  app.features.billing.accounts.sandboxCard(
    { root_id: who.agency.root_id, agency_id: who.agency.id, company_id: who.agency.id },
    outcome,
  );
/** The next charge goes through, but its response is lost. */
function loseAnswer(): void {
  const { gateway } = app.features.payments;
  const charge = gateway.charge.bind(gateway);
  vi.spyOn(gateway, 'charge').mockImplementationOnce(async (request) => {
    await charge(request);
    return { status: 'unknown', why: 'lost' };
  });
}

describe('[WALL-02] the calls of the Data Wallet', () => {
  test('an empty wallet has every field', async () => {
    const who = await made();
    expect(await about(who)).toEqual({
      custom_amount: 'F',
      amount: '0.00',
      balance_amount: '0.00',
      total_amount: '0.00',
      last_balance_amount: '0.00',
      stop_continual: 'T',
      transaction_history: [],
      history_more: false,
      is_enable_topup_prepaid_direct_payment: 'T',
      missing: null,
      card: 'visa 4242',
      time_zone: 'America/Chicago',
      auto_topup: {
        status: 'idle',
        threshold_amount: '0.00',
        next_try: null,
        reason: '',
        ceiling_day: null,
        ceiling_month: null,
        spent_day: '0.00',
        spent_month: '0.00',
        attempts: [],
      },
      days: expect.any(Array),
    });
  });

  test('a charge tops up, keeps the settings, and is in history, tries and log; a second click charges nothing', async () => {
    const who = await made();
    const key = 'one-click-0001';
    const first = await charge(who, '2500', { custom_amount: 'T', stop_continual: 'F', idempotencyKey: key });
    expect(first.body).toEqual({
      result: 'success',
      message: '$2500 was added to your Data Wallet.',
    });
    expect(
      (await charge(who, '2500', { custom_amount: 'T', stop_continual: 'F', idempotencyKey: key })).body,
    ).toEqual(first.body);
    await debit(who, 30n * USD);
    const wallet = await about(who, '2026-03');
    expect(wallet).toMatchObject({
      custom_amount: 'T',
      amount: '2500.00',
      balance_amount: '2470.00',
      total_amount: '2500.00',
      last_balance_amount: '2500.00',
      stop_continual: 'F',
      auto_topup: {
        status: 'armed',
        threshold_amount: '250.00',
        attempts: [{ amount: '2500.00', automatic: false, status: 'succeeded' }],
      },
    });
    expect(wallet.transaction_history).toMatchObject([
      { title: 'Charge', amount: '-30.00', balance: '2470.00', expired_at: '', transaction_type: 'charge' },
      {
        title: 'Top-up',
        amount: '2500.00',
        balance: '2500.00',
        expired_at: '2027-03-10',
        transaction_type: 'topup',
      },
    ]);
    expect(wallet.days.at(-1)).toEqual({ day: '2026-03-10', balance: '2470.00', topup: '2500.00' });
    const { rows } = await app.admin.query(
      `select action from user_log where company_id = $1 and action like 'wallet%'`,
      [who.agency.id],
    );
    expect(rows).toEqual([{ action: 'wallet.topup' }]);
  });

  test('[WALL-02] the payload of the specification is accepted as it is, and the same request within a minute charges once', async () => {
    const who = await made();
    const ask250 = async (more: object = {}) =>
      (
        await ask(who, 'POST', 'charge-direct-payment', {
          ...settings(who, '250'),
          amount: 250,
          ip_user: '192.0.2.1',
          timezone: 'America/Chicago',
          payment_type: 'credit_card',
          ...more,
        })
      ).body.result;
    // Ten seconds before a clock minute ends.
    app.clock.advance(110_000 - (app.clock.now().getTime() % 60_000));
    expect(await ask250()).toBe('success');
    app.clock.advance(30_000);
    expect(await ask250()).toBe('success');
    expect((await about(who)).balance_amount).toBe('250.00');
    expect(await ask250({ amount: '251' })).toBe('success');
    expect((await about(who)).balance_amount).toBe('501.00');
    app.clock.advance(30_000);
    expect(await ask250()).toBe('success');
    expect((await about(who)).balance_amount).toBe('751.00');
  });

  test('[WALL-03] the server holds to the minimum amounts, and takes whole cents only', async () => {
    const who = await made();
    for (const [amount, custom, words] of [
      ['2499.99', 'T', 'The minimum amount is $2500'],
      ['0', 'T', 'The minimum amount is $2500'],
      ['0.49', 'F', 'The minimum amount is $0.50'],
    ] as const) {
      const saved = await ask(
        who,
        'POST',
        'save-direct-payment',
        settings(who, amount, { custom_amount: custom }),
      );
      expect([saved.status, saved.body.message]).toEqual([422, words]);
      const charged = await charge(who, amount, { custom_amount: custom });
      expect([charged.status, charged.body.message]).toEqual([422, words]);
    }
    expect((await charge(who, '0')).body).toMatchObject({
      result: 'failed',
      message: ownMessages.walletNothing,
    });
    for (const wrong of ['-1', 'NaN', '1e309', '1,000', '0.001', '２５０', '', '1000000'])
      expect((await charge(who, wrong)).status).toBe(422);
    expect((await ask(who, 'POST', 'save-direct-payment', settings(who, '0'))).body).toEqual({
      result: 'success',
      message: ownMessages.walletSaved,
    });
    expect((await about(who)).balance_amount).toBe('0.00');
  });

  test('[WALL-05] a declined card is told, keeps nothing, and stands among the tries; a lost answer is not told as either', async () => {
    const who = await made();
    await card(who, 'declines');
    const declined = await charge(who, '250');
    expect([declined.status, declined.body]).toEqual([
      200,
      { result: 'failed', message: 'Your card was declined.' },
    ]);
    expect(await about(who)).toMatchObject({
      amount: '0.00',
      balance_amount: '0.00',
      auto_topup: { attempts: [{ status: 'declined', reason: 'Your card was declined.' }] },
    });
    await card(who, 'works');
    loseAnswer();
    const lost = await charge(who, '250', { stop_continual: 'F' });
    expect(lost.body).toEqual({ result: 'error', message: ownMessages.walletUnknown });
    expect((await about(who)).balance_amount).toBe('0.00');
    // The provider did receive it after all; now it counts.
    await send(who);
    expect(await about(who)).toMatchObject({
      balance_amount: '250.00',
      amount: '250.00',
      stop_continual: 'F',
    });
  });

  test('[WALL-05] a card whose bank asks its holder tops up once they have confirmed', async () => {
    const who = await made({ card: false });
    const start = (await ask(who, 'POST', '/api/payment/card/start')).body as Record<string, string>;
    const card = { number: '4000002760003184', exp_month: 12, exp_year: 2040, cvc: '123' };
    const secret = { client_secret: start.client_secret };
    await ask(who, 'POST', '/api/payment/sandbox/card', { ...secret, ...card });
    await ask(who, 'POST', '/api/payment/sandbox/authentication', { ...secret, passed: 'T' });
    expect((await ask(who, 'POST', '/api/payment/customer', { setup: start.setup })).status).toBe(200);
    const answer = (await charge(who, '250')).body as Record<string, string>;
    expect(answer).toMatchObject({ result: 'authenticate', charge_id: expect.any(String) });
    expect((await about(who)).balance_amount).toBe('0.00');
    const of = `/api/payment/charge/${answer.charge_id}`;
    const needed = (await ask(who, 'POST', `${of}/authentication`)).body as Record<string, string>;
    expect(needed.paymentgateway).toBe('sandbox');
    const { client_secret } = needed;
    await ask(who, 'POST', '/api/payment/sandbox/authentication', { client_secret, passed: 'T' });
    expect((await ask(who, 'POST', `${of}/check`)).body).toMatchObject({ status: 'succeeded' });
    expect((await about(who)).balance_amount).toBe('250.00');
  });

  test('[WALL-04] the toggle answers how it stands, and begins nothing without an amount', async () => {
    const who = await made();
    const toggle = async (stop: string) =>
      (
        await ask(who, 'POST', 'stop-continual-topup-direct-payment', {
          company_id: who.agency.id,
          stop_continual: stop,
        })
      ).body;
    const nothing = { errors: { stop_continual: [ownMessages.walletContinualNothing] } };
    expect(await toggle('F')).toMatchObject(nothing);
    await ask(who, 'POST', 'save-direct-payment', settings(who, '0', { stop_continual: 'F' }));
    expect((await about(who)).stop_continual).toBe('T');
    expect(await toggle('F')).toMatchObject(nothing);
    await ask(who, 'POST', 'save-direct-payment', settings(who, '250'));
    expect(await toggle('F')).toMatchObject({ result: 'success', stop_continual: 'F' });
    expect((await about(who)).stop_continual).toBe('F');
    expect(await toggle('T')).toMatchObject({ message: ownMessages.walletNotContinual, stop_continual: 'T' });
  });

  test('[WALL-08] another month, no month, and the download, safe from formulas', async () => {
    const who = await made();
    await charge(who, '250');
    const history = async (date: string) =>
      (await ask(who, 'GET', `transaction-history-direct-payment/${who.agency.id}?date=${date}`)).body
        .transaction_history as object[];
    expect(await history('2026-02')).toEqual([]);
    expect(await history('')).toHaveLength(1);
    expect(await history('all')).toHaveLength(1);
    for (const wrong of ['2026-13', '2026-3', '0000-01', 'x'])
      expect((await ask(who, 'GET', `direct-payment/${who.agency.id}?date=${wrong}`)).status).toBe(422);
    const path = (date: string) =>
      `${area}/download-transaction-history-direct-payment/${who.agency.id}/${date}`;
    const fetched = async (date: string) => {
      const { body } = await ask(who, 'POST', '/api/general/download-token', { path: path(date) });
      return app.call('GET', String(body.url), { host: who.host });
    };
    const file = await fetched('2026-03');
    expect(file.headers['content-disposition']).toBe('attachment; filename="data-wallet-2026-03.csv"');
    expect(file.text.split('\r\n').slice(0, 2)).toEqual([
      '\ufeffDate,Title,Type,Amount,Balance,Expires',
      expect.stringMatching(/^2026-03-10T15:\d\d:\d\d\.000Z,Top-up,topup,250\.00,250\.00,2027-03-10$/),
    ]);
    expect((await fetched('all')).text.split('\r\n')).toHaveLength(3);
    expect((await fetched('2026-99')).status).toBe(404);
    expect((await app.call('GET', path('all'), { host: who.host })).status).toBe(401);
  });
});

describe('[WALL-09] who may top up', () => {
  test('each thing that is missing is named, and stops saving, charging and turning it on', async () => {
    const other = await app.make.root({ host: 'other.test' });
    for (const [need, given, words] of [
      ['system', { at: other }, ownMessages.walletNotHere],
      ['beta', { beta: false }, ownMessages.walletNotOffered],
      ['agreement', { agreed: false }, ownMessages.walletNotAgreed],
      ['card', { card: false }, ownMessages.walletNoCard],
    ] as const) {
      const who = await made(given);
      expect(await about(who)).toMatchObject({ missing: need, is_enable_topup_prepaid_direct_payment: 'F' });
      const refused = {
        status: 409,
        body: { result: 'failed', message: words, errors: { [need]: [words] } },
      };
      expect(await charge(who, '250')).toMatchObject(refused);
      expect(await ask(who, 'POST', 'save-direct-payment', settings(who, '0'))).toMatchObject(refused);
      const toggle = (stop_continual: string) =>
        ask(who, 'POST', 'stop-continual-topup-direct-payment', {
          company_id: who.agency.id,
          stop_continual,
        });
      expect(await toggle('F')).toMatchObject(refused);
      // Stopping is always possible.
      expect((await toggle('T')).status).toBe(200);
    }
  });

  test('[BETA-01] for all agencies it needs no beta user; the trial of b2b hides it from who does not qualify', async () => {
    const set = (feature: 1 | 2, isBeta: boolean, forAll: boolean) =>
      inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
        app.features.tenants.products.setBetaFeature(tx, {
          rootId: root.id,
          feature,
          isBeta,
          forAll,
          at: app.clock.now(),
        }),
      );
    const who = await made({ beta: false });
    await set(1, true, true);
    expect(await about(who)).toMatchObject({ missing: 'beta' });
    await set(2, true, true);
    expect(await about(who)).toMatchObject({ missing: null });
    await set(2, false, false);
    expect(await about(who)).toMatchObject({ missing: null });
    await set(1, false, true);
    expect(await about(who)).toMatchObject({ missing: 'beta' });
    await set(1, true, false);
    await set(2, true, false);
  });

  test('only the agency itself: its administrators are refused, another agency’s wallet is not there', async () => {
    const who = await made();
    const stranger = await made();
    const { email } = await app.make.user(who.agency, { role: 'administrator', password: PASSWORD });
    const token = await app.signIn(email, who.host);
    expect((await ask({ ...who, token }, 'GET', `direct-payment/${who.agency.id}`)).status).toBe(403);
    expect((await ask(stranger, 'GET', `direct-payment/${who.agency.id}`)).status).toBe(404);
    expect(
      (
        await ask(stranger, 'POST', 'charge-direct-payment', {
          ...settings(who, '250'),
          idempotencyKey: 'stranger-1',
        })
      ).status,
    ).toBe(404);
  });
});

describe('[WALL-06] [BEY-03] the automatic top-up', () => {
  /** Creates a wallet of 250 dollars with the automatic top-up on. */
  async function continual(more: object = {}): Promise<Made> {
    const who = await made();
    await charge(who, '250', { stop_continual: 'F' });
    if (Object.keys(more).length > 0)
      await ask(who, 'POST', 'save-direct-payment', settings(who, '250', { stop_continual: 'F', ...more }));
    return who;
  }

  test.each(['refunded', 'disputed'] as const)(
    'a top-up that was %s is not charged again by itself; it goes on once the agency has topped up again',
    async (how) => {
      const who = await continual();
      const { rows } = await app.admin.query('select id from charge where company_id = $1', [who.agency.id]);
      app.clock.advance(1000);
      if (how === 'refunded')
        await app.features.payments.charges.refund({
          rootId: root.id,
          chargeId: rows[0].id,
          amountMicros: 100n * USD,
          key: 'some',
          reason: 'test',
        });
      else
        await app.features.payments.core.dispute(root.id, rows[0].id, {
          id: `dp_${rows[0].id}`,
          status: 'needs_response',
          reason: 'fraudulent',
          amountCents: 10_000,
        });
      await debit(who, 145n * USD);
      const stopped = { status: 'stopped', reason: ownMessages.walletGaveBack };
      expect((await about(who)).auto_topup).toMatchObject(stopped);
      await app.features.dataWallet.auto.sweep(root.id);
      await work(who);
      // Credit, and settings that leave it on, do not start it again.
      await run((tx) =>
        app.features.dataWallet.auto.grant(
          tx,
          { rootId: root.id, agencyId: who.agency.id, amountMicros: 300n * USD, memo: 'Gift', key: 'gift' },
          app.clock.now(),
        ),
      );
      await debit(who, 300n * USD);
      await app.features.dataWallet.auto.sweep(root.id);
      await work(who);
      expect(await tries(who)).toEqual([]);
      expect((await about(who)).auto_topup).toMatchObject(stopped);
      await app.features.dataWallet.auto.tellStopped({ rootId: root.id, agencyId: who.agency.id });
      const mails = (await app.features.mail.outbox({ rootId: root.id })).filter(
        (mail) => mail.kind === 'wallet.auto_topup_stopped' && mail.to_address === who.email,
      );
      expect(mails.map((mail) => mail.body?.text)).toEqual([
        expect.stringContaining(ownMessages.walletGaveBack),
      ]);
      await charge(who, '250', { stop_continual: 'F' });
      expect((await about(who)).auto_topup).toMatchObject({ status: 'armed', reason: '' });
    },
  );

  test('charges no card of an agency that was removed', async () => {
    const who = await continual();
    await debit(who, 240n * USD);
    expect((await state(who)).state).toBe('due');
    await app.admin.query('update company set removed_at = now() where id = $1', [who.agency.id]);
    await app.features.dataWallet.auto.run({ rootId: root.id, agencyId: who.agency.id });
    expect([await tries(who), (await state(who)).state]).toEqual([[], 'idle']);
  });

  test('parallel draws over the threshold: one job, one charge; the balance is closed at once', async () => {
    const who = await continual();
    const spender = async () => {
      for (let n = 0; n < 3; n++) await debit(who, 10n * USD);
    };
    await Promise.all(Array.from({ length: 8 }, spender)); // 240 of 250
    expect((await state(who)).state).toBe('due');
    const { rows } = await app.admin.query(
      `select count(*)::int as n from pgboss.job where name = 'datawallet.topup' and data->>'agencyId' = $1`,
      [who.agency.id],
    );
    expect(rows[0].n).toBe(1);
    const run = () => app.features.dataWallet.auto.run({ rootId: root.id, agencyId: who.agency.id });
    await Promise.all([run(), run(), run(), app.features.dataWallet.auto.sweep(root.id)]);
    expect(await tries(who)).toEqual([{ state: 'charging', reason: '' }]);
    await send(who);
    expect(await tries(who)).toEqual([{ state: 'succeeded', reason: '' }]);
    const { rows: told } = await app.admin.query(
      `select data from pgboss.job where name = 'datawallet.tell' and data->>'agencyId' = $1`,
      [who.agency.id],
    );
    expect(told).toHaveLength(1);
    await app.features.dataWallet.auto.tell(told[0].data);
    const mails = (await app.features.mail.outbox({ rootId: root.id })).filter(
      (mail) => mail.kind === 'wallet.auto_topup' && mail.to_address === who.email,
    );
    expect(mails.map((mail) => mail.body?.text)).toEqual([
      expect.stringContaining('We charged $250.00 to your card for your automatic top-up.'),
    ]);
    expect(await about(who)).toMatchObject({
      balance_amount: '260.00',
      auto_topup: {
        status: 'armed',
        spent_day: '250.00',
        attempts: [{ automatic: true }, { automatic: false }],
      },
    });
    await work(who);
    expect(await tries(who)).toHaveLength(1);
    const { checks } = await auditLedger(app.admin);
    expect(checks.filter((c) => c.violations > 0).map((c) => c.examples)).toEqual([]);
  });

  test('without it, a low and an almost empty balance are mailed, each once until the next top-up', async () => {
    const who = await made();
    await charge(who, '250');
    const told = async (): Promise<string[]> => {
      const { rows } = await app.admin.query(
        `select data from pgboss.job where name = 'datawallet.low' and data->>'agencyId' = $1 order by created_on`,
        [who.agency.id],
      );
      return rows.map((row) => row.data.told);
    };
    await debit(who, 200n * USD);
    expect(await told()).toEqual([]);
    await debit(who, 30n * USD);
    await debit(who, 5n * USD);
    expect(await told()).toEqual(['low']);
    await debit(who, 15n * USD);
    expect(await told()).toEqual(['low', 'empty']);
    await charge(who, '250');
    await debit(who, 230n * USD);
    expect(await told()).toEqual(['low', 'empty', 'low']);
    await app.features.dataWallet.auto.tellLow({
      rootId: root.id,
      agencyId: who.agency.id,
      told: 'low',
      left: '20000000',
    });
    const { rows } = await app.admin.query(
      "select subject from mail where kind = 'wallet.low' and to_address = $1",
      [who.email],
    );
    expect(rows).toEqual([{ subject: 'Your Data Wallet is running low' }]);
  });

  test('leads that are paid from the wallet make it due as well, in their own transaction', async () => {
    const who = await continual();
    const client = await app.make.client(who.agency);
    const campaign = await app.make.campaign(client, { price: 300n * USD, balance: 1000n * USD });
    const sale = {
      id: newId(app.clock.now()),
      rootId: root.id,
      agencyId: who.agency.id,
      clientId: client.id,
      campaignId: campaign.id,
      priceMicros: 300n * USD,
      costMicros: 230n * USD,
      supplierMicros: 0n,
    };
    await expect(
      run(async (tx) => {
        await app.features.billing.sellLeads(tx, [sale], app.clock.now());
        throw new Error('and then it fails');
      }),
    ).rejects.toThrow('and then it fails');
    expect((await state(who)).state).toBe('armed');
    await run((tx) => app.features.billing.sellLeads(tx, [sale], app.clock.now()));
    expect((await state(who)).state).toBe('due');
  });

  test('declines: tried again after 1, 6 and 24 hours, then stopped with a mail; a top-up by hand begins again', async () => {
    const who = await continual();
    await debit(who, 230n * USD);
    await card(who, 'declines');
    await work(who);
    expect(await state(who)).toMatchObject({
      state: 'waiting',
      declines: 1,
      reason: 'Your card was declined.',
    });
    for (const hours of [1, 6, 24]) {
      app.clock.advance(hours * HOUR_MS - 60_000);
      await work(who);
      app.clock.advance(60_000);
      const before = (await tries(who)).length;
      await work(who);
      expect((await tries(who)).length).toBe(before + 1);
    }
    expect(await state(who)).toMatchObject({ state: 'stopped', declines: 4, retry_at: null });
    app.clock.advance(400 * HOUR_MS);
    await work(who);
    expect(await tries(who)).toHaveLength(4);
    const { rows } = await app.admin.query(
      `select data->>'attemptId' as id from pgboss.job where name = 'datawallet.tell' and data->>'agencyId' = $1 order by created_on`,
      [who.agency.id],
    );
    expect(rows).toHaveLength(4);
    await app.features.dataWallet.auto.tell({
      rootId: root.id,
      agencyId: who.agency.id,
      attemptId: rows.at(-1).id,
    });
    const mails = (await app.features.mail.outbox({ rootId: root.id })).filter(
      (mail) => mail.kind === 'wallet.auto_topup' && mail.to_address === who.email,
    );
    expect(mails.map((mail) => mail.body?.text ?? (mail as { text?: string }).text)).toEqual([
      expect.stringContaining('We will not try again automatically.'),
    ]);
    await card(who, 'works');
    who.token = await app.signIn(who.email, who.host);
    expect((await charge(who, '250', { stop_continual: 'F' })).body.result).toBe('success');
    expect(await state(who)).toMatchObject({ state: 'armed', declines: 0 });
  });

  test('ceilings are obeyed and shown, and it goes on when the day is over', async () => {
    const who = await continual({ ceiling_day: '400', ceiling_month: '500' });
    const low = await ask(
      who,
      'POST',
      'save-direct-payment',
      settings(who, '250', { ceiling_day: '249.99' }),
    );
    expect(low.body.errors).toEqual({ ceiling_day: [ownMessages.walletCeilingLow] });
    await debit(who, 230n * USD);
    await work(who);
    await debit(who, 250n * USD);
    await work(who);
    expect((await tries(who)).map((one) => one.state)).toEqual(['succeeded', 'refused']);
    const { auto_topup } = await about(who);
    expect(auto_topup).toMatchObject({ status: 'waiting', spent_day: '250.00', ceiling_day: '400.00' });
    expect(auto_topup.reason).toContain('automatic top-up limit for the day');
    app.clock.advance(24 * HOUR_MS);
    await app.features.dataWallet.auto.sweep(root.id);
    await send(who);
    expect((await tries(who)).map((one) => one.state)).toEqual(['succeeded', 'refused', 'succeeded']);
    // The month's ceiling is reached, but it does not block manual top-ups.
    await debit(who, 250n * USD);
    await work(who);
    expect((await tries(who)).at(-1)).toMatchObject({ state: 'refused' });
    expect((await state(who)).reason).toContain('month');
    who.token = await app.signIn(who.email, who.host);
    expect((await charge(who, '250', { stop_continual: 'F' })).body.result).toBe('success');
  });

  test('stopped, it does nothing; turned on with a low balance it waits for a top-up by hand', async () => {
    const who = await continual();
    const toggle = (stop_continual: string) =>
      ask(who, 'POST', 'stop-continual-topup-direct-payment', { company_id: who.agency.id, stop_continual });
    await toggle('T');
    await debit(who, 230n * USD);
    await work(who);
    await toggle('F');
    await work(who);
    await debit(who, 10n * USD);
    await work(who);
    expect(await tries(who)).toEqual([]);
    expect(await state(who)).toMatchObject({ state: 'idle', continual: true });
  });

  test('balance that expires makes it due, too, and without a card it stops and says so', async () => {
    const who = await continual();
    app.clock.advance(400 * 24 * HOUR_MS);
    await app.admin.query('update payment_card set removed_at = now() where company_id = $1', [
      who.agency.id,
    ]);
    expect(await app.features.dataWallet.auto.sweep(root.id)).toBeGreaterThan(0);
    expect(await tries(who)).toEqual([{ state: 'refused', reason: ownMessages.walletNoCard }]);
    expect(await state(who)).toMatchObject({ state: 'stopped', reason: ownMessages.walletNoCard });
  });
});

describe('[WALL-07] what becomes of a top-up at the card', () => {
  const chargeOf = async (who: Made): Promise<string> =>
    (await app.admin.query('select id from charge where company_id = $1', [who.agency.id])).rows[0].id;
  const booksAreRight = async () => {
    const { checks } = await auditLedger(app.admin);
    expect(checks.filter((c) => c.violations > 0 && !c.name.startsWith('every lead with'))).toEqual([]);
  };

  test('a refund takes what is left of its own lot; what is spent cannot be given back', async () => {
    const who = await made();
    await charge(who, '250');
    await debit(who, 100n * USD);
    const refund = async (dollars: bigint, key: string) =>
      app.features.payments.charges.refund({
        rootId: root.id,
        chargeId: await chargeOf(who),
        amountMicros: dollars * USD,
        key,
        reason: 'test',
      });
    app.clock.advance(1000);
    await expect(refund(151n, 'refund-too-much')).rejects.toThrow(/remaining amount of the lot/);
    expect((await refund(50n, 'refund-1')).status).toBe('succeeded');
    expect(await about(who)).toMatchObject({
      balance_amount: '100.00',
      transaction_history: [{ title: 'Refund to card', amount: '-50.00' }, {}, {}],
    });
    await booksAreRight();
  });

  test('a refund made at the provider takes what is left, and what was spent is owed', async () => {
    const who = await made();
    await charge(who, '250');
    await debit(who, 100n * USD);
    const { rows: charged } = await app.admin.query(
      'select provider_reference from charge where company_id = $1',
      [who.agency.id],
    );
    await app.features.payments.gateway.refund({
      charge: charged[0].provider_reference,
      amountCents: 20_000,
      idempotencyKey: `there-${who.agency.id}`,
    });
    await app.features.payments.attendNotices();
    expect((await about(who)).balance_amount).toBe('0.00');
    const { rows } = await app.admin.query(
      `select sum(e.amount)::bigint as owed from entry e join account a on a.id = e.account_id
       where a.company_id = $1 and a.kind = 'agency_payable'`,
      [who.agency.id],
    );
    expect(rows[0].owed).toBe(-50n * USD);
    await booksAreRight();
  });

  test('a disputed top-up takes what is left, and what was spent is owed', async () => {
    const who = await made({ card: false });
    const { cards, sandbox } = app.features.payments;
    const owner = { root_id: root.id, agency_id: who.agency.id, company_id: who.agency.id };
    const form = await cards.start(owner);
    await sandbox.enter({
      clientSecret: form.clientSecret,
      number: '4000000000000259',
      expMonth: 12,
      expYear: 2030,
      cvc: '123',
    });
    await cards.finish(owner, form.setup);
    expect((await charge(who, '250')).body).toMatchObject({ result: 'success' });
    await debit(who, 100n * USD);
    app.clock.advance(11 * 60_000);
    await app.features.payments.attendNotices();
    expect((await about(who)).balance_amount).toBe('0.00');
    const { rows } = await app.admin.query(
      `select sum(e.amount)::bigint as owed from entry e join account a on a.id = e.account_id
       where a.company_id = $1 and a.kind = 'agency_payable'`,
      [who.agency.id],
    );
    expect(rows[0].owed).toBe(-100n * USD);
    await booksAreRight();
  });
});

test('[PAY-03] each mail of all that says the amounts of the ledger', async () => {
  const { compared, differing } = await compareMails(app);
  expect(differing).toEqual([]);
  expect(compared).toBeGreaterThan(4);
});
