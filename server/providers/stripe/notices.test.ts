import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStripe } from '../../test/stripe-bench.ts';
import { createStripeGateway } from './index.ts';

describe('notices of Stripe', () => {
  let bench: Awaited<ReturnType<typeof openStripe>>;
  beforeEach(async () => {
    bench = await openStripe({ webhookSecrets: ['whsec_connect', 'whsec_platform'] });
  });
  afterEach(() => bench.close());

  const event = (type: string, object: object, more: object = {}) => ({
    id: 'evt_1',
    object: 'event',
    created: 1_772_366_400,
    livemode: false,
    type,
    data: { object },
    ...more,
  });
  const read = (what: object, how: { secret?: string } = {}, gateway = bench.gateway) => {
    const { body, headers } = bench.server.sign(what, how);
    return gateway.readNotice(Buffer.from(body), headers);
  };

  test.each<[string, object, object]>([
    [
      'setup_intent.setup_failed',
      { object: 'setup_intent', id: 'seti_1' },
      { kind: 'card.failed', setup: 'seti_1' },
    ],
    [
      'payment_method.detached',
      { object: 'payment_method', id: 'pm_1' },
      { kind: 'card.removed', card: 'pm_1' },
    ],
    [
      'payment_method.automatically_updated',
      { object: 'payment_method', id: 'pm_1', customer: { id: 'cus_1', object: 'customer' } },
      { kind: 'card.updated', card: 'pm_1', customer: 'cus_1' },
    ],
    [
      'payment_intent.requires_action',
      { object: 'payment_intent', id: 'pi_1', metadata: { charge_key: 'k' } },
      { kind: 'charge.needs_authentication', charge: 'pi_1', chargeKey: 'k' },
    ],
    [
      'charge.refunded',
      { object: 'charge', id: 'ch_1', payment_intent: 'pi_1' },
      { kind: 'charge.refunded', charge: 'pi_1' },
    ],
    [
      'refund.failed',
      { object: 'refund', id: 're_1', payment_intent: 'pi_1', metadata: { refund_key: 'r' } },
      { kind: 'refund.changed', refund: 're_1', refundKey: 'r', charge: 'pi_1' },
    ],
    [
      'charge.dispute.created',
      {
        object: 'dispute',
        id: 'dp_1',
        payment_intent: 'pi_1',
        amount: 5000,
        reason: 'general',
        status: 'needs_response',
        evidence_details: { due_by: 1_785_000_000 },
      },
      {
        kind: 'dispute.opened',
        charge: 'pi_1',
        dispute: {
          id: 'dp_1',
          status: 'needs_response',
          reason: 'general',
          amountCents: 5000,
          dueBy: '2026-07-25T17:20:00.000Z',
        },
      },
    ],
    ['account.updated', { object: 'account', id: 'acct_1' }, { kind: 'account.updated', account: 'acct_1' }],
    [
      'payout.failed',
      { object: 'payout', id: 'po_1', amount: 12_345, failure_message: 'The bank account has been closed.' },
      {
        kind: 'payout.failed',
        payout: { id: 'po_1', amountCents: 12_345, reason: 'The bank account has been closed.' },
      },
    ],
    ['plan.created', { object: 'plan', id: 'price_1' }, { kind: 'other', type: 'plan.created' }],
  ])('[PAY-02] reads %s', (type, object, expected) => {
    const notice = read(event(type, object));
    expect(notice).toMatchObject({ id: 'evt_1', livemode: false, ...expected });
    expect(notice.createdAt).toEqual(new Date('2026-03-01T12:00:00Z'));
    expect(Object.values(notice)).not.toContain(undefined);
  });

  test('[PAY-01] an account that leaves us names itself', () => {
    const left = event(
      'account.application.deauthorized',
      { object: 'application', id: 'ca_1' },
      { account: 'acct_1' },
    );
    expect(read(left)).toMatchObject({ kind: 'account.disconnected', account: 'acct_1' });
  });

  test('[PAY-02] believes each of its secrets and no other', () => {
    const what = event('payout.failed', { object: 'payout', id: 'po_1' });
    expect(read(what, { secret: 'whsec_connect' }).id).toBe('evt_1');
    expect(() => read(what, { secret: 'whsec_other' })).toThrow(expect.objectContaining({ code: 'forged' }));
  });

  test('[PAY-02] takes no test notice for a live one, or the other way round', () => {
    const object = { object: 'payout', id: 'po_1' };
    const parts = { ...bench.parts, secretKey: 'sk_live_1', apiBase: bench.server.url };
    const live = createStripeGateway({ ...parts, clock: bench.clock });
    const wrong = expect.objectContaining({ code: 'wrong_mode' });
    expect(() => read(event('payout.failed', object), {}, live)).toThrow(wrong);
    expect(() => read(event('payout.failed', object, { livemode: true }))).toThrow(wrong);
    expect(read(event('payout.failed', object, { livemode: true }), {}, live).livemode).toBe(true);
  });

  test('[PAY-02] a notice has no text that the database cannot store', () => {
    const object = { object: 'dispute', id: 'dp_1', status: 'lo\u0000st', reason: 'fraud\ud83d' };
    expect(read(event('charge.dispute.created', object))).toMatchObject({
      dispute: { id: 'dp_1', status: 'lost', reason: 'fraud\ufffd' },
    });
  });

  test('[PAY-02] what is well signed and no event is unreadable', () => {
    for (const what of [
      {},
      [],
      event('x', {}, { created: 'today' }),
      { object: 'v2.core.event', id: 'evt_1' },
    ])
      expect(() => read(what)).toThrow(expect.objectContaining({ code: 'unreadable' }));
  });
});
