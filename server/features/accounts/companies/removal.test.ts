import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ownMessages } from '../../../../contract/messages.ts';
import { newId } from '../../../platform/ids.ts';
import { GatewayError } from '../../../platform/payments.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { type CARDS, type Dues, duesOf } from '../../../test/dues.ts';
import type { Company } from '../../../test/factories.ts';
import { type PrepaidMade, prepaidStage } from '../../../test/prepaid.ts';
import { auditLedger } from '../../money/ledger/index.ts';

const USD = 1_000_000n;
const HOUR = 3_600_000;
let app: TestApp;
let root: Company;
let dues: Dues;
let stage: ReturnType<typeof prepaidStage>;
let serial = 0;

beforeAll(async () => {
  app = await testApp({ cards: { answerTimeoutMs: 5_000, wait: async () => {} } });
  root = await app.make.root({ host: 'root.test', isMaster: true });
  await app.make.user(root, { email: 'boss@root.test', password: PASSWORD });
  dues = duesOf(app, root);
  stage = prepaidStage(app, root);
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  const { checks } = await auditLedger(app.admin);
  await app.close();
  expect(
    checks.filter(({ violations }) => violations > 0).map(({ name, examples }) => [name, examples]),
  ).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: the answers of calls
type Answer = { status: number; body: any };
const call = async (
  who: PrepaidMade,
  as: 'client' | 'agency',
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<Answer> => {
  app.clock.advance(1000);
  return app.call(method, `/api${path}`, { host: who.host, token: await stage.token(who, as), body });
};
const asRoot = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Answer> =>
  app.call(method, `/api${path}`, {
    host: 'root.test',
    token: await app.signIn('boss@root.test', 'root.test'),
    body,
  });
/** A client with a paused campaign and a card that behaves like this. */
async function made(card: keyof typeof CARDS = 'works'): Promise<PrepaidMade> {
  const who = await stage.made();
  await dues.card(who.client, card);
  await app.admin.query(`update campaign set state = 'paused', state_reason = 'person' where id = $1`, [
    who.campaign.id,
  ]);
  return who;
}
/** Buys 100 leads at a dollar. */
const buy = (who: PrepaidMade, as: 'client' | 'agency' = 'client') =>
  call(who, as, 'POST', '/leadspeek/client/topup-card', {
    ...{ leadspeekID: who.campaign.id, leadsbuy: 100, amount: '100.00' },
    idempotencyKey: `removal-${++serial}`,
  });
const giveBack = (who: PrepaidMade) =>
  call(who, 'agency', 'POST', '/leadspeek/client/refund', {
    leadspeekID: who.campaign.id,
    idempotencyKey: `removal-${++serial}`,
  });
const removeCampaign = (who: PrepaidMade) =>
  call(who, 'agency', 'POST', '/leadspeek/client/remove', { leadspeekID: who.campaign.id });
const removeClient = (who: PrepaidMade) =>
  call(who, 'agency', 'DELETE', `/configuration/user/remove/${who.agency.id}/${who.client.id}`);
const removeAgency = (agency: Company) =>
  asRoot('DELETE', `/configuration/user/remove/${root.id}/${agency.id}`);
const words = ({ status, body }: Answer) => [status, body.message];
/** As if it had been removed at the very moment at which the charge was written. */
const gone = (company: Company) =>
  app.admin.query('update company set removed_at = $2 where id = $1 or agency_id = $1', [
    company.id,
    app.clock.now(),
  ]);
const charge = async (company: Company) =>
  (
    await app.admin.query(
      'select id, state, needs_authentication as confirmable, refunded_cents as refunded from charge where company_id = $1',
      [company.id],
    )
  ).rows[0];
/** The newest receipt of a client, and what of it was credited. */
const receipt = async (who: PrepaidMade) =>
  (
    await app.admin.query(
      `select status, total_micros::int as total, credited_micros::int as credited from invoice
       where company_id = $1 and kind = 'receipt' order by seq desc limit 1`,
      [who.client.id],
    )
  ).rows[0];
const nameOf = async ({ id }: Company): Promise<string> =>
  (await app.admin.query('select name from company where id = $1', [id])).rows[0].name;
const problemOf = async (company: Company) => {
  const name = await nameOf(company);
  const { body } = await asRoot('GET', '/payment/problems?PerPage=100&kind=refund');
  return body.data.find((one: { company_name: string }) => one.company_name === name);
};
/** Fails a refund that the provider had reported as done. */
async function refundFails(): Promise<void> {
  app.clock.advance(HOUR + 1000);
  await app.features.payments.attendNotices();
}
/** The cardholder answers the bank, and the provider tells us. */
async function confirm(secret: string): Promise<string> {
  const { status } = await app.features.payments.sandbox.authenticate(secret, true);
  await app.features.payments.attendNotices();
  await dues.jobs();
  return status;
}

describe('[AGCY-13] [PAY-09] a campaign that is removed', () => {
  test('is not, while a payment or a refund of it is under way', async () => {
    const who = await made('refundPending');
    stage.loseAnswer();
    expect((await buy(who)).body.result).toBe('unknown');
    expect(words(await removeCampaign(who))).toEqual([409, ownMessages.chargeUnderWay('this campaign')]);
    await stage.send(who);
    expect((await giveBack(who)).body).toMatchObject({ result: 'pending', balance_micros: 0 });
    expect(words(await removeCampaign(who))).toEqual([409, ownMessages.refundUnderWay('this campaign')]);
    app.clock.advance(HOUR + 1000);
    await dues.look();
    expect((await removeCampaign(who)).status).toBe(200);
    expect([await dues.taken(who.client), await stage.balance(who)]).toEqual([0, 0n]);
  });

  test('cancels what its cardholder could still confirm, or stays until that is certain', async () => {
    const who = await made('authenticate');
    const { body } = await buy(who);
    expect(body.result).toBe('authenticate');
    vi.spyOn(dues.network(), 'cancelCharge').mockRejectedValueOnce(new GatewayError('no_answer', 'lost'));
    expect(words(await removeCampaign(who))).toEqual([409, ownMessages.confirmationOpen('this campaign')]);
    expect((await removeCampaign(who)).status).toBe(200);
    expect(await confirm(body.client_secret)).not.toBe('succeeded');
    expect([await dues.taken(who.client), await stage.balance(who)]).toEqual([0, 0n]);
    expect(await charge(who.client)).toMatchObject({ state: 'declined', confirmable: false });
  });

  test('whose cardholder was faster keeps what came in until it is refunded', async () => {
    const who = await made('authenticate');
    const { body } = await buy(who);
    await app.features.payments.sandbox.authenticate(body.client_secret, true);
    expect(words(await removeCampaign(who))[1]).toContain('$100.00 of the balance was bought by card');
    expect(await stage.balance(who)).toBe(100n * USD);
  });

  test('does not wait for a payment on an account that is no longer connected', async () => {
    const who = await made('authenticate');
    await buy(who);
    vi.spyOn(dues.network(), 'cancelCharge').mockRejectedValueOnce(
      new GatewayError('account_not_ready', 'gone'),
    );
    expect((await removeCampaign(who)).status).toBe(200);
  });

  test('gives back what comes in nevertheless, with its receipt and credit note', async () => {
    const who = await made();
    stage.loseAnswer();
    await buy(who);
    await app.admin.query(`update campaign set state = 'removed', state_reason = null where id = $1`, [
      who.campaign.id,
    ]);
    await stage.send(who);
    expect([(await charge(who.client)).state, await stage.balance(who)]).toEqual(['succeeded', 100n * USD]);
    await dues.jobs();
    expect(await charge(who.client)).toMatchObject({ state: 'refunded', refunded: 10_000 });
    expect([await dues.taken(who.client), await stage.balance(who)]).toEqual([0, 0n]);
    expect(await receipt(who)).toEqual({ status: 'void', total: 100_000_000, credited: 100_000_000 });
    const { rows } = await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id
       where l.object_id = $1 and l.action = 'campaign.refund'`,
      [who.campaign.id],
    );
    expect(rows).toEqual([
      { description: expect.stringMatching(/^Refunded \$100\.00 that came in for campaign #/) },
    ]);
  });

  test('has a refund that fails afterward booked, and the root can send it again', async () => {
    const who = await made('refundFails');
    await buy(who);
    expect((await giveBack(who)).body.result).toBe('success');
    expect((await removeCampaign(who)).status).toBe(200);
    await refundFails();
    expect([(await charge(who.client)).state, await stage.balance(who)]).toEqual(['succeeded', 100n * USD]);
    const problem = await problemOf(who.client);
    expect(problem).toMatchObject({ state: 'failed', may: expect.arrayContaining(['refund']) });
    const again = await asRoot('POST', `/payment/problems/${problem.id}/refund`, {
      reason: 'Once more',
      idempotencyKey: newId(app.clock.now()),
    });
    expect([again.status, again.body.status]).toEqual([200, 'succeeded']);
    expect([(await charge(who.client)).state, await stage.balance(who)]).toEqual(['refunded', 0n]);
  });

  test('gives back what a dispute that is won returns to it', async () => {
    const who = await made();
    await buy(who);
    const { id } = await charge(who.client);
    const dispute = (status: string) =>
      app.features.payments.core.dispute(root.id, id, {
        ...{ id: `dp_${id}`, status, reason: 'fraudulent', amountCents: 10_000 },
      });
    await dispute('needs_response');
    expect((await removeCampaign(who)).status).toBe(200);
    await dispute('won');
    expect(await stage.balance(who)).toBe(100n * USD);
    await dues.jobs();
    expect([(await charge(who.client)).state, await stage.balance(who)]).toEqual(['refunded', 0n]);
  });
});

describe('[AGCY-13] [PAY-02] a company that is removed', () => {
  test('is not, while a payment or a refund of it is under way', async () => {
    const who = await made('refundPending');
    stage.loseAnswer();
    await buy(who);
    const name = await nameOf(who.client);
    const agency = await nameOf(who.agency);
    expect(words(await removeClient(who))).toEqual([409, ownMessages.chargeUnderWay(name)]);
    expect(words(await removeAgency(who.agency))).toEqual([409, ownMessages.chargeUnderWay(agency)]);
    await stage.send(who);
    expect(words(await removeClient(who))[1]).toContain('$100.00 in its balances');
    await giveBack(who);
    expect(words(await removeClient(who))).toEqual([409, ownMessages.refundUnderWay(name)]);
    app.clock.advance(HOUR + 1000);
    await dues.look();
    expect((await removeClient(who)).status).toBe(200);
  });

  test('cancels what its cardholders could still confirm', async () => {
    for (const remove of [removeClient, ({ agency }: PrepaidMade) => removeAgency(agency)]) {
      const who = await made('authenticate');
      const { body } = await buy(who);
      expect((await remove(who)).status).toBe(200);
      expect(await confirm(body.client_secret)).not.toBe('succeeded');
      expect([await dues.taken(who.client), await stage.balance(who)]).toEqual([0, 0n]);
    }
  });

  test('gives back what comes in nevertheless, and books it', async () => {
    const who = await made();
    stage.loseAnswer();
    await buy(who);
    await gone(who.client);
    // Nothing more is bought for it.
    expect((await buy(who, 'agency')).status).toBe(404);
    await stage.send(who);
    expect([(await charge(who.client)).state, await stage.balance(who)]).toEqual(['succeeded', 100n * USD]);
    await dues.jobs();
    expect((await charge(who.client)).state).toBe('refunded');
    expect([await dues.taken(who.client), await dues.books(who.client)]).toEqual([0, {}]);
    expect(await receipt(who)).toEqual({ status: 'void', total: 100_000_000, credited: 100_000_000 });
  });

  test('has a refund that fails afterward booked, and it can be sent again', async () => {
    const who = await made('refundFails');
    await buy(who);
    await giveBack(who);
    expect((await removeClient(who)).status).toBe(200);
    await refundFails();
    expect((await charge(who.client)).state).toBe('succeeded');
    expect(await dues.books(who.client)).toEqual({ client_prepaid: 100_000_000 });
    expect(await problemOf(who.client)).toMatchObject({ may: expect.arrayContaining(['refund']) });
    expect((await giveBack(who)).body.result).toBe('success');
    expect(await dues.books(who.client)).toEqual({});
  });

  test('an agency’s top-up of its wallet that succeeds after it left is booked and goes back', async () => {
    const { company: agency } = await dues.agency();
    stage.loseAnswer();
    await app.features.payments.charges.charge({
      owner: dues.owner(agency),
      purpose: 'wallet_top_up',
      referenceId: agency.id,
      amountMicros: 50n * USD,
      key: `removal-${++serial}`,
      description: 'Data Wallet top-up',
      details: { custom: 'F', stop: 'F' },
    });
    expect(words(await removeAgency(agency))).toEqual([
      409,
      ownMessages.chargeUnderWay(await nameOf(agency)),
    ]);
    await gone(agency);
    const { id } = await charge(agency);
    await app.features.payments.core.ask(root.id, id);
    expect([(await charge(agency)).state, await dues.books(agency)]).toEqual([
      'succeeded',
      { agency_wallet: 50_000_000 },
    ]);
    await dues.jobs();
    expect([(await charge(agency)).state, await dues.books(agency)]).toEqual(['refunded', {}]);
    expect(await dues.taken(agency)).toBe(0);
  });
});
