import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Feature } from '../../../platform/feature.ts';
import type { JobKind } from '../../../platform/jobs.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import { type Dues, duesOf } from '../../../test/dues.ts';
import type { Company } from '../../../test/factories.ts';
import { compareMails } from '../../../test/mails.ts';
import { FEATURES } from '../../index.ts';
import { auditLedger } from '../ledger/index.ts';

const USD = 1_000_000n;
const DAY = 86_400_000;
let app: TestApp;
let root: Company;
let dues: Dues;

beforeAll(async () => {
  app = await testApp({ cards: { answerTimeoutMs: 5_000, wait: async () => {} } });
  root = await app.make.root({ host: 'root.test', isMaster: true });
  await app.make.user(root, { email: 'boss@root.test' });
  dues = duesOf(app, root);
});
afterAll(async () => {
  const { checks } = await auditLedger(app.admin);
  await app.close();
  // Leads posted here have no row in `lead`.
  expect(
    checks.filter((c) => c.violations > 0 && !/^every lead with|counted/.test(c.name)).map((c) => c.examples),
  ).toEqual([]);
});

/** A client with a campaign that owes $30, of which its agency owes the root $12. */
async function owing(card: Parameters<Dues['client']>[1] = {}) {
  const agency = await dues.agency();
  const client = await dues.client(agency, card);
  const campaign = await app.make.campaign(client.company);
  await dues.lead(campaign, 30n * USD, 12n * USD);
  return { agency, client, campaign };
}

/** Makes a call as a user who has just signed in, because time here passes by days. */
async function ask(
  method: 'POST' | 'PUT' | 'GET',
  url: string,
  { host, email, body }: { host: string; email: string; body?: unknown },
) {
  return app.call(method, url, { host, token: await app.signIn(email, host), body });
}
const pay = (id: string, who: { host: string; email: string }, idempotencyKey: string) =>
  ask('POST', `/api/billing/invoices/${id}/pay`, { ...who, body: { idempotencyKey } });

describe('[PAY-05] charging invoices', () => {
  test('a retail invoice is charged when it is issued; of the money the wholesale goes on to the root', async () => {
    const { agency, client } = await owing();
    const id = await dues.bill(client.company);
    expect(await dues.invoice(id)).toMatchObject({ status: 'open', fee_micros: 12n * USD });
    await dues.jobs();
    expect(await dues.invoice(id)).toMatchObject({ status: 'paid', paid_micros: 30n * USD, attempts: 1 });
    expect(await dues.books(client.company)).toEqual({});
    expect(await dues.books(agency.company)).toEqual({
      agency_revenue: 30_000_000,
      card_clearing: -30_000_000,
    });
    expect(await dues.taken(client.company)).toBe(3000);
    expect(await dues.flags(client.company)).toEqual(['', '']);
    // Requested and received, each with the link to its PDF.
    for (const [kind, words] of [
      ['invoice.new', /is ready\. The total is \$30\.00\./],
      ['invoice.receipt', /We received \$30\.00/],
    ] as const) {
      const mails = (await dues.mails(kind)).filter((mail) => mail.to === client.email);
      expect(mails).toEqual([expect.objectContaining({ text: expect.stringMatching(words) })]);
      expect(mails[0]!.text).toContain(`/configuration/invoices?invoice=${id}`);
    }
  });

  test('a wholesale invoice is charged to the card of the agency', async () => {
    const { agency, campaign } = await owing();
    const id = await dues.bill(agency.company);
    await dues.jobs();
    expect(await dues.invoice(id)).toMatchObject({ status: 'paid', paid_micros: 12n * USD });
    expect(await dues.taken(agency.company)).toBe(1200);
    const { rows } = await app.admin.query('select purpose from charge where reference_id = $1', [id]);
    expect(rows).toEqual([{ purpose: 'wholesale' }]);
    expect((await dues.books(agency.company)).agency_invoiced).toBeUndefined();
    expect(campaign).toBeDefined();
  });

  test('is at most one charge, no matter who asks at the same time', async () => {
    const { client } = await owing({ card: null });
    const id = await dues.bill(client.company);
    await dues.jobs();
    await dues.card(client.company, 'works');
    app.clock.advance(DAY + 1000);
    const token = await app.signIn(client.email, client.host);
    const outcomes = await Promise.all([
      ...Array.from({ length: 6 }, (_, i) =>
        app.call('POST', `/api/billing/invoices/${id}/pay`, {
          ...client,
          token,
          body: { idempotencyKey: `k${i}` },
        }),
      ),
      ...Array.from({ length: 4 }, () => app.features.dunning.collector.collect(root.id)),
    ]);
    expect(outcomes).toHaveLength(10);
    await dues.jobs();
    expect(await dues.taken(client.company)).toBe(3000);
    expect(await dues.invoice(id)).toMatchObject({ status: 'paid' });
    expect(await dues.books(client.company)).toEqual({});
  });

  test('refunds, disputes and what was paid twice have their own entries', async () => {
    const { agency, client } = await owing();
    const id = await dues.bill(client.company);
    await dues.jobs();
    const { rows } = await app.admin.query('select id from charge where reference_id = $1', [id]);
    await app.features.payments.charges.refund({
      rootId: root.id,
      chargeId: rows[0].id,
      amountMicros: 10n * USD,
      key: 'some',
      reason: 'Goodwill',
    });
    await dues.jobs();
    // A third of the fee came back with it; the agency owes that wholesale again.
    expect(await dues.invoice(id)).toMatchObject({
      status: 'open',
      paid_micros: 20n * USD,
      next_attempt_at: null,
    });
    expect(await dues.books(client.company)).toEqual({ client_receivable: -10_000_000 });
    expect(await dues.books(agency.company)).toEqual({
      agency_revenue: 30_000_000,
      agency_payable: -4_000_000,
      card_clearing: -20_000_000,
    });
    expect(await dues.flags(client.company)).toEqual(['', '']);
    const { body } = await pay(id, client, 'again');
    expect(body.result).toBe('success');
    expect(await dues.books(client.company)).toEqual({});
    const wholesale = await dues.bill(agency.company);
    expect(await dues.invoice(wholesale)).toMatchObject({ total_micros: 4n * USD });
  });

  /** Refunds a charge at the provider itself. */
  const refundThere = async (invoiceId: string, amountCents: number) => {
    const { rows } = await app.admin.query(
      `select provider_reference, account from charge where reference_id = $1 and provider_reference is not null
       order by created_at desc limit 1`,
      [invoiceId],
    );
    await dues.network().refund({
      charge: rows[0].provider_reference,
      amountCents,
      idempotencyKey: `there-${invoiceId}-${amountCents}`,
      account: rows[0].account,
    });
    await dues.look();
  };

  test('a refund made at the provider opens the invoice again; the fee stays, and nothing is charged by itself', async () => {
    const { agency, client } = await owing();
    const id = await dues.bill(client.company);
    await dues.jobs();
    await refundThere(id, 1000);
    expect(await dues.invoice(id)).toMatchObject({
      status: 'open',
      paid_micros: 20n * USD,
      next_attempt_at: null,
    });
    expect(await dues.books(client.company)).toEqual({ client_receivable: -10_000_000 });
    expect(await dues.books(agency.company)).toEqual({
      agency_revenue: 30_000_000,
      card_clearing: -20_000_000,
    });
    await dues.passes(8 * DAY);
    expect(await dues.taken(client.company)).toBe(2000);
    // What the bank takes of it after that is a loss as far as it has gone back already.
    const { rows } = await app.admin.query('select id from charge where reference_id = $1', [id]);
    await app.features.payments.core.dispute(root.id, rows[0].id, {
      id: `dp_${id}`,
      status: 'lost',
      reason: 'fraudulent',
      amountCents: 3000,
    });
    expect(await dues.invoice(id)).toMatchObject({ status: 'open', paid_micros: 0n });
    expect(await dues.books(client.company)).toEqual({ client_receivable: -30_000_000 });
    expect(await dues.books(agency.company)).toEqual({
      agency_revenue: 30_000_000,
      card_clearing: 10_000_000,
      written_off: -10_000_000,
    });
  });

  /** An invoice that was paid twice; nothing has been given back yet. Returns the second charge. */
  const paidTwice = async (card: Parameters<Dues['client']>[1] = {}) => {
    const { client } = await owing(card);
    const id = await dues.bill(client.company);
    await dues.jobs();
    await dues.inRoot((tx) =>
      app.features.payments.charges.intend(tx, {
        owner: dues.owner(client.company),
        purpose: 'invoice',
        referenceId: id,
        amountMicros: 30n * USD,
        key: `twice-${id}`,
        description: 'Twice',
      }),
    );
    const { rows } = await app.admin.query('select id from charge where idempotency_key = $1', [
      `twice-${id}`,
    ]);
    await app.features.payments.core.send(root.id, rows[0].id);
    const chargeId: string = rows[0].id;
    const of = { rootId: root.id, chargeId, micros: (30n * USD).toString(), key: `over:${chargeId}` };
    return { client, id, chargeId, giveBack: () => app.features.dunning.collector.giveBack(of) };
  };

  test('what was paid twice is not forgotten if it cannot be refunded right now', async () => {
    const { client, chargeId, giveBack } = await paidTwice();
    const { rows } = await app.admin.query('select provider_reference from charge where id = $1', [chargeId]);
    const setReference = (reference: string | null) =>
      app.admin.query('update charge set provider_reference = $2 where id = $1', [chargeId, reference]);
    // As if it had been settled by hand, and the provider did not know it yet.
    await setReference(null);
    const network = dues.network();
    const { findCharge } = network;
    network.findCharge = async () => ({ status: 'none' });
    await expect(giveBack()).rejects.toMatchObject({ message: ownMessages.notAtProvider });
    network.findCharge = findCharge;
    await setReference(rows[0].provider_reference);
    await giveBack();
    await giveBack();
    expect(await dues.books(client.company)).toEqual({});
    expect(await dues.taken(client.company)).toBe(3000);
  });

  test('what was paid twice and then disputed is not also given back', async () => {
    const { client, id, chargeId, giveBack } = await paidTwice();
    await app.features.payments.core.dispute(root.id, chargeId, {
      id: `dp_${chargeId}`,
      status: 'needs_response',
      reason: 'duplicate',
      amountCents: 3000,
    });
    await giveBack();
    expect(await dues.invoice(id)).toMatchObject({ status: 'paid', paid_micros: 30n * USD });
    expect(await dues.books(client.company)).toEqual({});
    expect(await dues.flags(client.company)).toEqual(['', '']);
  });

  test('of an invoice that was paid twice, what is refunded at the provider is the excess', async () => {
    const { client } = await owing();
    const id = await dues.bill(client.company);
    await dues.jobs();
    const { rows } = await app.admin.query('select * from charge where reference_id = $1', [id]);
    await dues.inRoot((tx) =>
      app.features.payments.charges.intend(tx, {
        owner: dues.owner(client.company),
        purpose: 'invoice',
        referenceId: id,
        amountMicros: 30n * USD,
        key: 'twice',
        description: rows[0].description,
      }),
    );
    app.clock.advance(1000);
    const second = await app.admin.query(`select id from charge where idempotency_key = 'twice'`);
    await app.features.payments.core.send(root.id, second.rows[0].id);
    await refundThere(id, 3000);
    expect(await dues.invoice(id)).toMatchObject({ status: 'paid', paid_micros: 30n * USD });
    expect(await dues.books(client.company)).toEqual({});
    expect(await dues.taken(client.company)).toBe(3000);
  });

  test('a refund that fails puts everything back', async () => {
    const { agency, client } = await owing({ card: 'refundFails' });
    const id = await dues.bill(client.company);
    await dues.jobs();
    const { rows } = await app.admin.query('select id from charge where reference_id = $1', [id]);
    await app.features.payments.charges.refund({
      rootId: root.id,
      chargeId: rows[0].id,
      key: 'all',
      reason: 'Goodwill',
    });
    expect(await dues.invoice(id)).toMatchObject({ status: 'open', paid_micros: 0n });
    for (let i = 0; i < 60 && (await dues.invoice(id)).status === 'open'; i++) await dues.passes(3_600_000);
    expect(await dues.invoice(id)).toMatchObject({ status: 'paid', paid_micros: 30n * USD });
    expect(await dues.books(client.company)).toEqual({});
    expect(await dues.books(agency.company)).toEqual({
      agency_revenue: 30_000_000,
      card_clearing: -30_000_000,
    });
  });

  test('a disputed invoice is open again, and what it pays for stands still until it is paid', async () => {
    const { agency, client, campaign } = await owing({ card: 'disputed' });
    const id = await dues.bill(client.company);
    await dues.jobs();
    expect(await dues.invoice(id)).toMatchObject({ status: 'paid' });
    for (let i = 0; i < 40 && (await dues.invoice(id)).status === 'paid'; i++) await dues.passes(DAY / 4);
    expect(await dues.invoice(id)).toMatchObject({
      status: 'open',
      paid_micros: 0n,
      next_attempt_at: null,
      last_failure: 'The cardholder disputed the payment.',
    });
    expect(await dues.books(client.company)).toEqual({ client_receivable: -30_000_000 });
    expect(await dues.flags(client.company)).toEqual(['failed', 'paymentfailed']);
    expect(await dues.states(campaign)).toEqual(['paused:payment_failed']);
    // A person who tries a card that declines starts no retries: they would let campaigns run on credit until the last.
    await dues.card(client.company, 'declined');
    expect((await pay(id, client, 'declined card')).body.result).toBe('failed');
    await dues.jobs();
    expect(await dues.invoice(id)).toMatchObject({
      status: 'open',
      next_attempt_at: null,
      last_failure: 'Your card was declined.',
    });
    expect(await dues.states(campaign)).toEqual(['paused:payment_failed']);
    await dues.card(client.company, 'works');
    await pay(id, client, 'new card');
    await dues.jobs();
    expect(await dues.flags(client.company)).toEqual(['', '']);
    expect(await dues.states(campaign)).toEqual(['active']);
    // The party that was paid is notified, with the deadline for answering.
    const [told] = (await dues.mails('payment.disputed')).filter((mail) => mail.to === agency.email);
    expect(told!.text).toMatch(
      /disputed \$30\.00 \(fraudulent\).*\s+Respond in your payment provider’s dashboard by \w+ \d+, 20\d\d/,
    );
    // The dispute is won after all: what was paid in the meantime is refunded.
    const { rows } = await app.admin.query(
      `select d.id, d.charge_id from payment_dispute d join charge c on c.id = d.charge_id where c.reference_id = $1`,
      [id],
    );
    await app.features.payments.core.dispute(root.id, rows[0].charge_id, {
      id: rows[0].id,
      status: 'won',
      reason: 'fraudulent',
      amountCents: 3000,
    });
    await dues.jobs();
    expect(await dues.invoice(id)).toMatchObject({ status: 'paid', paid_micros: 30n * USD });
    expect(await dues.books(client.company)).toEqual({});
  });
});

describe('[PAY-06] what happens to an invoice after it was corrected', () => {
  /** The charge of an invoice that has one. */
  const chargeOf = async (id: string): Promise<string> => {
    const { rows } = await app.admin.query('select id from charge where reference_id = $1', [id]);
    expect(rows).toHaveLength(1);
    return rows[0].id;
  };
  const writeOff = (id: string, who: { host: string; email: string }) =>
    ask('POST', `/api/billing/invoices/${id}/write-off`, { ...who, body: { reason: 'Gone' } });
  const credit = (id: string, amount: string, who: { host: string; email: string }) =>
    ask('POST', `/api/billing/invoices/${id}/credit`, {
      ...who,
      body: { amount, reason: 'Goodwill', idempotencyKey: `c${amount}` },
    });
  const refund = (chargeId: string, micros: bigint, key: string) =>
    app.features.payments.charges.refund({
      rootId: root.id,
      chargeId,
      amountMicros: micros,
      key,
      reason: 'Goodwill',
    });
  const dispute = (chargeId: string, status: string, amountCents: number) =>
    app.features.payments.core.dispute(root.id, chargeId, {
      id: `dp_${chargeId}`,
      status,
      reason: 'fraudulent',
      amountCents,
    });
  /** The cardholder confirms the charge of an invoice with their bank. */
  async function confirm(id: string): Promise<void> {
    const needed = await app.features.payments.core.authentication(root.id, await chargeOf(id));
    await app.features.payments.sandbox.authenticate(needed!.clientSecret, true);
    await app.features.payments.charges.ask(root.id, await chargeOf(id));
    await dues.jobs();
  }
  const paidBooks = { agency_revenue: 30_000_000, card_clearing: -30_000_000 };

  test('a dispute that is won pays what was given up in the meantime; nothing of it goes back', async () => {
    const { agency, client } = await owing();
    const id = await dues.bill(client.company);
    await dues.jobs();
    await dispute(await chargeOf(id), 'needs_response', 3000);
    expect((await writeOff(id, agency)).status).toBe(200);
    await dispute(await chargeOf(id), 'won', 3000);
    await dues.jobs();
    expect(await dues.invoice(id)).toMatchObject({ status: 'paid', paid_micros: 30n * USD });
    expect(await dues.taken(client.company)).toBe(3000);
    expect(await dues.books(client.company)).toEqual({});
    expect(await dues.books(agency.company)).toEqual(paidBooks);
  });

  test('what comes in for an invoice that was given up is kept, its wholesale part collected once', async () => {
    const { agency, client } = await owing({ card: 'authenticate' });
    const id = await dues.bill(client.company);
    await dues.jobs();
    expect((await writeOff(id, agency)).status).toBe(200);
    expect((await dues.books(agency.company)).agency_payable).toBe(-12_000_000);
    await confirm(id);
    expect(await dues.invoice(id)).toMatchObject({ status: 'paid', paid_micros: 30n * USD });
    expect(await dues.taken(client.company)).toBe(3000);
    expect(await dues.books(client.company)).toEqual({});
    expect(await dues.books(agency.company)).toEqual(paidBooks);
  });

  test('money that goes back after the rest was given up makes all of it due again, in the books as well', async () => {
    const { agency, client } = await owing();
    const id = await dues.bill(client.company);
    await dues.jobs();
    await refund(await chargeOf(id), 10n * USD, 'one');
    for (const [key, due] of [
      ['two', 15_000_000],
      ['three', 20_000_000],
    ] as const) {
      expect((await writeOff(id, agency)).body.data).toMatchObject({ status: 'uncollectible' });
      expect(await dues.books(client.company)).toEqual({});
      await refund(await chargeOf(id), 5n * USD, key);
      expect(await dues.invoice(id)).toMatchObject({ status: 'open', next_attempt_at: null });
      expect(await dues.books(client.company)).toEqual({ client_receivable: -due });
    }
  });

  test('what was given back of goodwill is not charged again when a dispute of the rest is won', async () => {
    const { client } = await owing();
    const id = await dues.bill(client.company);
    await dues.jobs();
    await refund(await chargeOf(id), 10n * USD, 'one');
    await dispute(await chargeOf(id), 'needs_response', 2000);
    await dispute(await chargeOf(id), 'won', 2000);
    await dues.look();
    expect(await dues.taken(client.company)).toBe(2000);
    expect(await dues.invoice(id)).toMatchObject({
      status: 'open',
      next_attempt_at: null,
      first_failed_at: null,
    });
    expect(await dues.flags(client.company)).toEqual(['', '']);
  });

  test('of one charge more than once too much may have been paid: each goes back', async () => {
    const { agency, client } = await owing({ card: 'authenticate' });
    const id = await dues.bill(client.company);
    await dues.jobs();
    await credit(id, '10.00', agency);
    await confirm(id);
    expect(await dues.taken(client.company)).toBe(2000);
    const first = await chargeOf(id);
    await dispute(first, 'needs_response', 2000);
    await dues.card(client.company, 'works');
    expect((await pay(id, client, 'new card')).body.result).toBe('success');
    await dispute(first, 'won', 2000);
    await dues.jobs();
    expect(await dues.taken(client.company)).toBe(2000);
    expect(await dues.books(client.company)).toEqual({});
  });

  test('what was credited and could not be given back is taken off the next invoice', async () => {
    const { agency, client, campaign } = await owing({ card: 'refundFails' });
    const id = await dues.bill(client.company);
    await dues.jobs();
    expect((await credit(id, '10.00', agency)).status).toBe(200);
    const failed = () =>
      app.admin.query(`select 1 from refund where state = 'failed' and company_id = $1`, [client.company.id]);
    for (let i = 0; i < 60 && (await failed()).rows.length === 0; i++) await dues.passes(3_600_000);
    expect(await dues.books(client.company)).toEqual({ client_unbilled: 10_000_000 });
    expect(await dues.invoice(id)).toMatchObject({ status: 'paid', paid_micros: 20n * USD });
    await dues.lead(campaign, 15n * USD, 0n);
    expect(await dues.invoice(await dues.bill(client.company))).toMatchObject({ total_micros: 5n * USD });
  });
});

describe('[PAY-05] wholesale of what no card of a client pays', () => {
  const DAYS = [1, 2, 2, 2];
  /** What an agency reads of its invoices. */
  const read = async (agency: { host: string; email: string }, path: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: any call's answer
    (await ask('GET', `/api/billing${path}`, agency)).body as any;

  test('is charged to the agency when its period ends, as long as the client has no card', async () => {
    const { agency, client, campaign } = await owing({ card: null });
    // A client with a card pays for its part, and that is not announced to the agency.
    const other = await dues.client(agency);
    await dues.lead(await app.make.campaign(other.company), 30n * USD, 5n * USD);
    const [upcoming] = (await read(agency, '/upcoming')).data;
    expect(upcoming).toMatchObject({ total_micros: 12_000_000, lines: [{ campaign_id: campaign.id }] });
    const id = await dues.bill(client.company);
    expect(await dues.invoice(id)).toMatchObject({ status: 'open', fee_micros: 0n });
    await dues.bill(other.company);
    const own = await dues.bill(agency.company);
    await dues.jobs();
    expect(await dues.invoice(own)).toMatchObject({ status: 'paid', total_micros: 12n * USD });
    expect(await dues.taken(agency.company)).toBe(1200);
    // Paid by a card after all, it is all the agency's.
    await dues.card(client.company, 'works');
    expect((await pay(id, client, 'first card')).body.result).toBe('success');
    expect(await dues.books(client.company, agency.company)).toEqual({
      agency_revenue: 60_000_000,
      card_clearing: -60_000_000,
    });
    await dues.jobs();
  });

  test('is charged to the agency once the attempts are over, on a line that opens to it, and once only', async () => {
    const { agency, client } = await owing({ card: 'declined' });
    const id = await dues.bill(client.company);
    await dues.jobs();
    for (const days of DAYS) {
      expect((await read(agency, '/upcoming')).data).toEqual([]);
      await dues.passes(days * DAY);
    }
    expect(await dues.invoice(id)).toMatchObject({ status: 'open', next_attempt_at: null, attempts: 5 });
    expect(await dues.books(agency.company)).toEqual({
      agency_revenue: 30_000_000,
      agency_payable: -12_000_000,
    });
    expect((await dues.mails('invoice.unpaid')).find(({ to }) => to === agency.email)?.text).toContain(
      'The platform costs that it would have passed on will be on your own next invoice instead.',
    );
    const own = await dues.bill(agency.company);
    await dues.jobs();
    expect(await dues.invoice(own)).toMatchObject({ status: 'paid', total_micros: 12n * USD });
    const { lines } = await read(agency, `/invoices/${own}`);
    const { number } = await read(agency, `/invoices/${id}`);
    expect(lines).toMatchObject([
      {
        kind: 'wholesale_unpaid',
        description: `Platform costs for ${number}, not paid by card`,
        amount_micros: 12_000_000,
        event_count: 1,
      },
    ]);
    const { data } = await read(agency, `/invoices/${own}/lines/${lines[0].line}/events`);
    expect(data).toMatchObject([{ kind: 'adjustment', amount_micros: 12_000_000 }]);
    // A new card pays the client's invoice, and nothing more goes on to the root.
    await dues.card(client.company, 'works');
    expect((await pay(id, client, 'new card')).body.result).toBe('success');
    await dues.jobs();
    expect(await read(agency, `/invoices/${id}`)).toMatchObject({ status: 'paid', fee_micros: 0 });
    expect(await dues.books(client.company, agency.company)).toEqual({
      agency_revenue: 30_000_000,
      card_clearing: -30_000_000,
    });
    expect([await dues.taken(client.company), await dues.taken(agency.company)]).toEqual([3000, 1200]);
  });

  test('that the last attempt brings after all, confirmed by its holder, is not also charged to the agency', async () => {
    const { agency, client } = await owing({ card: 'authenticate' });
    const id = await dues.bill(client.company);
    await dues.jobs();
    for (const days of DAYS) await dues.passes(days * DAY);
    expect(await dues.books(agency.company)).toMatchObject({ agency_payable: -12_000_000 });
    const { rows } = await app.admin.query(
      'select id from charge where reference_id = $1 and needs_authentication',
      [id],
    );
    expect(rows).toHaveLength(1);
    const needed = await app.features.payments.core.authentication(root.id, rows[0].id);
    await app.features.payments.sandbox.authenticate(needed!.clientSecret, true);
    await app.features.payments.charges.ask(root.id, rows[0].id);
    await dues.jobs();
    expect(await read(agency, `/invoices/${id}`)).toMatchObject({ status: 'paid', fee_micros: 12_000_000 });
    expect(await dues.books(client.company, agency.company)).toEqual({
      agency_revenue: 30_000_000,
      card_clearing: -30_000_000,
    });
  });

  test('waits for no invoice that was credited down to less than a card can be charged, or was given up on before', async () => {
    const { agency, client, campaign } = await owing({ card: 'declined' });
    const old = await dues.bill(client.company);
    await dues.lead(campaign, 30n * USD, 100_000n);
    const small = await dues.bill(client.company);
    await dues.jobs();
    const credited = await ask('POST', `/api/billing/invoices/${small}/credit`, {
      ...agency,
      body: { amount: '29.60', reason: 'Goodwill', idempotencyKey: 'nearly all' },
    });
    expect([credited.status, (await dues.invoice(small)).next_attempt_at]).toEqual([200, null]);
    expect(await dues.books(agency.company)).toMatchObject({ agency_payable: -100_000 });
    await app.admin.query('update invoice set next_attempt_at = null where id = $1', [old]);
    for (let i = 0; i < 2; i++) await dues.look();
    expect(await dues.books(agency.company)).toMatchObject({ agency_payable: -12_100_000 });
  });
});

describe('[PAY-06] a payment that fails', () => {
  test('is tried again after 1, 3, 5 and 7 days at the same local hour, told each time; then campaigns pause', async () => {
    // Daylight saving time begins in between, on March 14, 2027.
    app.clock.advance(Date.parse('2027-03-11T15:30:00Z') - app.clock.now().getTime());
    const { agency, client, campaign } = await owing({ card: 'declined' });
    const other = await app.make.campaign((await dues.client(agency)).company);
    const id = await dues.bill(client.company);
    await dues.jobs();
    const began = app.clock.now().getTime();
    expect(await dues.flags(client.company)).toEqual(['failed', 'paymentfailed']);
    const hours: number[] = [];
    for (let tried = 1; tried < 5; tried++) {
      const { attempts, next_attempt_at: next } = await dues.invoice(id);
      expect([attempts, await dues.states(campaign, other)]).toEqual([tried, ['active', 'active']]);
      hours.push((next!.getTime() - began) / 3_600_000);
      await dues.passes(next!.getTime() - app.clock.now().getTime() - 1000);
      expect((await dues.invoice(id)).attempts).toBe(tried);
      await dues.passes(1000);
    }
    // One of these days has 23 hours.
    expect(hours).toEqual([24, 71, 119, 167]);
    expect(await dues.invoice(id)).toMatchObject({ attempts: 5, next_attempt_at: null, status: 'open' });
    expect(await dues.states(campaign, other)).toEqual(['paused:payment_failed', 'active']);
    const mails = (await dues.mails('invoice.failed')).filter((mail) => mail.to === client.email);
    expect(mails).toHaveLength(5);
    expect(mails[0]!.text).toContain('Your card was declined.');
    expect(mails[0]!.text).toMatch(
      /We’ll try again on March 12, 2027 at .*M Central Time\. Campaigns keep running until the last attempt/,
    );
    expect(mails[4]!.text).toMatch(/We won’t try again, and your campaigns are paused/);
    // Links to a page that opens even when access is lost.
    expect(mails[0]!.text).toContain(`/configuration/invoices?invoice=${id}`);
    // The issuer is notified at the first failure and at the last.
    for (const kind of ['invoice.first_failed', 'invoice.unpaid'])
      expect((await dues.mails(kind)).filter((mail) => mail.to === agency.email)).toHaveLength(1);

    // There is no way around it.
    const start = await ask('POST', '/api/leadspeek/client/activepause', {
      ...client,
      body: { leadspeekID: campaign.id, status: 'active' },
    });
    expect([start.status, start.body.message]).toEqual([409, ownMessages.heldUnpaid]);
    // Once it is paid, everything resumes.
    await dues.card(client.company, 'works');
    const paid = await pay(id, client, 'new card');
    expect(paid.body).toMatchObject({ result: 'success', message: 'The invoice is paid.' });
    await dues.jobs();
    expect(await dues.flags(client.company)).toEqual(['', '']);
    expect(await dues.states(campaign, other)).toEqual(['active', 'active']);
  });
});

test('[PAY-04] [PAY-06] what a company owes after its removal is invoiced, not charged, and its issuer is told', async () => {
  const remove = async ({ id }: Company) => {
    await app.admin.query(`update campaign set state = 'archived' where company_id = $1`, [id]);
    await app.admin.query('update company set removed_at = $2 where id = $1', [id, app.clock.now()]);
  };
  const { agency, client, campaign } = await owing();
  const paid = await dues.bill(client.company);
  await dues.jobs();
  const { rows } = await app.admin.query('select id from charge where reference_id = $1', [paid]);
  await dues.lead(campaign, 15n * USD, 5n * USD);
  const other = await dues.client(agency);
  await dues.lead(await app.make.campaign(other.company), 20n * USD, 5n * USD);
  await remove(client.company);
  await app.features.payments.core.dispute(root.id, rows[0].id, {
    id: 'after removal',
    status: 'needs_response',
    reason: 'fraudulent',
    amountCents: 3000,
  });
  app.clock.advance(35 * DAY);
  await app.features.invoices.close(root.id);
  await dues.jobs();
  const last = async ({ id }: Company) =>
    (await app.admin.query('select id from invoice where company_id = $1 order by seq desc limit 1', [id]))
      .rows[0].id as string;
  expect(await dues.invoice(await last(other.company))).toMatchObject({ status: 'paid' });
  const id = await last(client.company);
  expect(await dues.invoice(id)).toMatchObject({
    total_micros: 15n * USD,
    status: 'open',
    next_attempt_at: null,
    last_failure: ownMessages.payerRemoved,
  });
  expect(await dues.books(client.company)).toEqual({ client_receivable: -45_000_000 });
  expect(await dues.taken(client.company)).toBe(3000);
  const to = async (kind: string, email: string) =>
    (await dues.mails(kind)).filter((mail) => mail.to === email).map(({ text }) => text);
  expect(await to('payment.disputed', agency.email)).toHaveLength(1);
  const told = await to('invoice.unpaid', agency.email);
  expect(told).toHaveLength(2);
  for (const text of told) expect(text).toContain('write the invoice off');
  expect(await to('invoice.failed', client.email)).toEqual([]);

  // The same for an agency, and its clients.
  await dues.fee(agency.company, 9n * USD);
  await dues.lead(await app.make.campaign(other.company), 7n * USD, 0n);
  await remove(agency.company);
  await remove(other.company);
  app.clock.advance(35 * DAY);
  await app.features.invoices.close(root.id);
  await dues.jobs();
  expect(await dues.invoice(await last(agency.company))).toMatchObject({
    last_failure: ownMessages.payerRemoved,
  });
  expect(await dues.invoice(await last(other.company))).toMatchObject({ total_micros: 7n * USD });
  expect(await to('invoice.unpaid', 'boss@root.test')).toHaveLength(1);
});

test('[PAY-03] each mail of all that says the amounts of the ledger', async () => {
  const { compared, differing } = await compareMails(app);
  expect(differing).toEqual([]);
  expect(compared).toBeGreaterThan(20);
});

test('[PAY-06] scheduled work about money goes on with the other roots when one fails', async () => {
  const handlers = new Map<string, (payload: object) => Promise<void>>();
  const scheduled: string[] = [];
  const { jobs } = app.platform;
  const keep = async (kind: JobKind, _options: object, handler: (payload: object) => Promise<void>) =>
    void handlers.set(kind.name, handler);
  Object.assign(jobs, { work: keep, schedule: async (kind: JobKind) => void scheduled.push(kind.name) });
  const { tenants } = app.features;
  const { roots, eachRoot } = tenants;
  let times = 0;
  try {
    for (const { name, ...feature } of FEATURES) {
      const { work } = feature as Pick<Feature<never>, 'work'>;
      if (!name.startsWith('money/') || !work) continue;
      const working = await work(app.features as never, app.platform);
      await working?.stop?.();
    }
    tenants.roots = () => Promise.reject(new Error('one fails, and the others wait'));
    tenants.eachRoot = async () => void times++;
    expect(scheduled).toEqual(expect.arrayContaining(['collection.collect', 'collection.packages']));
    for (const name of scheduled) await handlers.get(name)!({});
  } finally {
    Object.assign(tenants, { roots, eachRoot });
    for (const method of ['work', 'schedule']) Reflect.deleteProperty(jobs, method);
  }
  expect(times).toBeGreaterThan(10);
});
