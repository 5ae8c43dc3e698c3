import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Card,
  type ChargeRequest,
  GatewayError,
  NoticeRefused,
  type PaymentGateway,
} from '../platform/payments.ts';
import { type GatewayBench, type SignedNotice, toolsFor, WORKS } from './payment-gateway.bench.ts';

type Tools = ReturnType<typeof toolsFor>;

const LATE = '4000000009000029';
const LOST = '4000000009000037';

/** The tests that every implementation of the port must pass. */
export function gatewayContract(name: string, open: () => Promise<GatewayBench>): void {
  describe(`the contract of the payment gateway: ${name}`, () => {
    let bench: GatewayBench;
    let gateway: PaymentGateway;
    let key: Tools['key'];
    let start: Tools['start'];
    let onFile: Tools['onFile'];
    let request: Tools['request'];
    let find: Tools['find'];
    let code: Tools['code'];
    let idOf: Tools['idOf'];
    beforeEach(async () => {
      bench = await open();
      gateway = bench.gateway;
      ({ key, start, onFile, request, find, code, idOf } = toolsFor(bench));
    });
    afterEach(() => bench.close());

    describe('cards on file', () => {
      test('[PAY-02] a card entered in the browser is on file, and only its end is known', async () => {
        const begun = await start();
        expect(await gateway.finishCard(begun)).toEqual({ status: 'pending' });
        await bench.enterCard(begun, WORKS);
        const end = await gateway.finishCard(begun);
        expect(end).toMatchObject({ status: 'saved', card: { brand: 'visa', last4: '4242' } });
        const { card } = end as { card: Card };
        expect(card.expYear).toBeGreaterThan(2000);
        expect(card.fingerprint).not.toBe('');
        expect(await gateway.getCard({ card: card.id })).toEqual(card);
        expect(JSON.stringify(end)).not.toContain('424242');
      });

      test('[PAY-02] the same number has the same fingerprint, another another', async () => {
        const [one, same, other] = [await onFile(), await onFile(), await onFile('5555555555554444')];
        expect(same.card.fingerprint).toBe(one.card.fingerprint);
        expect(same.card.id).not.toBe(one.card.id);
        expect(other.card).toMatchObject({ brand: 'mastercard', last4: '4444' });
        expect(other.card.fingerprint).not.toBe(one.card.fingerprint);
      });

      test.each([
        ['4000000000000002', 'generic_decline'],
        ['4000000000009995', 'insufficient_funds'],
        ['4000000000009987', 'lost_card'],
        ['4000000000009979', 'stolen_card'],
        ['4000000000000069', 'expired_card'],
        ['4000000000000127', 'incorrect_cvc'],
        ['4000000000000119', 'processing_error'],
      ])('[PAY-02] %s is refused with %s, and another card may be entered', async (number, reason) => {
        const begun = await start();
        await bench.enterCard(begun, number);
        expect(await gateway.finishCard(begun)).toMatchObject({ status: 'failed', code: reason });
        await bench.enterCard(begun, WORKS);
        expect(await gateway.finishCard(begun)).toMatchObject({ status: 'saved' });
      });

      test('[PAY-02] a card that asks for authentication is saved when it passes', async () => {
        const begun = await start();
        await bench.enterCard(begun, '4000002500003155');
        expect(await gateway.finishCard(begun)).toEqual({ status: 'pending' });
        await bench.enterCard(begun, '4000002500003155', false);
        expect(await gateway.finishCard(begun)).toMatchObject({ status: 'failed' });
        await bench.enterCard(begun, '4000002500003155', true);
        const end = await gateway.finishCard(begun);
        expect(end).toMatchObject({ status: 'saved' });
        const made = { customer: begun.customer, card: (end as { card: Card }).card };
        expect(await gateway.charge(request(made))).toMatchObject({ status: 'succeeded' });
      });

      test('[PAY-02] a removed card is gone, and cannot be charged', async () => {
        const made = await onFile();
        await gateway.removeCard({ card: made.card.id, idempotencyKey: key() });
        await gateway.removeCard({ card: made.card.id, idempotencyKey: key() });
        expect(await gateway.getCard({ card: made.card.id })).toBeUndefined();
        expect(await code(gateway.charge(request(made)))).toMatch(/^(not_found|invalid)$/);
        expect(await bench.captured()).toEqual([]);
      });

      test('[PAY-02] what is not there is not found', async () => {
        const made = await onFile();
        expect(await gateway.getCard({ card: 'pm_none' })).toBeUndefined();
        expect(await code(gateway.finishCard({ setup: 'seti_none' }))).toBe('not_found');
        expect(await code(gateway.startCard({ customer: 'cus_none', idempotencyKey: key() }))).toBe(
          'not_found',
        );
        expect(await code(gateway.charge(request(made, { card: 'pm_none' })))).toBe('not_found');
        expect(await code(gateway.charge(request(made, { customer: 'cus_none' })))).toBe('not_found');
      });
    });

    describe('charges', () => {
      test('[PAY-02] charges a card on file', async () => {
        const asked = request(await onFile(), { metadata: { wallet: 'w1' } });
        const outcome = await gateway.charge(asked);
        expect(outcome).toEqual({
          status: 'succeeded',
          charge: expect.any(String),
          amountCents: 1234,
          applicationFeeCents: 0,
        });
        expect(await find(asked)).toEqual(outcome);
        expect(await bench.captured()).toEqual([1234]);
      });

      test('[PAY-02] lists what was made there, with what was given back of it', async () => {
        const since = bench.clock.now();
        const made = await onFile();
        const one = request(made, { amountCents: 5000 });
        const two = request(await onFile('4000000000000341'));
        const charged = await gateway.charge(one);
        await gateway.charge(two);
        await gateway.refund({ charge: idOf(charged)!, amountCents: 1500, idempotencyKey: key() });
        const listed = await gateway.listCharges({ since });
        expect(listed).toHaveLength(2);
        expect(listed.find((item) => item.chargeKey === one.idempotencyKey)).toEqual({
          charge: idOf(charged),
          chargeKey: one.idempotencyKey,
          customer: made.customer,
          status: 'succeeded',
          amountCents: 5000,
          refundedCents: 1500,
          createdAt: expect.any(Date),
        });
        expect(listed.find((item) => item.chargeKey === two.idempotencyKey)).toMatchObject({
          status: 'declined',
          refundedCents: 0,
        });
        bench.clock.advance(60_000);
        expect(await gateway.listCharges({ since: bench.clock.now() })).toEqual([]);
      });

      test('[PAY-02] lists payouts, and what each is made of', async () => {
        const since = bench.clock.now();
        const charged = await gateway.charge(request(await onFile(), { amountCents: 5000 }));
        await gateway.refund({ charge: idOf(charged)!, amountCents: 1500, idempotencyKey: key() });
        await gateway.charge(request(await onFile('4000000000000341')));
        expect(await gateway.listPayouts({ since })).toEqual([]);
        await bench.payOut();
        const [payout, ...more] = await gateway.listPayouts({ since });
        expect(more).toEqual([]);
        expect(payout).toMatchObject({ amountCents: 3500, status: 'pending' });
        expect(payout!.arrivesAt.getTime()).toBeGreaterThan(payout!.createdAt.getTime());
        const parts = await gateway.payoutParts({ payout: payout!.payout });
        expect(
          parts.map(({ kind, amountCents, feeCents, charge }) => [kind, amountCents, feeCents, charge]),
        ).toEqual(
          expect.arrayContaining([
            ['charge', 5000, 0, idOf(charged)],
            ['refund', -1500, 0, idOf(charged)],
          ]),
        );
        expect(parts).toHaveLength(2);
        expect(await code(gateway.payoutParts({ payout: 'po_none' }))).toBe('not_found');
      });

      test.each([
        ['4000000000000341', 'generic_decline'],
        ['4000008260003178', 'insufficient_funds'],
      ])('[PAY-02] %s is saved, and later declined with %s', async (number, reason) => {
        const made = await onFile(number);
        const asked = request(made);
        const outcome = await gateway.charge(asked);
        expect(outcome).toMatchObject({ status: 'declined', code: reason, needsAuthentication: false });
        expect(outcome).toHaveProperty('message', expect.stringMatching(/^Your card/));
        expect(await gateway.charge(asked)).toEqual(outcome);
        expect(await find(asked)).toEqual(outcome);
        expect(idOf(await gateway.charge(request(made)))).not.toBe(idOf(outcome));
        expect(await bench.captured()).toEqual([]);
      });

      test('[PAY-02] a charge that needs authentication is completed by its holder', async () => {
        const asked = request(await onFile('4000002760003184'));
        const outcome = await gateway.charge(asked);
        if (outcome.status !== 'declined' || !outcome.clientSecret) throw new Error(JSON.stringify(outcome));
        expect(outcome).toMatchObject({ code: 'authentication_required', needsAuthentication: true });
        await bench.authenticateCharge(outcome.clientSecret, false);
        expect(await find(asked)).toMatchObject({ status: 'declined', needsAuthentication: true });
        await bench.authenticateCharge(outcome.clientSecret, true);
        expect(await find(asked)).toMatchObject({ status: 'succeeded', charge: outcome.charge });
        expect(await bench.captured()).toEqual([1234]);
        // Too late to cancel, and the caller is told so.
        expect(await gateway.cancelCharge({ charge: outcome.charge!, idempotencyKey: key() })).toMatchObject({
          status: 'succeeded',
        });
        expect(await bench.captured()).toEqual([1234]);
      });

      test('[PAY-02] a canceled charge cannot be completed any more', async () => {
        const asked = request(await onFile('4000002760003184'));
        const outcome = await gateway.charge(asked);
        if (outcome.status !== 'declined' || !outcome.clientSecret) throw new Error(JSON.stringify(outcome));
        const canceled = { status: 'declined', code: 'canceled', needsAuthentication: false };
        const cancel = { charge: outcome.charge!, idempotencyKey: key() };
        expect(await gateway.cancelCharge(cancel)).toMatchObject(canceled);
        expect(await gateway.cancelCharge(cancel)).toMatchObject(canceled);
        await bench.authenticateCharge(outcome.clientSecret, true);
        expect(await find(asked)).toMatchObject(canceled);
        expect(await bench.captured()).toEqual([]);
      });

      test('[PAY-02] one key charges once, and only for the same', async () => {
        const asked = request(await onFile());
        const outcome = await gateway.charge(asked);
        expect(await gateway.charge({ ...asked })).toEqual(outcome);
        expect(await code(gateway.charge({ ...asked, amountCents: 1235 }))).toBe('key_reused');
        expect(await bench.captured()).toEqual([1234]);
      });

      test('[PAY-02] charges at the same moment under one key are one charge', async () => {
        const asked = request(await onFile());
        const outcomes = await Promise.all(Array.from({ length: 8 }, () => gateway.charge(asked)));
        expect(outcomes.some((outcome) => outcome.status === 'succeeded')).toBe(true);
        expect(outcomes.every((outcome) => outcome.status !== 'declined')).toBe(true);
        expect(new Set(outcomes.map(idOf).filter(Boolean)).size).toBe(1);
        expect(await bench.captured()).toEqual([1234]);
      });

      test.each([
        ['lost', LOST],
        ['late', LATE],
      ])('[PAY-02] a %s answer is unknown, never declined, and can be asked for', async (_, number) => {
        const asked = request(await onFile(number));
        expect(await gateway.charge(asked)).toMatchObject({ status: 'unknown' });
        expect(await find(asked)).not.toHaveProperty('status', 'declined');
        await bench.settle();
        expect(await find(asked)).toMatchObject({ status: 'succeeded', amountCents: 1234 });
        expect(await gateway.charge(asked)).not.toHaveProperty('status', 'declined');
        expect(await bench.captured()).toEqual([1234]);
      });

      test('[PAY-02] a charge that never was is none', async () => {
        const asked = request(await onFile());
        expect(await find(asked)).toEqual({ status: 'none' });
        await gateway.charge(request({ customer: asked.customer, card: { id: asked.card } as Card }));
        expect(await find(asked)).toEqual({ status: 'none' });
      });

      test.each<[string, Partial<ChargeRequest>]>([
        ['amountCents', { amountCents: 0 }],
        ['amountCents', { amountCents: -100 }],
        ['amountCents', { amountCents: Number.NaN }],
        ['amountCents', { amountCents: Number.POSITIVE_INFINITY }],
        ['amountCents', { amountCents: 100.5 }],
        ['amountCents', { amountCents: 49 }],
        ['amountCents', { amountCents: 100_000_000 }],
        ['amountCents', { amountCents: '100' as unknown as number }],
        ['currency', { currency: 'eur' as 'usd' }],
        ['idempotencyKey', { idempotencyKey: '' }],
        ['idempotencyKey', { idempotencyKey: 'k'.repeat(256) }],
        ['idempotencyKey', { idempotencyKey: 'k\r\nStripe-Account: acct_other' }],
        ['applicationFeeCents', { applicationFeeCents: 100 }],
        ['applicationFeeCents', { account: 'acct_1', applicationFeeCents: 1235 }],
        ['applicationFeeCents', { account: 'acct_1', applicationFeeCents: -1 }],
        ['applicationFeeCents', { account: 'acct_1', applicationFeeCents: 0.5 }],
        ['metadata', { metadata: { charge_key: 'of another' } }],
        ['metadata', { metadata: { note: 'x'.repeat(501) } }],
        ['description', { description: 'x'.repeat(501) }],
      ])('[PAY-02] a wrong %s (%j) is refused before anything is sent', async (field, wrong) => {
        const asked = request(await onFile(), wrong);
        const before = bench.requests();
        const error = await gateway.charge(asked).catch((thrown) => thrown);
        expect(error).toBeInstanceOf(GatewayError);
        expect(error).toMatchObject({ code: 'invalid', field });
        expect(bench.requests()).toBe(before);
        expect(await bench.captured()).toEqual([]);
      });

      test('[PAY-02] the bounds themselves are charged', async () => {
        const made = await onFile();
        for (const amountCents of [50, 99_999_999])
          expect(await gateway.charge(request(made, { amountCents }))).toMatchObject({
            status: 'succeeded',
            amountCents,
          });
        const idempotencyKey = 'k'.repeat(255);
        expect(await gateway.charge(request(made, { idempotencyKey }))).toMatchObject({
          status: 'succeeded',
        });
      });
    });

    describe('refunds', () => {
      test('[PAY-02] in part, then the rest, then no more; once under one key', async () => {
        const outcome = await gateway.charge(request(await onFile()));
        const charge = idOf(outcome)!;
        const part = { charge, amountCents: 1000, idempotencyKey: key() };
        const first = await gateway.refund(part);
        expect(first).toMatchObject({ status: 'succeeded', amountCents: 1000 });
        expect(await gateway.refund(part)).toEqual(first);
        expect(await gateway.findRefund(part)).toEqual(first);
        expect(await code(gateway.refund({ charge, amountCents: 235, idempotencyKey: key() }))).toBe(
          'invalid',
        );
        const rest = { charge, idempotencyKey: key() };
        expect(await gateway.findRefund(rest)).toEqual({ status: 'none' });
        expect(await gateway.refund(rest)).toMatchObject({ status: 'succeeded', amountCents: 234 });
        expect(await code(gateway.refund({ charge, idempotencyKey: key() }))).toBe('invalid');
      });

      test('[PAY-02] all of a charge are listed, our own with their keys, those made elsewhere without', async () => {
        const made = await onFile();
        const [charge, other] = [
          idOf(await gateway.charge(request(made)))!,
          idOf(await gateway.charge(request(made)))!,
        ];
        expect(await gateway.listRefunds({ charge })).toEqual([]);
        const ours = { charge, amountCents: 1000, idempotencyKey: key() };
        const first = await gateway.refund(ours);
        await bench.refundThere(charge, 34);
        await bench.refundThere(other, 500);
        const listed = await gateway.listRefunds({ charge });
        expect(listed).toEqual([
          {
            refund: (first as { refund: string }).refund,
            refundKey: ours.idempotencyKey,
            amountCents: 1000,
            status: 'succeeded',
            createdAt: expect.any(Date),
          },
          expect.objectContaining({ amountCents: 34, status: 'succeeded' }),
        ]);
        expect(listed[1]!.refundKey).not.toBe(ours.idempotencyKey);
      });

      test('[PAY-02] not of a declined charge, and not of wrong amounts', async () => {
        const made = await onFile('4000000000000341');
        const charge = idOf(await gateway.charge(request(made)))!;
        expect(await code(gateway.refund({ charge, idempotencyKey: key() }))).toBe('invalid');
        for (const amountCents of [0, -1, 0.5, Number.NaN])
          expect(await code(gateway.refund({ charge, amountCents, idempotencyKey: key() }))).toBe('invalid');
      });
    });

    test('[PAY-02] whatever is asked in whatever order, a key moves its money once', async () => {
      const made = await onFile();
      const step = fc.record({
        key: fc.integer({ min: 0, max: 3 }),
        cents: fc.constantFrom(1000, 2000),
        back: fc.option(fc.integer({ min: 1, max: 1500 }), { nil: undefined }),
      });
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          round++;
          const before = (await bench.captured()).length;
          const charged = new Map<string, { cents: number; charge: string; left: number }>();
          for (const [at, { key, cents, back }] of steps.entries()) {
            const idempotencyKey = `round-${round}-${key}`;
            const known = charged.get(idempotencyKey);
            const asked = request(made, { idempotencyKey, amountCents: cents });
            const outcome = await gateway.charge(asked).catch((error) => error.code);
            if (known && known.cents !== cents) expect(outcome).toBe('key_reused');
            else expect(outcome).toMatchObject({ status: 'succeeded', amountCents: cents });
            if (!known) charged.set(idempotencyKey, { cents, charge: idOf(outcome)!, left: cents });
            else if (known.cents === cents) expect(idOf(outcome)).toBe(known.charge);
            const now = charged.get(idempotencyKey)!;
            if (back === undefined) continue;
            const refund = { charge: now.charge, amountCents: back, idempotencyKey: `back-${round}-${at}` };
            const given = await gateway.refund(refund).catch((error) => error.code);
            if (back > now.left) expect(given).toBe('invalid');
            else expect(given).toMatchObject({ status: 'succeeded', amountCents: back });
            if (back <= now.left) now.left -= back;
          }
          expect((await bench.captured()).length - before).toBe(charged.size);
        }),
        { numRuns: 15 },
      );
    });

    describe('connected accounts', () => {
      const create = () =>
        gateway.createAccount({ reference: 'agency-1', email: 'owner@agency.test', idempotencyKey: key() });

      test('[PAY-01] none, pending, in verification, completed', async () => {
        const none = { status: '', charges_enabled: false, payouts_enabled: false, account_requirements: [] };
        expect(await gateway.getAccount(undefined)).toEqual(none);
        expect(await gateway.getAccount('acct_none')).toEqual(none);
        const account = await create();
        const fresh = await gateway.getAccount(account);
        expect(fresh).toMatchObject({ status: 'pending', charges_enabled: false, payouts_enabled: false });
        expect(fresh.account_requirements).toContain('external_account');
        await bench.onboard(account, 'submitted');
        expect(await gateway.getAccount(account)).toMatchObject({
          status: 'inverification',
          charges_enabled: false,
        });
        await bench.onboard(account, 'approved');
        expect(await gateway.getAccount(account)).toEqual({
          status: 'completed',
          charges_enabled: true,
          payouts_enabled: true,
          account_requirements: [],
        });
      });

      test('[PAY-01] or failed', async () => {
        const account = await create();
        await bench.onboard(account, 'submitted');
        await bench.onboard(account, 'rejected');
        expect(await gateway.getAccount(account)).toMatchObject({ status: 'failed', charges_enabled: false });
      });

      test('[PAY-01] a link to the form, for a while; one account under one key', async () => {
        const idempotencyKey = key();
        const account = await gateway.createAccount({ reference: 'agency-1', idempotencyKey });
        expect(await gateway.createAccount({ reference: 'agency-1', idempotencyKey })).toBe(account);
        const to = { refreshUrl: 'https://app.test/again', returnUrl: 'https://app.test/back' };
        const link = await gateway.accountLink({ account, ...to, idempotencyKey: key() });
        expect(link.url).toMatch(/^https:/);
        expect(link.expiresAt.getTime()).toBeGreaterThan(bench.clock.now().getTime());
        expect((await gateway.accountLink({ account, ...to, idempotencyKey: key() })).url).not.toBe(link.url);
        expect(await code(gateway.accountLink({ account: 'acct_none', ...to, idempotencyKey: key() }))).toBe(
          'not_found',
        );
      });

      test('[PAY-02] charges as an account with a fee, once it may; what is its own is unknown elsewhere', async () => {
        const account = await create();
        const made = await onFile(WORKS, account);
        const asked = request(made, { account, applicationFeeCents: 200 });
        expect(await code(gateway.charge(asked))).toBe('account_not_ready');
        await bench.onboard(account, 'submitted');
        await bench.onboard(account, 'approved');
        const again = { ...asked, idempotencyKey: key() };
        const outcome = await gateway.charge(again);
        expect(outcome).toMatchObject({ status: 'succeeded', amountCents: 1234, applicationFeeCents: 200 });
        expect(await find(again)).toEqual(outcome);
        expect(await bench.captured(account)).toEqual([1234]);
        expect(await bench.captured()).toEqual([]);
        expect(await code(gateway.charge(request(made)))).toBe('not_found');
        expect(await gateway.getCard({ card: made.card.id })).toBeUndefined();
        expect(await gateway.findCharge({ ...again, account: undefined, since: bench.clock.now() })).toEqual({
          status: 'none',
        });
        const charge = idOf(outcome)!;
        expect(await code(gateway.refund({ charge, idempotencyKey: key() }))).toBe('not_found');
        expect(await gateway.refund({ charge, account, idempotencyKey: key() })).toMatchObject({
          status: 'succeeded',
          amountCents: 1234,
        });
        // Also without a fee.
        const free = await gateway.charge(request(made, { account, applicationFeeCents: 0 }));
        expect(free).toMatchObject({ status: 'succeeded', applicationFeeCents: 0 });
        expect(await gateway.refund({ charge: idOf(free)!, account, idempotencyKey: key() })).toMatchObject({
          status: 'succeeded',
        });
      });

      test('[PAY-02] an account that is none can do nothing', async () => {
        const made = await onFile();
        expect(await code(gateway.charge(request(made, { account: 'acct_none' })))).toBe('account_not_ready');
      });
    });

    describe('notices', () => {
      const read = ({ body, headers }: SignedNotice) => gateway.readNotice(body, headers);
      const refusal = (notice: SignedNotice) => {
        try {
          return `read ${read(notice).id}`;
        } catch (error) {
          return error instanceof NoticeRefused ? error.code : String(error);
        }
      };

      test('[PAY-02] tell what happened, in one form for all providers', async () => {
        const made = await onFile();
        const [saved] = (await bench.notices()).map(read);
        expect(saved).toMatchObject({ kind: 'card.saved', customer: made.customer, card: made.card.id });
        const asked = request(made);
        const outcome = await gateway.charge(asked);
        const sent = await bench.notices();
        expect(sent.map(read)).toEqual([
          {
            id: expect.any(String),
            kind: 'charge.succeeded',
            type: expect.any(String),
            livemode: false,
            createdAt: expect.any(Date),
            customer: made.customer,
            charge: idOf(outcome),
            chargeKey: asked.idempotencyKey,
            ...(read(sent[0]!).card ? { card: made.card.id } : {}),
          },
        ]);
        expect(Math.abs(read(sent[0]!).createdAt.getTime() - bench.clock.now().getTime())).toBeLessThan(1000);
        // A resent notice is identical, so its id identifies it.
        expect(read(sent[0]!)).toEqual(read(sent[0]!));
        await gateway.refund({ charge: idOf(outcome)!, idempotencyKey: key() });
        expect((await bench.notices()).map(read)).toMatchObject([
          { kind: 'charge.refunded', charge: idOf(outcome) },
        ]);
        const poor = await onFile('4000000000000341');
        await gateway.charge(request(poor));
        expect((await bench.notices()).map(read).at(-1)).toMatchObject({ kind: 'charge.failed' });
      });

      test('[PAY-01] of an account name it', async () => {
        const account = await gateway.createAccount({ reference: 'agency-1', idempotencyKey: key() });
        await bench.onboard(account, 'submitted');
        expect((await bench.notices()).map(read)).toMatchObject([{ kind: 'account.updated', account }]);
      });

      test('[PAY-02] forged, altered, stale and future ones are refused', async () => {
        await onFile();
        const [notice] = await bench.notices();
        const [name, signature] = Object.entries(notice!.headers)[0] as [string, string];
        expect(refusal(notice!)).toMatch(/^read /);
        expect(refusal({ ...notice!, body: notice!.body.replace('cus_', 'cus-') })).toBe('forged');
        expect(refusal({ ...notice!, body: `${notice!.body} ` })).toBe('forged');
        const forge = (value: string) => refusal({ body: notice!.body, headers: { [name]: value } });
        expect(refusal({ body: notice!.body, headers: {} })).toBe('forged');
        expect(forge('')).toBe('forged');
        expect(forge(signature.replace(/v1=./, 'v1='))).toBe('forged');
        expect(forge(signature.replace('v1=', 'v0='))).toBe('forged');
        expect(forge(signature.replace(/t=(\d+)/, (_, at) => `t=${Number(at) + 1}`))).toBe('forged');
        // A second timestamp does not make an old signature look new, wherever it is placed.
        bench.clock.advance(1000_000);
        const now = Math.floor(bench.clock.now().getTime() / 1000);
        expect(refusal(notice!)).toBe('stale');
        expect(forge(`t=${now},${signature}`)).toMatch(/forged|stale/);
        expect(forge(`${signature},t=${now}`)).toMatch(/forged|stale/);
        expect(forge(`${signature}, t=${now}`)).toMatch(/forged|stale/);
      });

      test('[PAY-02] the tolerance is 300 s, both ways', async () => {
        await onFile();
        const [notice] = await bench.notices();
        bench.clock.advance(300_000);
        expect(refusal(notice!)).toMatch(/^read /);
        bench.clock.advance(1000);
        expect(refusal(notice!)).toBe('stale');
        bench.clock.advance(-601_000);
        expect(refusal(notice!)).toMatch(/^read /);
        bench.clock.advance(-1000);
        expect(refusal(notice!)).toBe('future');
      });
    });
  });
}
