import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ownMessages } from '../../../../contract/messages.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { SandboxGateway } from '../../../providers/sandbox-cards/index.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { TEST_PURPOSE, walletPurpose } from '../../../test/wallet-purpose.ts';
import type { ChargeAsk } from './index.ts';

const HOUR = 3_600_000;
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
/** The step of a charge at which to throw. */
let dieAt: string | null = null;

class Killed extends Error {}

beforeAll(async () => {
  app = await testApp({
    cards: {
      answerTimeoutMs: 5_000,
      wait: async () => {},
      onStep: (step) => {
        if (step === dieAt) throw new Killed(step);
      },
    },
  });
  app.features.payments.charges.onSettled(TEST_PURPOSE, walletPurpose(app.features.wallet));
  root = await app.make.root({ host: 'root.test' });
});
afterAll(() => app?.close());

beforeEach(async () => {
  dieAt = null;
  agency = await app.make.agency(root);
  await app.features.billing.accounts.sandboxAccount(owner(agency), 'approve');
  client = await app.make.client(agency);
});

const owner = (company: Company) => ({
  root_id: company.root_id,
  agency_id: company.agency_id!,
  company_id: company.id,
});
const network = () => app.features.payments.gateway as SandboxGateway;

/** Puts a test card on file using the form. */
async function cardOf(company: Company, number = '4242424242424242', passes = true): Promise<void> {
  const { cards } = app.features.payments;
  const form = await cards.start(owner(company));
  const entered = await network().enterCard(form.clientSecret, {
    number,
    expMonth: 12,
    expYear: 30,
    cvc: '123',
  });
  if (entered.status === 'authenticate') await network().authenticateCard(form.clientSecret, passes);
  await cards.finish(owner(company), form.setup);
}

let keys = 0;
const ask = (given: Partial<ChargeAsk> = {}): ChargeAsk => ({
  owner: owner(agency),
  purpose: TEST_PURPOSE,
  referenceId: agency.id,
  amountMicros: 50_000_000n,
  key: `k${++keys}`,
  description: 'Onboarding',
  ...given,
});
const charges = () => app.features.payments.charges;
/** The amount that the card network actually took from the agency, in cents. */
async function taken(account = ''): Promise<number> {
  const listed = await network().listCharges({ since: new Date(0), ...(account ? { account } : {}) });
  const { rows } = await app.admin.query(
    'select reference from payment_customer where company_id = any($1)',
    [[agency.id, client.id]],
  );
  const mine = new Set(rows.map((row) => row.reference));
  return listed
    .filter((one) => one.status === 'succeeded' && mine.has(one.customer))
    .reduce((sum, one) => sum + one.amountCents - one.refundedCents, 0);
}
/** The agency's wallet and debt, in micro-dollars, and the root's clearing account for this agency. */
async function books() {
  const { rows } = await app.admin.query(
    `select e.account_code as code, sum(e.amount)::bigint as amount from entry e join transfer t on t.id = e.transfer_id
     where t.company_id = $1 group by 1`,
    [agency.id],
  );
  const of = (code: number) => rows.find((row) => row.code === code)?.amount ?? 0n;
  return { wallet: of(10), payable: of(11), clearing: of(30) };
}
const stateOf = async (id: string) =>
  (await app.admin.query('select * from charge where id = $1', [id])).rows[0] as {
    state: string;
    attempts: number;
    next_ask_at: Date | null;
    provider_reference: string;
    needs_authentication: boolean;
  };
const only = async () =>
  (await app.admin.query('select * from charge where company_id = $1 order by id', [agency.id])).rows;
const refusal = (work: Promise<unknown>) =>
  work.then(
    (answer) => ({ code: 'answered', answer }),
    (error) => ({ code: error.code ?? error.name, message: error.message, errors: error.errors }),
  );
const passes = async (ms: number) => {
  app.clock.advance(ms);
  await app.features.payments.askDue();
};
/** Delivers what the sandbox has sent so far. */
const deliver = () => app.features.payments.attendNotices();

describe('charges', () => {
  test('[PAY-02] an agency is charged once: card, provider and ledger agree', async () => {
    await cardOf(agency);
    const asked = ask();
    const first = await charges().charge(asked);
    expect(first).toMatchObject({
      status: 'succeeded',
      charge: { state: 'succeeded', last4: '4242', account: '' },
    });
    const again = await charges().charge(asked);
    expect(again.charge.id).toBe(first.charge.id);
    expect(await taken()).toBe(5000);
    expect(await books()).toEqual({ wallet: 50_000_000n, payable: 0n, clearing: -50_000_000n });
    expect(await refusal(charges().charge({ ...asked, amountMicros: 60_000_000n }))).toMatchObject({
      code: 'conflict',
      errors: { idempotency_key: expect.any(Array) },
    });
  });

  test('[PAY-02] twenty at once with one key are one charge; with twenty keys at most one is under way', async () => {
    await cardOf(agency);
    const asked = ask();
    const all = await Promise.all(Array.from({ length: 20 }, () => charges().charge(asked)));
    expect(new Set(all.map((one) => one.charge.id)).size).toBe(1);
    expect(await taken()).toBe(5000);
    // A lost response keeps the charge in progress: nothing else is charged for the same thing.
    await cardOf(agency, '4000000009000037');
    const many = await Promise.all(Array.from({ length: 20 }, () => refusal(charges().charge(ask()))));
    expect(many.filter((one) => one.code === 'answered')).toHaveLength(1);
    expect(many.filter((one) => one.code === 'conflict')).toHaveLength(19);
    expect(await taken()).toBe(10_000);
  });

  test.each([
    [0n, 'must be at least'],
    [-50_000_000n, 'must be at least'],
    [490_000n, 'must be at least'],
    [50_000_001n, 'whole cents'],
    [1_000_000_000_000n, 'must not exceed'],
  ])('[PAY-02] %d micro-dollars are refused before anything is written', async (amountMicros, rule) => {
    await cardOf(agency);
    const refused = await refusal(charges().charge(ask({ amountMicros })));
    expect(refused).toMatchObject({ code: 'invalid', message: expect.stringContaining(rule) });
    expect(await only()).toEqual([]);
  });

  test('[PAY-02] a decline stays a decline under its key; a new key tries again', async () => {
    await cardOf(agency, '4000000009000011');
    const asked = ask();
    const declined = await charges().charge(asked);
    expect(declined).toMatchObject({
      status: 'declined',
      code: 'insufficient_funds',
      needsAuthentication: false,
    });
    expect(await charges().charge(asked)).toMatchObject({ status: 'declined' });
    expect(await books()).toEqual({ wallet: 0n, payable: 0n, clearing: 0n });
    expect(await charges().charge(ask())).toMatchObject({ status: 'succeeded' });
    expect(await taken()).toBe(5000);
  });

  test('[PAY-02] without a card, or with an account that cannot charge, nothing is asked for', async () => {
    expect(await refusal(charges().charge(ask()))).toMatchObject({ code: 'conflict' });
    const forClient = ask({ owner: owner(client), referenceId: client.id, feeMicros: 1_000_000n });
    await cardOf(client);
    const account = (
      await app.admin.query('select reference from connected_account where company_id = $1', [agency.id])
    ).rows[0].reference;
    expect((await charges().charge(forClient)).charge).toMatchObject({ account, feeMicros: 1_000_000n });
    expect(await taken(account)).toBe(5000);
    await app.features.billing.accounts.sandboxAccount(owner(agency), 'reject');
    expect(await refusal(charges().charge({ ...forClient, key: 'other' }))).toMatchObject({
      code: 'conflict',
    });
    expect(await taken(account)).toBe(5000);
    // Another account knows nothing of the card.
    await app.features.billing.accounts.sandboxAccount(owner(agency), 'reset');
    await app.features.billing.accounts.sandboxAccount(owner(agency), 'approve');
    expect(await refusal(charges().charge({ ...forClient, key: 'third' }))).toMatchObject({
      code: 'conflict',
    });
  });

  test('[PAY-02] an intent of a transaction is sent after it, and is nothing when it rolls back', async () => {
    await cardOf(agency);
    const scope = { rootId: root.id };
    const within = <T>(work: (tx: Tx) => Promise<T>) => inScope(app.platform.db.app, scope, work);
    const gone = within(async (tx) => {
      await charges().intend(tx, ask());
      throw new Error('rolled back');
    });
    await expect(gone).rejects.toThrow('rolled back');
    const id = await within((tx) => charges().intend(tx, ask()));
    expect(await within((tx) => charges().intend(tx, ask()))).toBeNull();
    expect((await stateOf(id!)).state).toBe('intended');
    expect(await taken()).toBe(0);
    await passes(15_000);
    expect((await stateOf(id!)).state).toBe('succeeded');
    expect([await taken(), (await only()).length]).toEqual([5000, 1]);
  });
});

describe('lost answers', () => {
  test('[PAY-02] charged, but the answer was lost: unknown, then booked once', async () => {
    await cardOf(agency, '4000000009000037');
    const asked = ask();
    const lost = await charges().charge(asked);
    expect(lost).toMatchObject({ status: 'unknown', charge: { state: 'unknown' } });
    expect(await charges().charge(asked)).toMatchObject({
      status: 'unknown',
      charge: { id: lost.charge.id },
    });
    expect(await refusal(charges().charge(ask()))).toMatchObject({ code: 'conflict' });
    expect(await books()).toMatchObject({ wallet: 0n });
    await passes(14_999);
    expect((await stateOf(lost.charge.id)).state).toBe('unknown');
    await passes(1);
    expect((await stateOf(lost.charge.id)).state).toBe('succeeded');
    await passes(HOUR);
    expect([await taken(), (await books()).wallet]).toEqual([5000, 50_000_000n]);
  });

  test('[PAY-02] a late answer is asked for at 15 s, 1, 5, 15 and 60 minutes', async () => {
    await cardOf(agency, '4000000009000029');
    const find = network().findCharge;
    const asked: number[] = [];
    const begun = app.clock.now().getTime();
    network().findCharge = async () => {
      asked.push((app.clock.now().getTime() - begun) / 1000);
      return { status: 'unknown', why: 'no response' };
    };
    try {
      const { charge } = await charges().charge(ask());
      for (let at = 0; at < 4 * 3600; at += 5) {
        app.clock.advance(5_000);
        if ((await stateOf(charge.id)).next_ask_at! <= app.clock.now()) await app.features.payments.askDue();
      }
      expect(asked).toEqual([15, 60, 300, 900, 3600, 7200, 10_800, 14_400]);
    } finally {
      network().findCharge = find;
    }
  });

  test('[PAY-02] what never arrived is sent again under the same key, and given up after an hour', async () => {
    await cardOf(agency);
    const { charge } = network();
    const sent: string[] = [];
    const away = async (request: { idempotencyKey: string }) => {
      sent.push(request.idempotencyKey);
      return { status: 'unknown' as const, why: 'lost on the way' };
    };
    network().charge = away;
    try {
      const one = await charges().charge(ask());
      await passes(15_000);
      expect(sent).toEqual([one.charge.id, one.charge.id]);
      network().charge = charge;
      await passes(45_000);
      expect((await stateOf(one.charge.id)).state).toBe('succeeded');
      expect(await taken()).toBe(5000);

      network().charge = away;
      const two = await charges().charge(ask());
      for (const ms of [15_000, 45_000, 240_000, 600_000, 2_700_000]) await passes(ms);
      expect((await stateOf(two.charge.id)).state).toBe('canceled');
      expect(await taken()).toBe(5000);
      network().charge = charge;
      expect(await charges().charge(ask())).toMatchObject({ status: 'succeeded' });
      expect([await taken(), (await books()).wallet]).toEqual([10_000, 100_000_000n]);
    } finally {
      network().charge = charge;
    }
  });
});

describe('a process that dies in a charge', () => {
  test.each([
    ['before intent', 0],
    ['intent', 1],
    ['claimed', 1],
    ['answer', 1],
    ['posting', 1],
  ])('[PAY-02] %s: what is asked later finds out, and money is taken and booked once', async (step, made) => {
    for (const number of ['4242424242424242', '4000000000000341']) {
      await cardOf(agency, number);
      const before = [await taken(), (await books()).wallet, (await only()).length] as const;
      const asked = ask();
      dieAt = step;
      expect((await refusal(charges().charge(asked))).code).toBe('Error');
      dieAt = null;
      expect((await only()).length - before[2]).toBe(made);
      await passes(15_000);
      const state = number === '4242424242424242' ? 'succeeded' : 'declined';
      // Calling again with the same key returns the same charge.
      const result = await charges().charge(asked);
      expect(result.status).toBe(state);
      await passes(HOUR);
      const cents = state === 'succeeded' ? 5000 : 0;
      expect((await taken()) - before[0]).toBe(cents);
      expect((await books()).wallet - before[1]).toBe(BigInt(cents) * 10_000n);
      expect((await only()).length - before[2]).toBe(1);
    }
  });
});

describe('3-D Secure', () => {
  test('[PAY-02] the holder completes a declined charge, and the notice books it', async () => {
    await cardOf(agency, '4000002760003184');
    const declined = await charges().charge(ask());
    expect(declined).toMatchObject({ status: 'declined', needsAuthentication: true });
    const { core } = app.features.payments;
    const needed = await core.authentication(root.id, declined.charge.id);
    expect(JSON.stringify(await only())).not.toContain(needed!.clientSecret);
    await network().authenticateCharge(needed!.clientSecret, true);
    await deliver();
    expect(await stateOf(declined.charge.id)).toMatchObject({
      state: 'succeeded',
      needs_authentication: false,
    });
    expect([await taken(), (await books()).wallet]).toEqual([5000, 50_000_000n]);
    expect(await core.authentication(root.id, declined.charge.id)).toBeNull();
  });

  test('[PAY-02] who pays again ends the one before; who was faster is not charged twice', async () => {
    await cardOf(agency, '4000002760003184');
    const first = await charges().charge(ask());
    const secret = (await app.features.payments.core.authentication(root.id, first.charge.id))!.clientSecret;
    const second = await charges().charge(ask());
    expect(second).toMatchObject({ status: 'declined', needsAuthentication: true });
    await network().authenticateCharge(secret, true);
    await deliver();
    expect([(await stateOf(first.charge.id)).state, await taken()]).toEqual(['declined', 0]);
    // The second is completed before the third is asked for.
    const next = (await app.features.payments.core.authentication(root.id, second.charge.id))!.clientSecret;
    await network().authenticateCharge(next, true);
    expect(await refusal(charges().charge(ask()))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('has since confirmed'),
    });
    expect([await taken(), (await books()).wallet]).toEqual([5000, 50_000_000n]);
  });
});

describe('[PAY-09] refunds', () => {
  const refund = (chargeId: string, amountMicros: bigint | undefined, key = `r${++keys}`) =>
    charges().refund({
      rootId: root.id,
      chargeId,
      key,
      reason: 'asked',
      ...(amountMicros === undefined ? {} : { amountMicros }),
    });

  test('in parts, each once by its key, and never more than there was', async () => {
    await cardOf(agency);
    const { charge } = await charges().charge(ask());
    const part = await refund(charge.id, 20_000_000n, 'one');
    expect(part).toMatchObject({ status: 'succeeded', amountMicros: 20_000_000n });
    expect((await refund(charge.id, 20_000_000n, 'one')).id).toBe(part.id);
    expect(await refusal(refund(charge.id, 10_000_000n, 'one'))).toMatchObject({ code: 'conflict' });
    expect(await refusal(refund(charge.id, 31_000_000n))).toMatchObject({ code: 'conflict' });
    expect(await refusal(refund(charge.id, 0n))).toMatchObject({ code: 'invalid' });
    expect(await books()).toEqual({ wallet: 30_000_000n, payable: 0n, clearing: -30_000_000n });
    await refund(charge.id, undefined);
    expect([(await stateOf(charge.id)).state, await taken()]).toEqual(['refunded', 0]);
    expect(await books()).toEqual({ wallet: 0n, payable: 0n, clearing: 0n });
    expect(await refusal(refund(charge.id, undefined))).toMatchObject({ code: 'conflict' });
    expect(await refusal(refund(newId(app.clock.now()), undefined))).toMatchObject({ code: 'not_found' });
  });

  test('what has been spent is not given back', async () => {
    await cardOf(agency);
    const { charge } = await charges().charge(ask());
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.wallet.debit(
        tx,
        { rootId: root.id, agencyId: agency.id, amountMicros: 45_000_000n, key: 'spent' },
        app.clock.now(),
      ),
    );
    expect(await refusal(refund(charge.id, 10_000_000n))).toMatchObject({ code: 'conflict' });
    expect(await taken()).toBe(5000);
    expect(await refund(charge.id, 5_000_000n)).toMatchObject({ status: 'succeeded' });
    expect([await taken(), (await books()).wallet]).toEqual([4500, 0n]);
  });

  test('a refund that fails an hour later puts the money back', async () => {
    await cardOf(agency, '4000000000005126');
    const { charge } = await charges().charge(ask());
    expect(await refund(charge.id, undefined)).toMatchObject({ status: 'succeeded' });
    expect((await books()).wallet).toBe(0n);
    app.clock.advance(HOUR + 1000);
    await deliver();
    expect((await stateOf(charge.id)).state).toBe('succeeded');
    expect([await taken(), (await books()).wallet]).toEqual([5000, 50_000_000n]);
  });

  test('a refund whose answer was lost is asked for and booked once', async () => {
    await cardOf(agency);
    const { charge } = await charges().charge(ask());
    const real = network().refund;
    network().refund = async (request) => {
      await real(request);
      return { status: 'unknown', why: 'lost' };
    };
    const lost = await refund(charge.id, 20_000_000n).finally(() => {
      network().refund = real;
    });
    expect(lost.status).toBe('unknown');
    expect((await books()).wallet).toBe(30_000_000n);
    await passes(15_000);
    const { rows } = await app.admin.query('select state from refund where charge_id = $1', [charge.id]);
    expect([rows, await taken(), (await books()).wallet]).toEqual([
      [{ state: 'succeeded' }],
      3000,
      30_000_000n,
    ]);
  });

  test('a charge that was settled by hand is refunded like others, as soon as the provider knows it', async () => {
    await cardOf(agency, '4000000009000037');
    const charged = (await charges().charge(ask())) as { charge: { id: string } };
    const note = async () => {};
    await app.features.payments.core.settle(
      root.id,
      charged.charge.id,
      { status: 'succeeded', charge: '', amountCents: 5000, applicationFeeCents: 0 },
      { reason: 'Seen in the dashboard', note },
    );
    const { findCharge } = network();
    network().findCharge = async () => ({ status: 'none' });
    expect(
      await refusal(
        refund(charged.charge.id, 20_000_000n).finally(() => {
          network().findCharge = findCharge;
        }),
      ),
    ).toMatchObject({ code: 'conflict', message: ownMessages.notAtProvider });
    expect(await refund(charged.charge.id, 20_000_000n)).toMatchObject({ status: 'succeeded' });
    expect([await taken(), await books()]).toEqual([
      3000,
      { wallet: 30_000_000n, payable: 0n, clearing: -30_000_000n },
    ]);
  });

  const refundsOf = async (chargeId: string) =>
    (
      await app.admin.query(
        'select amount_cents, state, idempotency_key from refund where charge_id = $1 order by amount_cents',
        [chargeId],
      )
    ).rows;
  /** Refunds a charge at the provider. */
  const refundThere = async (charge: { id: string }, amountCents: number, key = `there${++keys}`) => {
    const { provider_reference } = await stateOf(charge.id);
    return network().refund({ charge: provider_reference, amountCents, idempotencyKey: key });
  };
  const spend = (amountMicros: bigint) =>
    inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.wallet.debit(
        tx,
        { rootId: root.id, agencyId: agency.id, amountMicros, key: `spent${++keys}` },
        app.clock.now(),
      ),
    );

  test('a refund made here is booked once, also if its notice arrives before its answer', async () => {
    await cardOf(agency);
    const { charge } = await charges().charge(ask());
    await deliver();
    const real = network().refund;
    network().refund = async (request) => {
      const answer = await real(request);
      await deliver();
      return answer;
    };
    await refund(charge.id, 20_000_000n).finally(() => {
      network().refund = real;
    });
    await deliver();
    await app.features.payments.refunds.hear(root.id, charge.id);
    expect(await refundsOf(charge.id)).toEqual([
      { amount_cents: 2000, state: 'succeeded', idempotency_key: expect.not.stringMatching(/^outside/) },
    ]);
    expect([await taken(), await books()]).toEqual([
      3000,
      { wallet: 30_000_000n, payable: 0n, clearing: -30_000_000n },
    ]);
  });

  test('a refund made at the provider is booked once, however often and at once it is reported; what was spent is owed', async () => {
    await cardOf(agency);
    const { charge } = await charges().charge(ask());
    await spend(40_000_000n);
    await refund(charge.id, 5_000_000n);
    const { refund: there } = (await refundThere(charge, 2000)) as { refund: string };
    const { hear } = app.features.payments.refunds;
    await Promise.all([deliver(), hear(root.id, charge.id), hear(root.id, charge.id)]);
    await deliver();
    expect(await refundsOf(charge.id)).toMatchObject([
      { amount_cents: 500 },
      { amount_cents: 2000, state: 'succeeded', idempotency_key: `outside:${there}` },
    ]);
    expect(await books()).toEqual({ wallet: 0n, payable: -15_000_000n, clearing: -25_000_000n });
    const { rows } = await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id
       where l.action = 'payment.refunded' and l.object_id = $1`,
      [charge.id],
    );
    expect(rows).toEqual([{ description: 'Booked a refund of $20.00 that was made at the card provider' }]);
    await refundThere(charge, 2500);
    await deliver();
    expect((await stateOf(charge.id)).state).toBe('refunded');
    expect(await refusal(refund(charge.id, undefined))).toMatchObject({ code: 'conflict' });
  });

  test('a refund made at the provider under the key of another one is not taken for it', async () => {
    await cardOf(agency);
    const { charge } = await charges().charge(ask());
    const ours = await refund(charge.id, 10_000_000n);
    const { listRefunds } = network();
    network().listRefunds = async (input) =>
      (await listRefunds(input)).map((one) => ({ ...one, refundKey: ours.id }));
    await refundThere(charge, 1000);
    await deliver().finally(() => {
      network().listRefunds = listRefunds;
    });
    expect(await refundsOf(charge.id)).toHaveLength(2);
    expect(await books()).toEqual({ wallet: 30_000_000n, payable: 0n, clearing: -30_000_000n });
  });

  test('one made at the provider that fails later puts everything back', async () => {
    await cardOf(agency, '4000000000005126');
    const { charge } = await charges().charge(ask());
    await spend(40_000_000n);
    await refundThere(charge, 5000);
    await deliver();
    expect(await books()).toEqual({ wallet: 0n, payable: -40_000_000n, clearing: 0n });
    app.clock.advance(HOUR + 1000);
    await deliver();
    expect((await stateOf(charge.id)).state).toBe('succeeded');
    expect(await books()).toEqual({ wallet: 10_000_000n, payable: 0n, clearing: -50_000_000n });
  });

  test('one that is pending at the provider is asked for until it is through', async () => {
    await cardOf(agency, '4000000000007726');
    const { charge } = await charges().charge(ask());
    await refundThere(charge, 5000);
    await deliver();
    expect(await refundsOf(charge.id)).toMatchObject([{ state: 'pending' }]);
    await network().sendNotices(async () => {});
    await passes(HOUR + 1000);
    expect(await refundsOf(charge.id)).toMatchObject([{ state: 'succeeded' }]);
    expect(await books()).toEqual({ wallet: 0n, payable: 0n, clearing: 0n });
  });

  test('one that took what one of ours was asking for is booked once ours has failed', async () => {
    await cardOf(agency);
    const { charge } = await charges().charge(ask());
    await deliver();
    const real = network().refund;
    network().refund = async (request) => {
      await real({ ...request, idempotencyKey: 'faster' });
      await deliver();
      // Ours holds the amount, so theirs waits.
      expect(await refundsOf(charge.id)).toHaveLength(1);
      return real(request);
    };
    expect(
      await refund(charge.id, undefined).finally(() => {
        network().refund = real;
      }),
    ).toMatchObject({ status: 'failed' });
    await deliver();
    expect((await refundsOf(charge.id)).map(({ state }) => state).sort()).toEqual(['failed', 'succeeded']);
    expect(await books()).toMatchObject({ clearing: 0n });
  });
});

const post = (body: string, headers: Record<string, string>) =>
  app.server.inject({
    method: 'POST',
    url: '/api/payment/notice',
    headers: { host: 'anything.example', 'content-type': 'application/json', ...headers },
    payload: body,
  });

describe('[PAY-02] notices', () => {
  /** What the sandbox would send now, taken off its queue. */
  async function outgoing() {
    const all: { body: string; headers: Record<string, string> }[] = [];
    await network().sendNotices(async ({ body, headers }) => {
      all.push({ body, headers: { ...headers } });
    });
    return all;
  }
  const about = (all: Awaited<ReturnType<typeof outgoing>>, kind: string) =>
    all.find(({ body }) => JSON.parse(body).kind === kind)!;

  test('twice, in any order, late or not at all: booked once', async () => {
    await cardOf(agency, '4000000009000037');
    await outgoing();
    const { charge } = await charges().charge(ask());
    const all = await outgoing();
    const told = about(all, 'charge.succeeded');
    const answers = await Promise.all([told, told, told].map(({ body, headers }) => post(body, headers)));
    expect(answers.map((one) => one.statusCode)).toEqual([200, 200, 200]);
    expect((await post(told.body, told.headers)).json()).toMatchObject({ outcome: 'duplicate' });
    expect((await stateOf(charge.id)).state).toBe('succeeded');
    expect([await taken(), (await books()).wallet]).toEqual([5000, 50_000_000n]);
    const { rows } = await app.admin.query(
      "select count(*)::int as n from payment_notice where content->>'chargeKey' = $1",
      [charge.id],
    );
    expect(rows[0].n).toBe(1);
  });

  test('forged, altered, stale and unreadable ones are refused and change nothing', async () => {
    await cardOf(agency, '4000000009000037');
    await outgoing();
    const { charge } = await charges().charge(ask());
    const { body, headers } = about(await outgoing(), 'charge.succeeded');
    const refused = [
      await post(body, {}),
      await post(body, { 'sandbox-signature': `${headers['sandbox-signature']!.slice(0, -2)}00` }),
      await post(body.replace('charge.succeeded', 'charge.failed'), headers),
      await post('', headers),
      await post(body, { 'sandbox-signature': 't=1,v1=00' }),
    ];
    app.clock.advance(301_000);
    refused.push(await post(body, headers));
    expect(refused.map((one) => one.statusCode)).toEqual(refused.map(() => 400));
    expect((await stateOf(charge.id)).state).toBe('unknown');
    const large = await post(JSON.stringify({ x: 'y'.repeat(300_000) }), headers);
    expect(large.statusCode).toBe(413);
  });

  test('a dispute takes what is left of the lot, the rest is owed; won, it all goes back', async () => {
    await cardOf(agency);
    const { charge } = await charges().charge(ask());
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.wallet.debit(
        tx,
        { rootId: root.id, agencyId: agency.id, amountMicros: 20_000_000n, key: 'spent' },
        app.clock.now(),
      ),
    );
    const { core } = app.features.payments;
    const dispute = (status: string) =>
      core.dispute(root.id, charge.id, {
        id: `dp_${charge.id}`,
        status,
        reason: 'fraudulent',
        amountCents: 5000,
      });
    expect(await dispute('warning_needs_response')).toContain('inquiry');
    expect(await dispute('needs_response')).toBe('open');
    expect(await dispute('needs_response')).toBe('known');
    expect((await stateOf(charge.id)).state).toBe('disputed');
    expect(await books()).toEqual({ wallet: 0n, payable: -20_000_000n, clearing: 0n });
    expect(await dispute('won')).toBe('won');
    expect(await dispute('won')).toBe('known');
    expect((await stateOf(charge.id)).state).toBe('succeeded');
    expect(await books()).toEqual({ wallet: 30_000_000n, payable: 0n, clearing: -50_000_000n });
  });

  test('of two disputes of one charge, one is won: it stays disputed, and only that part comes back', async () => {
    await cardOf(agency);
    const { charge } = await charges().charge(ask());
    const dispute = (id: string, status: string) =>
      app.features.payments.core.dispute(root.id, charge.id, {
        id: `${id}_${charge.id}`,
        status,
        reason: 'fraudulent',
        amountCents: 2000,
      });
    await dispute('dp1', 'needs_response');
    await dispute('dp2', 'needs_response');
    await dispute('dp1', 'won');
    expect((await stateOf(charge.id)).state).toBe('disputed');
    expect(await books()).toEqual({ wallet: 30_000_000n, payable: 0n, clearing: -30_000_000n });
    const asked = charges().refund({ rootId: root.id, chargeId: charge.id, key: 'both', reason: 'asked' });
    expect(await refusal(asked)).toMatchObject({ code: 'conflict' });
    await dispute('dp2', 'won');
    expect((await stateOf(charge.id)).state).toBe('succeeded');
    expect(await books()).toEqual({ wallet: 50_000_000n, payable: 0n, clearing: -50_000_000n });
  });

  test('a dispute by notice, lost in the end, and closed before it was opened', async () => {
    await cardOf(agency, '4000000000000259');
    const { charge } = await charges().charge(ask());
    await deliver();
    app.clock.advance(8 * 86_400_000);
    const all = await outgoing();
    const [opened, closed] = [about(all, 'dispute.opened'), about(all, 'dispute.closed')];
    expect((await post(closed.body, closed.headers)).statusCode).toBe(200);
    expect(await books()).toEqual({ wallet: 0n, payable: 0n, clearing: 0n });
    expect((await post(opened.body, opened.headers)).statusCode).toBe(200);
    const { rows } = await app.admin.query(
      'select state, is_booked from payment_dispute where charge_id = $1',
      [charge.id],
    );
    expect(rows).toEqual([{ state: 'lost', is_booked: true }]);
    expect(await books()).toEqual({ wallet: 0n, payable: 0n, clearing: 0n });
  });

  test('a notice that cannot be handled yet is kept and taken up again', async () => {
    await cardOf(agency, '4000000009000037');
    await outgoing();
    const { charge } = await charges().charge(ask());
    const told = about(await outgoing(), 'charge.succeeded');
    dieAt = 'posting';
    expect((await post(told.body, told.headers)).statusCode).toBe(200);
    expect((await stateOf(charge.id)).state).toBe('unknown');
    dieAt = null;
    await deliver();
    expect((await stateOf(charge.id)).state).toBe('succeeded');
    expect((await books()).wallet).toBe(50_000_000n);
  });

  test("the provider's word on an account is kept", async () => {
    await network().requireMore(
      (await app.admin.query('select reference from connected_account where company_id = $1', [agency.id]))
        .rows[0].reference,
      ['external_account'],
    );
    await deliver();
    const { rows } = await app.admin.query(
      'select status, requirements from connected_account where company_id = $1',
      [agency.id],
    );
    expect(rows[0]).toEqual({ status: 'pending', requirements: ['external_account'] });
  });
});

describe('comparison with the provider', () => {
  const open = async () =>
    (
      await app.admin.query(
        'select kind, ours, theirs, provider_reference from payment_mismatch where company_id = $1 and resolved_at is null order by kind',
        [agency.id],
      )
    ).rows;
  const compare = () => app.features.payments.checks.compare(root.id);

  test('[PAY-02] finds what is only there, only here, and given back there; agreement ends a difference', async () => {
    await cardOf(agency);
    const { charge } = await charges().charge(ask());
    await compare();
    expect(await open()).toEqual([]);
    const { provider_reference: reference } = await stateOf(charge.id);
    const { rows } = await app.admin.query('select customer, card from charge where id = $1', [charge.id]);
    const outside = await network().charge({
      ...rows[0],
      amountCents: 777,
      currency: 'usd',
      idempotencyKey: 'outside',
      description: 'By hand',
    });
    await app.admin.query('update charge set refunded_cents = 1000 where id = $1', [charge.id]);
    await compare();
    await compare();
    const found = await open();
    expect(found.map((row) => row.kind)).toEqual(['not_here', 'refund']);
    expect(found[0]).toMatchObject({
      theirs: 'charge for $7.77',
      provider_reference: (outside as { charge: string }).charge,
    });
    expect(found[1]).toMatchObject({ theirs: '$0.00 refunded', ours: '$10.00 refunded' });
    await app.admin.query('update charge set refunded_cents = 0 where id = $1', [charge.id]);
    app.clock.advance(1000);
    await compare();
    expect((await open()).map((row) => row.kind)).toEqual(['not_here']);
    // What was refunded there, and never reported, is booked by the comparison.
    await network().refund({ charge: reference, amountCents: 1000, idempotencyKey: 'outside-refund' });
    await network().sendNotices(async () => {});
    await compare();
    await compare();
    expect((await open()).map((row) => row.kind)).toEqual(['not_here']);
    expect(await books()).toEqual({ wallet: 40_000_000n, payable: 0n, clearing: -40_000_000n });
    await app.admin.query(`delete from sandbox_network where kind = 'charge' and id = $1`, [reference]);
    app.clock.advance(2 * HOUR);
    await compare();
    expect((await open()).map((row) => row.kind)).toEqual(['not_here', 'not_there']);
  });

  test('[PAY-02] a charge whose success was never told is settled by it', async () => {
    await cardOf(agency, '4000002760003184');
    const { charge } = await charges().charge(ask());
    const needed = await app.features.payments.core.authentication(root.id, charge.id);
    await network().authenticateCharge(needed!.clientSecret, true);
    await network().sendNotices(async () => {}); // dropped
    expect((await stateOf(charge.id)).state).toBe('declined');
    await compare();
    expect((await stateOf(charge.id)).state).toBe('succeeded');
    expect([await open(), (await books()).wallet]).toEqual([[], 50_000_000n]);
  });
});
