import Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../platform/clock.ts';
import { gatewayContract } from '../../test/payment-gateway.contract.ts';
import { passesLuhn } from './cards.ts';
import {
  createSandboxGateway,
  memoryStore,
  SANDBOX_CARDS,
  type SandboxStore,
  type SentNotice,
} from './index.ts';
import { createNetwork } from './network.ts';
import { signNotice } from './sign.ts';

const entry = (number: string) => ({
  number,
  expMonth: 12,
  expYear: 2030,
  cvc: number.startsWith('3') ? '1234' : '123',
});

async function open() {
  const clock = new ManualClock('2026-03-01T12:00:00Z');
  let requests = 0;
  const memory = memoryStore();
  const store: SandboxStore = {
    transaction(work) {
      requests++;
      return memory.transaction(work);
    },
  };
  const gateway = createSandboxGateway({
    store,
    clock,
    secret: Buffer.alloc(32, 7),
    onboardingUrl: (token) => `https://app.test/sandbox/${token}`,
    wait: async (ms) => clock.advance(ms),
  });
  return {
    gateway,
    clock,
    memory,
    async enterCard(start: { clientSecret: string }, number: string, passes?: boolean) {
      const result = await gateway.enterCard(start.clientSecret, entry(number));
      if (result.status === 'authenticate' && passes !== undefined)
        await gateway.authenticateCard(start.clientSecret, passes);
    },
    async authenticateCharge(clientSecret: string, passes: boolean) {
      await gateway.authenticateCharge(clientSecret, passes);
    },
    async onboard(account: string, step: 'submitted' | 'approved' | 'rejected') {
      if (step === 'rejected') await gateway.submitForm(account, 'reject');
      if (step === 'submitted') await gateway.submitForm(account, 'approve');
      else clock.advance(30_000);
    },
    async notices() {
      const taken: SentNotice[] = [];
      await gateway.sendNotices(async (notice) => void taken.push(notice));
      return taken;
    },
    async refundThere(charge: string, amountCents: number) {
      await gateway.refund({ charge, amountCents, idempotencyKey: `there-${charge}-${amountCents}` });
    },
    async payOut() {
      clock.advance(86_400_000);
    },
    async captured(account = '') {
      const rows = JSON.parse(memory.dump()) as [string, { kind: string; json: string }][];
      return rows
        .filter(([, row]) => row.kind === 'charge')
        .map(([, row]) => JSON.parse(row.json))
        .filter(
          (charge) => charge.account === account && (!charge.declined || charge.later === 'authenticated'),
        )
        .map((charge) => charge.amountCents as number);
    },
    requests: () => requests,
    async settle() {
      clock.advance(60_000);
    },
    async close() {},
  };
}

gatewayContract('sandbox', open);

describe('the sandbox', () => {
  const setUp = async (number = '4242424242424242') => {
    const bench = await open();
    const { gateway } = bench;
    const customer = await gateway.createCustomer({ reference: 'c', idempotencyKey: 'customer' });
    const begun = await gateway.startCard({ customer, idempotencyKey: 'start' });
    await bench.enterCard(begun, number, true);
    const end = await gateway.finishCard(begun);
    const card = end.status === 'saved' ? end.card.id : '';
    const charge = (idempotencyKey: string) =>
      gateway.charge({
        customer,
        card,
        amountCents: 5000,
        currency: 'usd',
        idempotencyKey,
        description: 'x',
      });
    const kinds = async () =>
      (await bench.notices()).map(({ body, headers }) => gateway.readNotice(body, headers));
    return { ...bench, begun, customer, card, charge, kinds };
  };

  test('[PAY-02] lists its cards: real check digits, each number and name once', () => {
    for (const { number } of SANDBOX_CARDS) expect([number, passesLuhn(number)]).toEqual([number, true]);
    expect(new Set(SANDBOX_CARDS.map((card) => card.number)).size).toBe(SANDBOX_CARDS.length);
    expect(new Set(SANDBOX_CARDS.map((card) => card.name)).size).toBe(SANDBOX_CARDS.length);
  });

  test.each(SANDBOX_CARDS.map((card) => [card.name, card] as const))(
    '[PAY-02] %s: does what the table says, and its number is kept nowhere',
    async (_, { number, behavior }) => {
      const bench = await setUp(number);
      const end = await bench.gateway.finishCard(bench.begun);
      expect(end).toMatchObject(
        behavior.save ? { status: 'failed', code: behavior.save } : { status: 'saved' },
      );
      if (end.status === 'saved') {
        const outcome = await bench.charge('one');
        const reason = behavior.decline ?? behavior.declineOnce;
        if (behavior.answer) expect(outcome.status).toBe('unknown');
        else if (reason) expect(outcome).toMatchObject({ status: 'declined', code: reason });
        else expect(outcome.status).toBe('succeeded');
      }
      const kept = bench.memory.dump();
      expect(kept).toContain(bench.customer);
      expect(kept).not.toContain(number);
      expect(kept).not.toContain(number.slice(0, -4));
    },
  );

  test.each([
    ['incorrect_number', { number: '4242424242424241' }],
    ['incorrect_number', { number: '4242' }],
    ['incorrect_number', { number: '4242 4242 4242 424x' }],
    ['not_a_test_card', { number: '4539578763621486' }],
    ['invalid_expiry_month', { expMonth: 0 }],
    ['invalid_expiry_month', { expMonth: 13 }],
    ['invalid_expiry_month', { expMonth: Number.NaN }],
    ['invalid_expiry_year', { expMonth: 2, expYear: 2026 }],
    ['invalid_expiry_year', { expYear: 2025 }],
    ['invalid_expiry_year', { expYear: 2099 }],
    ['invalid_cvc', { cvc: '12' }],
    ['invalid_cvc', { cvc: '1234' }],
    ['invalid_cvc', { cvc: 'abc' }],
    ['invalid_cvc', { number: '378282246310005', cvc: '12' }],
  ])('[PAY-02] refuses an entry with %s %j', async (code, wrong) => {
    const { gateway } = await open();
    const customer = await gateway.createCustomer({ reference: 'c', idempotencyKey: 'c' });
    const { clientSecret, setup } = await gateway.startCard({ customer, idempotencyKey: 's' });
    const good = entry('4242424242424242');
    expect(await gateway.enterCard(clientSecret, { ...good, ...wrong })).toMatchObject({
      status: 'failed',
      code,
    });
    expect(await gateway.finishCard({ setup })).toEqual({ status: 'pending' });
    const spaced = { ...good, number: '4242 4242-4242 4242', expMonth: 3, expYear: 26 };
    expect(await gateway.enterCard(clientSecret, spaced)).toEqual({ status: 'saved' });
    expect(await gateway.finishCard({ setup })).toMatchObject({ card: { expMonth: 3, expYear: 2026 } });
  });

  test('[PAY-02] a form is opened by its secret only', async () => {
    const { gateway, begun } = await setUp();
    const guess = `${begun.setup}_secret_guess`;
    await expect(gateway.enterCard(guess, entry('4242424242424242'))).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(gateway.authenticateCharge('pi_1_secret_2', true)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('[PAY-02] fingerprints cannot be made without the secret', async () => {
    const one = await setUp();
    const other = createNetwork({
      ...one,
      secret: Buffer.alloc(32, 8),
      store: one.memory,
      onboardingUrl: String,
    });
    const card = await one.gateway.getCard({ card: one.card });
    expect(card?.fingerprint).not.toBe(other.fingerprint('4242424242424242'));
  });

  test('[PAY-02] a card expires at the end of its month', async () => {
    const { charge, clock } = await setUp();
    clock.advance(Date.parse('2030-12-31T23:59:59Z') - clock.now().getTime());
    expect(await charge('before')).toMatchObject({ status: 'succeeded' });
    clock.advance(1000);
    expect(await charge('after')).toMatchObject({ status: 'declined', code: 'expired_card' });
  });

  test('[PAY-02] declined once, then charged', async () => {
    const { charge } = await setUp('4000000009000011');
    expect(await charge('one')).toMatchObject({ status: 'declined', code: 'insufficient_funds' });
    expect(await charge('one')).toMatchObject({ status: 'declined' });
    expect(await charge('two')).toMatchObject({ status: 'succeeded' });
  });

  test('[PAY-02] a late answer: still in progress, then done, and told when it is', async () => {
    const { charge, gateway, customer, clock, kinds } = await setUp('4000000009000029');
    await kinds();
    const find = () => gateway.findCharge({ customer, idempotencyKey: 'one', since: clock.now() });
    expect(await charge('one')).toEqual({ status: 'unknown', why: 'no answer within 5000 ms' });
    expect(await find()).toEqual({ status: 'unknown', why: 'still in progress' });
    expect(await charge('one')).toEqual({ status: 'unknown', why: 'still in progress' });
    expect(await kinds()).toEqual([]);
    clock.advance(10_000);
    expect(await find()).toMatchObject({ status: 'succeeded' });
    expect(await charge('one')).toMatchObject({ status: 'succeeded' });
    expect((await kinds()).map((notice) => notice.kind)).toEqual(['charge.succeeded']);
  });

  test('[PAY-02] disputes are opened after a while and lost in the end', async () => {
    const { charge, clock, kinds } = await setUp('4000000000000259');
    await charge('one');
    expect((await kinds()).map((notice) => notice.kind)).toEqual(['card.saved', 'charge.succeeded']);
    clock.advance(599_000);
    expect(await kinds()).toEqual([]);
    clock.advance(1000);
    const [opened] = await kinds();
    expect(opened).toMatchObject({
      kind: 'dispute.opened',
      chargeKey: 'one',
      dispute: { status: 'needs_response', reason: 'fraudulent', amountCents: 5000 },
    });
    clock.advance(7 * 86_400_000);
    const [closed] = await kinds();
    expect(closed).toMatchObject({
      kind: 'dispute.closed',
      dispute: { id: opened!.dispute!.id, status: 'lost' },
    });
  });

  test('[PAY-02] notices twice have one id; notices out of order come the older last', async () => {
    const twice = await setUp('4000000009000045');
    await twice.kinds();
    await twice.charge('one');
    const [first] = await twice.kinds();
    twice.clock.advance(120_000);
    expect(await twice.kinds()).toEqual([first]);
    const mixed = await setUp('4000000009000052');
    await mixed.kinds();
    await mixed.charge('one');
    expect((await mixed.kinds()).map((notice) => notice.kind)).toEqual(['charge.succeeded']);
    mixed.clock.advance(60_000);
    expect((await mixed.kinds()).map((notice) => notice.kind)).toEqual(['charge.processing']);
  });

  test('[PAY-02] a notice that is not taken is sent again, with the same body and a new signature', async () => {
    const { gateway, clock, charge, kinds } = await setUp();
    await kinds();
    await charge('one');
    const tried: SentNotice[] = [];
    const fail = async (notice: SentNotice) => {
      tried.push(notice);
      throw new Error('busy');
    };
    expect(await gateway.sendNotices(fail)).toBe(0);
    expect(await gateway.sendNotices(fail)).toBe(0);
    clock.advance(60_000);
    await gateway.sendNotices(fail);
    expect(tried).toHaveLength(2);
    expect(tried[1]!.body).toBe(tried[0]!.body);
    expect(tried[1]!.headers).not.toEqual(tried[0]!.headers);
    clock.advance(120_000);
    expect(await kinds()).toHaveLength(1);
    clock.advance(86_400_000);
    expect(await kinds()).toEqual([]);
  });

  test('[PAY-02] refunds that take a while, and refunds that fail', async () => {
    for (const [number, at, end] of [
      ['4000000000007726', 'pending', 'succeeded'],
      ['4000000000005126', 'succeeded', 'failed'],
    ] as const) {
      const { gateway, charge, clock, kinds } = await setUp(number);
      const outcome = await charge('one');
      const id = outcome.status === 'succeeded' ? outcome.charge : '';
      const refund = { charge: id, amountCents: 5000, idempotencyKey: 'back' };
      await kinds();
      expect(await gateway.refund(refund)).toMatchObject({ status: at });
      expect((await kinds()).map((notice) => notice.kind)).toEqual(['charge.refunded']);
      clock.advance(3_600_000);
      expect(await gateway.findRefund(refund)).toMatchObject({ status: end });
      expect((await kinds())[0]).toMatchObject({ kind: 'refund.changed', refundKey: 'back' });
      // Money that did not arrive can be refunded again.
      const again = gateway.refund({ ...refund, idempotencyKey: 'again' });
      if (end === 'failed') expect(await again).toMatchObject({ amountCents: 5000 });
      else await expect(again).rejects.toMatchObject({ code: 'invalid' });
    }
  });

  test('[PAY-01] the form for an owner opens once, and not after five minutes', async () => {
    const { gateway, clock } = await open();
    const account = await gateway.createAccount({ reference: 'a', idempotencyKey: 'a' });
    const to = { refreshUrl: 'https://app.test/again', returnUrl: 'https://app.test/back' };
    const link = (idempotencyKey: string) => gateway.accountLink({ account, ...to, idempotencyKey });
    const token = (url: string) => url.split('/').at(-1)!;
    const one = token((await link('1')).url);
    expect(await gateway.openForm(one)).toEqual({ status: 'open', account, ...to });
    expect(await gateway.openForm(one)).toMatchObject({ status: 'expired', refreshUrl: to.refreshUrl });
    const two = await link('2');
    clock.advance(two.expiresAt.getTime() - clock.now().getTime());
    expect(await gateway.openForm(token(two.url))).toMatchObject({ status: 'expired' });
    expect(await gateway.openForm('guess')).toBeUndefined();
  });

  test('[PAY-01] a verified account that is asked for more may charge, but is not paid out', async () => {
    const { gateway, clock } = await open();
    const account = await gateway.createAccount({ reference: 'a', idempotencyKey: 'a' });
    await gateway.submitForm(account, 'approve');
    clock.advance(30_000);
    await gateway.requireMore(account, ['individual.verification.document']);
    expect(await gateway.getAccount(account)).toEqual({
      status: 'pending',
      charges_enabled: true,
      payouts_enabled: false,
      account_requirements: ['individual.verification.document'],
    });
    await gateway.requireMore(account, []);
    expect(await gateway.getAccount(account)).toMatchObject({ status: 'completed' });
    await expect(gateway.requireMore('acct_none', [])).rejects.toMatchObject({ code: 'not_found' });
  });

  test("[PAY-02] signs as Stripe does: Stripe's own library finds it genuine", async () => {
    const { gateway, notices, clock } = await setUp();
    const [{ body, headers }] = (await notices()) as [SentNotice];
    const secret = createNetwork({
      clock,
      store: memoryStore(),
      secret: Buffer.alloc(32, 7),
      onboardingUrl: String,
    }).signingSecret;
    const { webhooks } = new Stripe('sk_test_reads_only');
    const now = clock.now().getTime();
    const event = webhooks.constructEvent(body, headers['sandbox-signature'], secret, 300, undefined, now);
    expect(event.id).toBe(gateway.readNotice(body, headers).id);
    // Even with the secret, content that is not a notice is rejected.
    const signed = (text: string) => () =>
      gateway.readNotice(text, { 'sandbox-signature': signNotice(secret, text, clock.now()) });
    for (const text of ['', '{', '{}', body.replace('"livemode":false', '"livemode":true')])
      expect(signed(text)).toThrow(expect.objectContaining({ code: 'unreadable' }));
  });

  test('a store does all of a transaction or nothing, one after the other', async () => {
    const store = memoryStore();
    const row = (id: string) => ({ id, account: '', reference: id });
    const failing = store.transaction(async (tx) => {
      await tx.put('customer', row('one'), { owner: '' });
      throw new Error('midway');
    });
    const next = store.transaction((tx) => tx.list('customer', ''));
    await expect(failing).rejects.toThrow('midway');
    expect(await next).toEqual([]);
  });
});
