import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ownMessages } from '../../../../contract/messages.ts';
import { prepaidMessages } from '../../../../contract/money/prepaid-messages.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { compareMails } from '../../../test/mails.ts';
import { type PrepaidMade, prepaidStage } from '../../../test/prepaid.ts';
import { auditLedger } from '../ledger/index.ts';

const USD = 1_000_000n;
const HOUR_MS = 3_600_000;
const area = '/api/leadspeek/client';
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
afterAll(() => app.close());

type As = 'client' | 'agency';
// biome-ignore lint/suspicious/noExplicitAny: the answers of calls
type Answer = { status: number; body: any };
const ask = async (
  who: PrepaidMade,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  as: As = 'client',
): Promise<Answer> => {
  app.clock.advance(1000);
  const token = await stage.token(who, as);
  return app.call(method, `${area}/${path}`, { host: who.host, token, body });
};
const keyOf = () => `click-key-${++serial}`;
const buy = (
  who: PrepaidMade,
  leadsbuy: number | undefined,
  amount: string,
  as: As = 'client',
  key = keyOf(),
) =>
  ask(who, 'POST', 'topup-card', { leadspeekID: who.campaign.id, leadsbuy, amount, idempotencyKey: key }, as);
const estimate = (who: PrepaidMade, body: object = {}, as: As = 'client') =>
  ask(who, 'POST', 'topup-estimate', { leadspeekID: who.campaign.id, ...body }, as);
const refund = (who: PrepaidMade, amount?: string, key = keyOf(), as: As = 'agency') =>
  ask(who, 'POST', 'refund', { leadspeekID: who.campaign.id, amount, idempotencyKey: key }, as);
const current = async (who: PrepaidMade) => (await ask(who, 'GET', `current-topup/${who.campaign.id}`)).body;
const remaining = async (who: PrepaidMade) =>
  (await ask(who, 'GET', `remaining-balance/${who.campaign.id}`)).body;
const audits = async (who: PrepaidMade, action: string): Promise<number> => {
  const { rows } = await app.admin.query(
    'select count(*)::int as n from user_log where object_id = $1 and action = $2',
    [who.campaign.id, action],
  );
  return rows[0].n;
};
/** Puts money into a campaign without charging anyone, as recorded by the agency. */
const outside = (who: PrepaidMade, amount: string) =>
  ask(who, 'POST', 'topup', { leadspeekID: who.campaign.id, amount, idempotencyKey: keyOf() }, 'agency');

describe('[PAY-09] the estimate', () => {
  test('says amount, fees, balance after and stores nothing', async () => {
    const who = await stage.made({ price: 333_333n });
    await stage.terms(who, { leads_buy: 10, platform_fee: '49.00', monthly_fee: '5' });
    expect((await estimate(who)).body).toEqual({
      leadsbuy: 10,
      price_micros: 333_333,
      amount_micros: 3_340_000,
      fees: [
        { kind: 'platform_fee', amount_micros: 49_000_000 },
        { kind: 'monthly_fee', amount_micros: 5_000_000 },
      ],
      fees_micros: 54_000_000,
      balance_micros: 0,
      balance_after_micros: 3_340_000,
      leads_after: 10,
      minimum_micros: 500_000,
      PaymentTerm: 'Prepaid',
      card: 'visa 4242',
      blocked: '',
    });
    expect(await stage.charges(who)).toEqual([]);
    expect(await stage.balance(who)).toBe(0n);
  });

  test('names the field of each wrong number of leads and amount', async () => {
    const who = await stage.made();
    for (const leadsbuy of [0, -1, 1.5, '1,000', '１２', 'NaN', '1e3', '0x10', true, 1_000_001, null]) {
      const { status, body } = await estimate(who, { leadsbuy });
      expect([leadsbuy, status, Object.keys(body.errors ?? {})]).toEqual([leadsbuy, 422, ['leadsbuy']]);
    }
    const { status, body } = await estimate(who);
    expect([status, Object.keys(body.errors)]).toEqual([422, ['leadsbuy']]);
    for (const amount of [
      '-1',
      '-0.01',
      'NaN',
      'Infinity',
      '1e309',
      '1,000',
      '0.001',
      '１０',
      '0',
      '0.00',
      '',
      ' 1',
      '1000000',
      true,
      1e308,
      null,
    ]) {
      const bought = await ask(who, 'POST', 'topup-card', {
        leadspeekID: who.campaign.id,
        leadsbuy: 10,
        amount,
        idempotencyKey: keyOf(),
      });
      expect([amount, bought.status, Object.keys(bought.body.errors ?? {})]).toEqual([
        amount,
        422,
        ['amount'],
      ]);
    }
    for (const amount of ['-1', 'NaN', '1e309', '1,000', '0.001', '１０', '0']) {
      const given = await refund(who, amount);
      expect([amount, given.status, Object.keys(given.body.errors ?? {})]).toEqual([amount, 422, ['amount']]);
    }
    // Too little for a card, and too much for one charge.
    await stage.terms(who, { lead_price: '0.10' });
    expect((await estimate(who, { leadsbuy: 4 })).body.errors.leadsbuy[0]).toContain('at least 5');
    await stage.terms(who, { lead_price: '2' });
    expect((await estimate(who, { leadsbuy: 1_000_000 })).status).toBe(422);
    // A number too large to represent.
    const raw = await app.server.inject({
      method: 'POST',
      url: `${area}/topup-estimate`,
      headers: {
        host: who.host,
        authorization: `Bearer ${await stage.token(who, 'client')}`,
        'content-type': 'application/json',
      },
      payload: `{"leadspeekID":"${who.campaign.id}","leadsbuy":1e309}`,
    });
    expect([raw.statusCode, Object.keys(raw.json().errors)]).toEqual([422, ['leadsbuy']]);
    expect(await stage.charges(who)).toEqual([]);
  });
});

describe('[PAY-09] [PAY-04] buying by card', () => {
  test('charges the card on the agency account, raises the balance and sets the campaign going', async () => {
    const who = await stage.made();
    expect(await stage.sell(who)).toBe(false);
    expect(await stage.campaignState(who)).toBe('paused balance_empty');
    const told: unknown[] = [];
    app.platform.events.on('prepaid.topped_up', async (_tx, event) => {
      told.push(event);
    });
    const started: string[] = [];
    app.platform.events.on('campaign.started', async (_tx, { campaignId }) => {
      started.push(campaignId);
    });
    const { body } = await buy(who, 25, '25.00');
    expect(body).toMatchObject({ result: 'success', balance_micros: 25_000_000 });
    expect(body.message).toContain('$25.00');
    expect(await stage.campaignState(who)).toBe('active');
    // Same as when a user activates it: everything that depends on it (fees, the people of a Search ID campaign) is
    // notified.
    expect(started).toEqual([who.campaign.id]);
    expect(await stage.sell(who)).toBe(true);
    expect(await stage.balance(who)).toBe(24n * USD);
    expect(await stage.sum(who.agency.id, 'card_clearing')).toBe(-25n * USD);
    const { rows } = await app.admin.query('select * from charge where company_id = $1', [who.client.id]);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      purpose: 'prepaid_top_up',
      reference_id: who.campaign.id,
      fee_cents: 0,
      state: 'succeeded',
    });
    expect(rows[0].account).not.toBe('');
    expect(told).toEqual([
      {
        owner: who.owner,
        campaignId: who.campaign.id,
        term: 'Prepaid',
        amountMicros: 25n * USD,
        transferId: expect.any(String),
        leads: 25,
        priceMicros: USD,
        chargeId: rows[0].id,
      },
    ]);
    expect(await audits(who, 'campaign.buy')).toBe(1);
    expect(await audits(who, 'campaign.resumed')).toBe(1);
  });

  test('the agency buys for its client; another agency and an administrator of the client cannot', async () => {
    const who = await stage.made();
    expect((await buy(who, 10, '10.00', 'agency')).body.result).toBe('success');
    const other = await stage.made();
    const foreign = await ask(
      other,
      'POST',
      'topup-card',
      { leadspeekID: who.campaign.id, leadsbuy: 10, amount: '10.00', idempotencyKey: keyOf() },
      'agency',
    );
    expect(foreign.status).toBe(404);
    const { email } = await app.make.user(who.client, { role: 'administrator', password: PASSWORD });
    const administrator = await app.call('POST', `${area}/topup-card`, {
      host: who.host,
      token: await app.signIn(email, who.host),
      body: { leadspeekID: who.campaign.id, leadsbuy: 10, amount: '10.00', idempotencyKey: keyOf() },
    });
    expect(administrator.status).toBe(403);
    expect((await refund(who, '1.00', keyOf(), 'client')).status).toBe(403);
    expect(await stage.balance(who)).toBe(10n * USD);
  });

  test('what the price has become in the meantime is said, and nothing is charged', async () => {
    const who = await stage.made();
    await stage.terms(who, { lead_price: '2' });
    const { status, body } = await buy(who, 10, '10.00');
    expect([status, Object.keys(body.errors)]).toEqual([409, ['amount']]);
    expect(body.message).toContain('$20.00');
    expect(await stage.charges(who)).toEqual([]);
  });

  test('50 parallel clicks of one key charge once and are one row of the log; another amount is refused', async () => {
    const who = await stage.made();
    const key = keyOf();
    const all = await Promise.all(Array.from({ length: 50 }, () => buy(who, 10, '10.00', 'client', key)));
    expect(all.every(({ status }) => status === 200)).toBe(true);
    expect(all.every(({ body }) => ['success', 'unknown'].includes(body.result))).toBe(true);
    expect((await stage.charges(who)).map(({ state }) => state)).toEqual(['succeeded']);
    expect(await stage.balance(who)).toBe(10n * USD);
    expect(await audits(who, 'campaign.buy')).toBe(1);
    const other = await buy(who, 20, '20.00', 'client', key);
    expect([other.status, Object.keys(other.body.errors)]).toEqual([409, ['idempotencyKey']]);
    // The same click gets the same result after the price has changed.
    await stage.terms(who, { lead_price: '3' });
    expect((await buy(who, 10, '10.00', 'client', key)).body.result).toBe('success');
    expect(await stage.charges(who)).toHaveLength(1);
  });

  test('parallel clicks of different keys never charge at the same time', async () => {
    const who = await stage.made();
    const all = await Promise.all(Array.from({ length: 8 }, () => buy(who, 10, '10.00')));
    const done = all.filter(({ body }) => body.result === 'success').length;
    expect(all.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(await stage.balance(who)).toBe(BigInt(done) * 10n * USD);
    expect(done).toBeGreaterThan(0);
  });

  test('a declined card charges nothing; a bank that asks is told of; a lost answer is found out', async () => {
    const who = await stage.made();
    await stage.card(who, 'declines');
    const declined = await buy(who, 10, '10.00');
    expect(declined.body).toMatchObject({ result: 'failed', balance_micros: 0 });
    expect(await stage.failed(who)).toBe(false);
    await stage.card(who, 'works');
    const key = keyOf();
    stage.loseAnswer();
    expect((await buy(who, 10, '10.00', 'client', key)).body).toMatchObject({
      result: 'unknown',
      balance_micros: 0,
    });
    expect((await buy(who, 10, '10.00')).status).toBe(409);
    expect((await current(who)).data[0]).toMatchObject({ status: 'charging', leads: 10 });
    await stage.send(who);
    expect((await buy(who, 10, '10.00', 'client', key)).body).toMatchObject({
      result: 'success',
      balance_micros: 10_000_000,
    });
    const { gateway } = app.features.payments;
    vi.spyOn(gateway, 'charge').mockImplementationOnce(async () => ({
      status: 'declined',
      charge: 'pi_open',
      code: 'authentication_required',
      message: 'Your bank asks.',
      needsAuthentication: true,
    }));
    vi.spyOn(gateway, 'findCharge').mockImplementation(async () => ({
      status: 'declined',
      charge: 'pi_open',
      code: 'authentication_required',
      message: 'Your bank asks.',
      needsAuthentication: true,
      clientSecret: 'secret_1',
    }));
    const asked = keyOf();
    const bank = await buy(who, 10, '10.00', 'client', asked);
    expect(bank.body).toMatchObject({ result: 'authenticate', client_secret: 'secret_1' });
    expect(bank.body.stripe_account).not.toBe('');
    // The agency can't confirm it.
    expect((await buy(who, 10, '10.00', 'agency', asked)).body).toMatchObject({
      result: 'failed',
      client_secret: '',
      message: prepaidMessages.authenticateClient,
    });
  });

  test('manual billing, free leads, other terms, an archived campaign and no card each say so', async () => {
    const who = await stage.made();
    const refused = async (text: string) => {
      const { status, body } = await buy(who, 10, '10.00');
      expect([status, body.message]).toEqual([409, text]);
      expect((await estimate(who, { leadsbuy: 10 })).body.blocked).toBe(text);
    };
    const { accounts } = app.features.billing;
    const manual = (on: boolean) =>
      stage.run((tx) =>
        accounts.setTerms(
          tx,
          { ...who.owner, company_id: who.agency.id },
          { manual_bill: on, updated_at: app.clock.now() },
        ),
      );
    await manual(true);
    await refused(prepaidMessages.manual);
    await manual(false);
    await stage.terms(who, { term: 'Weekly' });
    await refused(prepaidMessages.term);
    await stage.terms(who, { term: 'Prepaid', lead_price: '0' });
    await refused(prepaidMessages.free);
    await stage.terms(who, { lead_price: '1' });
    await app.admin.query('update payment_card set removed_at = now() where company_id = $1', [
      who.client.id,
    ]);
    await refused(ownMessages.noCard);
    await app.admin.query("update campaign set state = 'archived' where id = $1", [who.campaign.id]);
    await refused(prepaidMessages.archived);
    expect(await stage.charges(who)).toEqual([]);
  });

  test('[PAY-04] One Time is bought once, by whoever is first, and again only when it has failed', async () => {
    const who = await stage.made();
    await stage.terms(who, { term: 'One Time', leads_buy: 20 });
    await stage.card(who, 'declines');
    expect((await buy(who, undefined, '20.00')).body.result).toBe('failed');
    await stage.card(who, 'works');
    const all = await Promise.all(Array.from({ length: 6 }, () => buy(who, undefined, '20.00')));
    expect(all.some(({ body }) => body.result === 'success')).toBe(true);
    expect(await stage.balance(who)).toBe(20n * USD);
    expect((await stage.charges(who)).filter(({ state }) => state === 'succeeded')).toHaveLength(1);
    const again = await buy(who, undefined, '20.00');
    expect([again.status, again.body.message]).toEqual([409, prepaidMessages.once]);
  });

  test('[PAY-04] activating an empty campaign is refused and charges nothing', async () => {
    const who = await stage.made();
    await stage.terms(who, { leads_buy: 20, topup: 'continual' });
    await ask(who, 'POST', 'activepause', { leadspeekID: who.campaign.id, status: 'paused' });
    const { status, body } = await ask(who, 'POST', 'activepause', {
      leadspeekID: who.campaign.id,
      status: 'active',
    });
    expect([status, body.errors]).toEqual([409, { status: ['needs a balance'] }]);
    await app.features.prepaid.auto.sweep(root.id);
    expect(await stage.charges(who)).toEqual([]);
  });
});

describe('[PAY-09] the continual top-up', () => {
  const armed = async () => {
    const who = await stage.made();
    await stage.terms(who, { leads_buy: 20, topup: 'continual' });
    await buy(who, 20, '20.00');
    expect((await stage.state(who)).state).toBe('armed');
    return who;
  };

  test('buys again once when the balance falls below 10%, in the transaction that draws', async () => {
    const who = await armed();
    await stage.sell(who, 18);
    expect((await stage.state(who)).state).toBe('armed');
    await stage.sell(who);
    expect((await stage.state(who)).state).toBe('due');
    await stage.sell(who);
    await Promise.all([stage.work(who), stage.work(who), stage.work(who)]);
    await stage.work(who);
    expect(await stage.attempts(who)).toEqual(['succeeded']);
    expect(await stage.balance(who)).toBe(20n * USD);
    expect((await stage.state(who)).state).toBe('armed');
    expect((await current(who)).data[0]).toMatchObject({ automatic: true, status: 'succeeded', leads: 20 });
    expect(await audits(who, 'campaign.renewal')).toBe(1);
  });

  test.each(['refunded', 'disputed'] as const)(
    'a purchase that was %s is not charged again by itself; it goes on once someone has bought again',
    async (how) => {
      const who = await armed();
      const [charge] = await stage.charges(who);
      if (how === 'refunded') await refund(who);
      else
        await app.features.payments.core.dispute(root.id, charge!.id, {
          id: `dp_${charge!.id}`,
          status: 'needs_response',
          reason: 'fraudulent',
          amountCents: 2000,
        });
      expect(await stage.balance(who)).toBe(0n);
      const stopped = { status: 'stopped', reason: prepaidMessages.gaveBack };
      expect(await current(who)).toMatchObject(stopped);
      await app.features.prepaid.auto.sweep(root.id);
      await stage.work(who);
      // Balance that comes in another way does not start it again.
      await outside(who, '30.00');
      await app.features.prepaid.auto.sweep(root.id);
      await stage.sell(who, 30);
      await app.features.prepaid.auto.sweep(root.id);
      await stage.work(who);
      expect(await stage.attempts(who)).toEqual([]);
      expect(await current(who)).toMatchObject(stopped);
      await app.features.prepaid.auto.tellStopped({ rootId: root.id, campaignId: who.campaign.id });
      expect(await stage.mails(who, 'client', 'prepaid.stopped')).toEqual([
        expect.stringContaining(prepaidMessages.gaveBack),
      ]);
      await buy(who, 20, '20.00');
      expect((await stage.state(who)).state).toBe('armed');
      await app.features.prepaid.auto.tellStopped({ rootId: root.id, campaignId: who.campaign.id });
      expect(await stage.mails(who, 'client', 'prepaid.stopped')).toHaveLength(1);
      await stage.sell(who, 19);
      await stage.work(who);
      expect(await stage.attempts(who)).toEqual(['succeeded']);
    },
  );

  test('one that was already being charged when an earlier purchase was refunded is the last', async () => {
    const who = await armed();
    await stage.sell(who, 19);
    await app.features.prepaid.auto.run({ rootId: root.id, campaignId: who.campaign.id });
    expect((await stage.state(who)).state).toBe('charging');
    await refund(who);
    await stage.send(who);
    expect(await stage.attempts(who)).toEqual(['succeeded']);
    await stage.sell(who, 20);
    await app.features.prepaid.auto.sweep(root.id);
    await stage.work(who);
    expect([await stage.attempts(who), (await stage.state(who)).state]).toEqual([['succeeded'], 'stopped']);
  });

  test('charges no card of a company that was removed', async () => {
    const who = await armed();
    await stage.sell(who, 19);
    expect((await stage.state(who)).state).toBe('due');
    await app.admin.query(
      `update campaign set state = 'paused', state_reason = 'balance_empty' where id = $1`,
      [who.campaign.id],
    );
    await app.admin.query('update company set removed_at = now() where id = $1', [who.client.id]);
    await stage.work(who);
    expect(await stage.attempts(who)).toEqual([]);
    expect((await stage.state(who)).state).toBe('idle');
  });

  test('what fell without a draw, or was recorded outside, is found by the sweep', async () => {
    const who = await armed();
    await stage.terms(who, { lead_price: '50' });
    await app.features.prepaid.auto.sweep(root.id);
    await stage.send(who);
    expect(await stage.balance(who)).toBe(1020n * USD);
    const other = await stage.made();
    await stage.terms(other, { leads_buy: 20, topup: 'continual' });
    await outside(other, '5.00');
    await app.features.prepaid.auto.sweep(root.id);
    expect((await stage.state(other)).state).toBe('armed');
    expect(await stage.charges(other)).toEqual([]);
  });

  test('[BEY-03] after declines it waits 1, 6 and 24 hours, then stops; the payment has failed at the first', async () => {
    const who = await armed();
    await stage.card(who, 'declines');
    await stage.sell(who, 19);
    await stage.work(who);
    expect(await stage.failed(who)).toBe(true);
    expect(await stage.campaignState(who)).toBe('active');
    const waits = [1, 6, 24];
    for (const [i, hours] of waits.entries()) {
      const row = await stage.state(who);
      expect([row.state, row.declines, row.retry_at.getTime() - app.clock.now().getTime()]).toEqual([
        'waiting',
        i + 1,
        hours * HOUR_MS,
      ]);
      await stage.work(who);
      expect(await stage.attempts(who)).toHaveLength(i + 1);
      app.clock.advance(hours * HOUR_MS);
      await stage.work(who);
    }
    expect((await stage.state(who)).state).toBe('stopped');
    expect(await stage.attempts(who)).toEqual(Array(4).fill('declined'));
    app.clock.advance(100 * HOUR_MS);
    await app.features.prepaid.auto.sweep(root.id);
    await stage.send(who);
    expect(await stage.attempts(who)).toHaveLength(4);
    // The last lead, then it stops until a user buys again.
    await stage.sell(who, 2);
    expect(await stage.campaignState(who)).toBe('paused balance_empty');
    await stage.card(who, 'works');
    await buy(who, 20, '20.00');
    expect(await stage.failed(who)).toBe(false);
    expect(await stage.campaignState(who)).toBe('active');
    expect((await stage.state(who)).state).toBe('armed');
  });

  test('a decline while the balance is empty pauses the campaign', async () => {
    const who = await armed();
    await stage.card(who, 'declines');
    await stage.sell(who, 20);
    await stage.work(who);
    expect(await stage.campaignState(who)).toBe('paused balance_empty');
    const mails = await app.admin.query(
      "select count(*)::int as n from pgboss.job where name = 'prepaid.tell' and data->>'campaignId' = $1",
      [who.campaign.id],
    );
    expect(mails.rows[0].n).toBe(1);
  });

  test('one who is told of a failure reads why and when it is tried again', async () => {
    const who = await armed();
    await stage.card(who, 'declines');
    await stage.sell(who, 20);
    await stage.work(who);
    const { rows } = await app.admin.query('select id from prepaid_attempt where campaign_id = $1', [
      who.campaign.id,
    ]);
    await app.features.prepaid.auto.tell({
      rootId: root.id,
      campaignId: who.campaign.id,
      attemptId: rows[0].id,
    });
    const mail = await app.admin.query(
      "select count(*)::int as n from mail where kind = 'prepaid.renewal' and company_id = $1",
      [who.client.id],
    );
    expect(mail.rows[0].n).toBe(1);
    // The payee is also notified right away.
    const told = await stage.mails(who, 'agency', 'prepaid.renewal_of_client');
    expect(told).toEqual([expect.stringContaining('was declined: Your card was declined.')]);
  });

  test('where nothing renews by itself the client is asked to, once for each fall', async () => {
    const who = await stage.made();
    await stage.terms(who, { leads_buy: 20 });
    await buy(who, 20, '20.00');
    const asked = async (): Promise<number> => {
      const { rows } = await app.admin.query(
        `select count(*)::int as n from pgboss.job where name = 'prepaid.low' and data->>'campaignId' = $1`,
        [who.campaign.id],
      );
      return rows[0].n;
    };
    await stage.sell(who, 18);
    expect(await asked()).toBe(0);
    await stage.sell(who);
    await stage.sell(who);
    expect(await asked()).toBe(1);
    const key = { rootId: root.id, campaignId: who.campaign.id };
    await app.features.prepaid.auto.tellLow(key);
    const [mail, ...more] = await stage.mails(who, 'client', 'prepaid.low');
    expect(more).toEqual([]);
    expect(mail).toContain('does not cover another lead');
    expect(mail).toContain(`campaign=${who.campaign.id}&tab=balance`);
    // If leads were bought again in the meantime, there is nothing to ask for; the next fall asks again.
    await buy(who, 20, '20.00');
    await app.features.prepaid.auto.tellLow(key);
    expect(await stage.mails(who, 'client', 'prepaid.low')).toHaveLength(1);
    await stage.sell(who, 19);
    expect(await asked()).toBe(2);
  });

  test('a continual top-up asks nobody', async () => {
    const who = await armed();
    await stage.sell(who, 20);
    const { rows } = await app.admin.query(
      `select from pgboss.job where name = 'prepaid.low' and data->>'campaignId' = $1`,
      [who.campaign.id],
    );
    expect(rows).toEqual([]);
  });

  test('without a card it is refused and shown, and the payment has failed', async () => {
    const who = await armed();
    await app.admin.query('update payment_card set removed_at = now() where company_id = $1', [
      who.client.id,
    ]);
    await stage.sell(who, 19);
    await stage.work(who);
    expect(await stage.attempts(who)).toEqual(['refused']);
    expect((await current(who)).data[0]).toMatchObject({ status: 'refused', reason: ownMessages.noCard });
    expect((await current(who)).status).toBe('stopped');
    expect(await stage.failed(who)).toBe(true);
  });

  test('[BEY-03] a hard limit of the day bounds renewals, and they go on when the day is over', async () => {
    const who = await armed();
    const limit = await app.call('PUT', '/api/ledger/caps', {
      host: who.host,
      token: await stage.token(who, 'client'),
      body: { subject: 'client', subjectID: who.client.id, period: 'day', hard: '39.99', soft: null },
    });
    expect(limit.status).toBe(200);
    await stage.sell(who, 19);
    await stage.work(who);
    expect(await stage.attempts(who)).toEqual(['succeeded']);
    await stage.sell(who, 20);
    await stage.work(who);
    expect(await stage.attempts(who)).toEqual(['succeeded', 'refused']);
    expect((await current(who)).reason).toContain('$39.99 per day');
    expect(await stage.failed(who)).toBe(false);
    app.clock.advance(24 * HOUR_MS);
    await app.features.prepaid.auto.sweep(root.id);
    await stage.send(who);
    expect(await stage.attempts(who)).toEqual(['succeeded', 'refused', 'succeeded']);
  });

  test('stopping it holds for what is planned, too, and clears a failed payment; beginning it needs a card', async () => {
    const who = await armed();
    await stage.terms(who, { lead_price: '2', effective_from: '2027-12-01' });
    await stage.card(who, 'declines');
    await stage.sell(who, 19);
    await stage.work(who);
    const stop = (stop_continual: string, as: As = 'client') =>
      ask(who, 'POST', 'stop-continual-topup', { leadspeekID: who.campaign.id, stop_continual }, as);
    expect((await stop('T')).body).toMatchObject({ topupoptions: 'onetime' });
    expect(await audits(who, 'campaign.continual')).toBe(1);
    expect((await stop('T')).status).toBe(200);
    expect(await stage.failed(who)).toBe(false);
    const campaign = await app.call('GET', `/api/leadspeek/getcampaign/${who.campaign.id}`, {
      host: who.host,
      token: await stage.token(who, 'client'),
    });
    expect(campaign.body).toMatchObject({
      topupoptions: 'onetime',
      planned_costs: [{ CostSet: '2.00', topupoptions: 'onetime' }],
    });
    app.clock.advance(2 * HOUR_MS);
    await app.features.prepaid.auto.sweep(root.id);
    await stage.send(who);
    expect(await stage.attempts(who)).toEqual(['declined']);
    await stage.card(who, 'works');
    expect((await stop('F', 'agency')).body).toMatchObject({ topupoptions: 'continual' });
    // Turning it on with a low balance does not charge anyone.
    await app.features.prepaid.auto.sweep(root.id);
    await stage.send(who);
    expect(await stage.attempts(who)).toEqual(['declined']);
    expect((await current(who)).status).toBe('idle');
    await stage.terms(who, { topup: 'onetime', leads_buy: null });
    expect((await stop('F')).status).toBe(422);
  });
});

describe('[PAY-09] remaining balance and refunds', () => {
  test('what was bought, spent, refunded and is left adds up; newest purchases are given back first', async () => {
    const who = await stage.made();
    await outside(who, '5.00');
    await buy(who, 10, '10.00');
    await buy(who, 20, '20.00');
    await stage.sell(who, 7);
    const key = keyOf();
    expect((await refund(who, '22.00', key)).body).toMatchObject({
      result: 'success',
      refunded_micros: 22_000_000,
      balance_micros: 6_000_000,
    });
    expect((await refund(who, '22.00', key)).body).toMatchObject({ refunded_micros: 22_000_000 });
    expect((await refund(who, '23.00', key)).status).toBe(409);
    expect(await remaining(who)).toEqual({
      balance_micros: 6_000_000,
      granted_micros: 0,
      price_micros: 1_000_000,
      leads_left: 6,
      bought_micros: 30_000_000,
      outside_micros: 5_000_000,
      spent_micros: 7_000_000,
      refunded_micros: 22_000_000,
      disputed_micros: 0,
      refundable_micros: 6_000_000,
      kept_micros: 0,
    });
    const refunded = (await current(who)).data.map((one: { refunded_micros: number }) => one.refunded_micros);
    expect(refunded).toEqual([20_000_000, 2_000_000]);
    const more = await refund(who, '6.01');
    expect([more.status, Object.keys(more.body.errors)]).toEqual([409, ['amount']]);
    expect((await refund(who)).body).toMatchObject({ refunded_micros: 6_000_000, balance_micros: 0 });
    expect((await refund(who)).body.message).toBe(prepaidMessages.nothing);
    expect(await audits(who, 'campaign.refund')).toBe(2);
    expect(await stage.sum(who.agency.id, 'card_clearing')).toBe(-7n * USD);
  });

  test('a hundred parallel refunds never give back more than is unused', async () => {
    const who = await stage.made();
    await buy(who, 10, '10.00');
    await stage.sell(who, 4);
    const all = await Promise.all(Array.from({ length: 30 }, () => refund(who, '1.00')));
    expect(all.filter(({ body }) => body.result === 'success')).toHaveLength(6);
    expect(await stage.balance(who)).toBe(0n);
  });

  test('a refund that fails comes back', async () => {
    const who = await stage.made();
    await buy(who, 10, '10.00');
    vi.spyOn(app.features.payments.gateway, 'refund').mockImplementationOnce(async () => ({
      status: 'failed',
      refund: 're_failed',
      code: 'expired',
    }));
    expect((await refund(who, '4.00')).body).toMatchObject({ result: 'failed', refunded_micros: 0 });
    expect(await remaining(who)).toMatchObject({
      balance_micros: 10_000_000,
      refunded_micros: 0,
      refundable_micros: 10_000_000,
    });
  });

  test('a refund made at the provider takes what is left, and what was spent is owed', async () => {
    const who = await stage.made();
    await buy(who, 10, '10.00');
    await stage.sell(who, 6);
    const [charge] = await stage.charges(who);
    const { rows } = await app.admin.query('select provider_reference, account from charge where id = $1', [
      charge!.id,
    ]);
    await app.features.payments.gateway.refund({
      charge: rows[0].provider_reference,
      account: rows[0].account,
      idempotencyKey: keyOf(),
    });
    await app.features.payments.refunds.hear(root.id, charge!.id);
    expect(await stage.balance(who)).toBe(0n);
    expect(await stage.sum(who.client.id, 'client_unbilled')).toBe(-6n * USD);
    expect(await stage.sum(who.agency.id, 'card_clearing')).toBe(0n);
    expect((await current(who)).data).toMatchObject([{ status: 'refunded', refunded_micros: 10_000_000 }]);
    expect((await refund(who)).body.message).toBe(prepaidMessages.nothing);
  });

  test('of a disputed purchase what was spent is owed; won, it all comes back', async () => {
    const who = await stage.made();
    await buy(who, 10, '10.00');
    await stage.sell(who, 6);
    const [charge] = await stage.charges(who);
    const dispute = (status: string) =>
      app.features.payments.core.dispute(root.id, charge!.id, {
        id: 'dp_prepaid',
        status,
        reason: 'fraudulent',
        amountCents: 1000,
      });
    await dispute('needs_response');
    expect(await stage.balance(who)).toBe(0n);
    expect(await stage.sum(who.client.id, 'client_unbilled')).toBe(-6n * USD);
    expect(await remaining(who)).toMatchObject({ disputed_micros: 4_000_000, refundable_micros: 0 });
    await dispute('won');
    expect(await stage.balance(who)).toBe(4n * USD);
    expect(await stage.sum(who.client.id, 'client_unbilled')).toBe(0n);
    expect(await stage.sum(who.agency.id, 'card_clearing')).toBe(-10n * USD);
  });

  test('[PAY-04] each purchase has its receipt, what is given back a credit note', async () => {
    const who = await stage.made();
    await buy(who, 10, '10.00');
    const receipts = async () => {
      const { rows } = await app.admin.query(
        `select i.number, i.kind, i.status, i.total_micros, i.credited_micros, l.description from invoice i
         join invoice_line l on l.invoice_id = i.id where i.company_id = $1 order by i.seq`,
        [who.client.id],
      );
      return rows;
    };
    const receipt = { kind: 'receipt', total_micros: 10n * USD, description: '10 leads at $1.00' };
    expect(await receipts()).toMatchObject([{ ...receipt, status: 'paid', credited_micros: 0n }]);
    // The payer is emailed their receipt.
    const { rows: queued } = await app.admin.query(
      `select data from pgboss.job where name = 'collection.mail' and data->>'what' = 'paid'
         and data->>'invoiceId' = (select id::text from invoice where company_id = $1)`,
      [who.client.id],
    );
    expect(queued).toHaveLength(1);
    await app.features.dunning.mails.send(queued[0].data);
    expect(await stage.mails(who, 'client', 'invoice.receipt')).toEqual([
      expect.stringContaining('We received $10.00 for prepaid leads.'),
    ]);
    await refund(who, '4.00');
    expect(await receipts()).toMatchObject([{ ...receipt, status: 'paid', credited_micros: 4n * USD }]);
    // The provider says afterward that it could not: the money is back in the balance, with its own receipt.
    vi.spyOn(app.features.payments.gateway, 'refund').mockImplementationOnce(async () => ({
      status: 'failed',
      refund: 're_failed_too',
      code: 'expired',
    }));
    await refund(who, '6.00');
    expect(await stage.balance(who)).toBe(6n * USD);
    expect(await receipts()).toMatchObject([
      { ...receipt, credited_micros: 10n * USD },
      { kind: 'receipt', status: 'paid', total_micros: 6n * USD, credited_micros: 0n },
    ]);
  });

  describe('[PAY-04] the tax of a purchase that goes back to the card', () => {
    /** A client whose purchase of $22 includes $2 tax, half of it spent. */
    const taxed = async () => {
      const who = await stage.made();
      await app.admin.query(
        `insert into tax_profile (company_id, root_id, agency_id, rate_name, rate_ppm, updated_at)
         values ($1, $2, $3, 'City tax', 100000, $4)`,
        [who.client.id, root.id, who.agency.id, app.clock.now()],
      );
      await buy(who, 22, '22.00');
      await stage.sell(who, 11);
      expect(await setAside(who)).toBe(2n * USD);
      return { who, charge: (await stage.charges(who))[0]! };
    };
    const setAside = (who: PrepaidMade) => stage.sum(who.agency.id, 'tax_due');
    const dispute = (charge: { id: string }, status: string) =>
      app.features.payments.core.dispute(root.id, charge.id, {
        id: `dp_${charge.id}`,
        status,
        reason: 'fraudulent',
        amountCents: 2200,
      });
    const refundThere = async (charge: { id: string }, amountCents: number) => {
      const { rows } = await app.admin.query('select provider_reference, account from charge where id = $1', [
        charge.id,
      ]);
      await app.features.payments.gateway.refund({
        charge: rows[0].provider_reference,
        account: rows[0].account,
        amountCents,
        idempotencyKey: keyOf(),
      });
      await app.features.payments.refunds.hear(root.id, charge.id);
    };
    /** Bills what the client owes: subtotal and tax. */
    const bill = async (who: PrepaidMade) => {
      app.clock.advance(1000);
      const id = await app.make.bill(who.client);
      const { rows } = await app.admin.query(
        'select subtotal_micros, tax_micros from invoice where id = $1',
        [id],
      );
      return [rows[0].subtotal_micros, rows[0].tax_micros];
    };

    test.each(['refunded', 'disputed'] as const)(
      'is reversed for what was unused when it is %s; what was spent was taxed once, and is owed without',
      async (how) => {
        const { who, charge } = await taxed();
        if (how === 'refunded') await refundThere(charge, 2200);
        else await dispute(charge, 'needs_response');
        expect(await setAside(who)).toBe(1n * USD);
        expect(await stage.sum(who.client.id, 'client_unbilled')).toBe(-11n * USD);
        expect(await bill(who)).toEqual([11n * USD, 0n]);
        expect(await setAside(who)).toBe(1n * USD);
      },
    );

    test('is owed again once a dispute is won', async () => {
      const { who, charge } = await taxed();
      await dispute(charge, 'needs_response');
      await dispute(charge, 'won');
      expect([await stage.balance(who), await setAside(who)]).toEqual([11n * USD, 2n * USD]);
      // What was put back has its own receipt, and can be refunded like any other.
      await refund(who);
      expect([await stage.balance(who), await setAside(who)]).toEqual([0n, 1n * USD]);
    });

    test('stays as it is when a dispute is won for which nothing was credited', async () => {
      const { who, charge } = await taxed();
      await dispute(charge, 'needs_response');
      // As before there were credit notes for disputes.
      await app.admin.query(
        `alter table credit_note disable trigger user;
         update credit_note set idempotency_key = 'none' where company_id = '${who.client.id}';
         alter table credit_note enable trigger user`,
      );
      const before = await setAside(who);
      await dispute(charge, 'won');
      expect([await stage.balance(who), await setAside(who)]).toEqual([11n * USD, before]);
    });

    test('is reversed once if the same purchase is refunded and then disputed', async () => {
      const { who, charge } = await taxed();
      await refund(who, '5.50');
      expect(await setAside(who)).toBe(1_500_000n);
      await refundThere(charge, 1100);
      expect(await setAside(who)).toBe(1n * USD);
      await buy(who, 22, '22.00');
      expect(await setAside(who)).toBe(3n * USD);
      // Of this purchase, the bank takes more than is left: its balance is used for no more than that.
      await dispute(charge, 'lost');
      expect([await stage.balance(who), await setAside(who)]).toEqual([11n * USD, 2n * USD]);
      expect(await bill(who)).toEqual([16_500_000n, 0n]);
      // Next to something that was sold, only that is taxed.
      const second = (await stage.charges(who)).find(({ id }) => id !== charge.id)!;
      await dispute(second, 'lost');
      expect([await stage.balance(who), await setAside(who)]).toEqual([0n, 1n * USD]);
      await stage.run((tx) =>
        app.features.ledger.post(
          tx,
          [
            {
              owner: who.owner,
              kind: 'adjustment',
              referenceId: null,
              memo: 'Extra work',
              key: keyOf(),
              entries: [
                { account: { owner: who.owner, kind: 'client_unbilled' }, amount: -10n * USD },
                {
                  account: { owner: { ...who.owner, company_id: who.agency.id }, kind: 'agency_revenue' },
                  amount: 10n * USD,
                },
              ],
            },
          ],
          app.clock.now(),
        ),
      );
      expect(await bill(who)).toEqual([21n * USD, 1n * USD]);
    });
  });

  test('what could not be given back can be tried again, in parts and across its receipts', async () => {
    const who = await stage.made();
    await buy(who, 10, '10.00');
    vi.spyOn(app.features.payments.gateway, 'refund').mockImplementationOnce(async () => ({
      status: 'failed',
      refund: 're_failed_three',
      code: 'expired',
    }));
    await refund(who, '7.00');
    expect((await refund(who, '5.00')).body).toMatchObject({ result: 'success', balance_micros: 5_000_000 });
    expect((await refund(who)).body).toMatchObject({ result: 'success', balance_micros: 0 });
    const { rows } = await app.admin.query(
      `select status, total_micros, paid_micros, credited_micros,
         (select sum(n.amount_micros)::bigint from credit_note n where n.invoice_id = i.id) as noted
       from invoice i where company_id = $1 order by seq`,
      [who.client.id],
    );
    expect(rows).toEqual(
      [10n * USD, 7n * USD].map((all) => ({
        status: 'void',
        total_micros: all,
        paid_micros: 0n,
        credited_micros: all,
        noted: all,
      })),
    );
  });

  test('a campaign is not removed with what its client has bought and can still have back', async () => {
    const who = await stage.made();
    const remove = () => ask(who, 'POST', 'remove', { leadspeekID: who.campaign.id });
    await outside(who, '2.00');
    stage.loseAnswer();
    expect((await buy(who, 10, '10.00')).body.result).toBe('unknown');
    expect((await remove()).body.message).toBe(ownMessages.chargeUnderWay('this campaign'));
    await stage.send(who);
    await stage.sell(who, 4);
    const kept = await remove();
    expect([kept.status, kept.body.message]).toEqual([409, prepaidMessages.removal('$8.00')]);
    expect((await refund(who)).body).toMatchObject({ refunded_micros: 8_000_000, balance_micros: 0 });
    expect((await remove()).status).toBe(200);
    // Payments made to the agency outside the system are between the two parties.
    const other = await stage.made();
    await outside(other, '5.00');
    expect((await ask(other, 'POST', 'remove', { leadspeekID: other.campaign.id })).status).toBe(200);
  });

  test('an invoice that is too small for a card does not keep a payment failed', async () => {
    const who = await stage.made({ card: false });
    const invoice = await stage.run(async (tx) => {
      const at = app.clock.now();
      const agency = { ...who.owner, company_id: who.agency.id };
      const fee = (
        account: { owner: typeof agency; kind: 'client_unbilled' | 'agency_revenue' },
        amount: bigint,
      ) => ({
        account,
        amount,
      });
      await app.features.ledger.post(
        tx,
        [
          {
            owner: who.owner,
            kind: 'adjustment',
            referenceId: null,
            key: `small:${who.client.id}`,
            entries: [
              fee({ owner: who.owner, kind: 'client_unbilled' }, -800_000n),
              fee({ owner: agency, kind: 'agency_revenue' }, 800_000n),
            ],
          },
        ],
        at,
      );
      return app.features.invoices.bill(
        tx,
        {
          owner: who.owner,
          side: 'retail',
          kind: 'period',
          term: 'Monthly',
          periodKey: 'small',
          from: null,
          to: null,
          events: { before: new Date('9999-01-01'), cycle: null },
        },
        at,
      );
    });
    expect(await stage.failed(who)).toBe(true);
    const token = await stage.token(who, 'agency');
    const credited = await app.call('POST', `/api/billing/invoices/${invoice!.id}/credit`, {
      host: who.host,
      token,
      body: { amount: '0.50', reason: 'Goodwill', idempotencyKey: keyOf() },
    });
    expect([credited.status, await stage.failed(who)]).toEqual([200, false]);
    await stage.card(who, 'works');
    await stage.terms(who, { topup: 'continual', leads_buy: 20 });
    await buy(who, 20, '20.00');
    await stage.card(who, 'declines');
    await stage.sell(who, 19);
    await stage.work(who);
    expect(await stage.failed(who)).toBe(true);
    await stage.card(who, 'works');
    await buy(who, 20, '20.00');
    expect(await stage.failed(who)).toBe(false);
  });

  test('each mail says the amounts of the ledger', async () => {
    const { compared, differing } = await compareMails(app);
    expect(differing).toEqual([]);
    expect(compared).toBeGreaterThan(2);
  });

  test('the ledger holds over all of it', async () => {
    const { checks } = await auditLedger(app.admin);
    const mine = checks.filter(({ name }) => !name.startsWith('every lead with a price'));
    expect(mine.filter(({ violations }) => violations > 0)).toEqual([]);
  });
});
