import Stripe from 'stripe';
import { z } from 'zod';
import { jsonOf } from '../../platform/outbound.ts';
import { checkAge, type Notice, type NoticeKind, NoticeRefused } from '../../platform/payments.ts';

const kinds: Partial<Record<string, NoticeKind>> = {
  'setup_intent.succeeded': 'card.saved',
  'setup_intent.setup_failed': 'card.failed',
  'payment_method.automatically_updated': 'card.updated',
  'payment_method.updated': 'card.updated',
  'payment_method.detached': 'card.removed',
  'payment_intent.processing': 'charge.processing',
  'payment_intent.succeeded': 'charge.succeeded',
  'payment_intent.payment_failed': 'charge.failed',
  'payment_intent.requires_action': 'charge.needs_authentication',
  'payment_intent.canceled': 'charge.canceled',
  'charge.refunded': 'charge.refunded',
  'refund.updated': 'refund.changed',
  'refund.failed': 'refund.changed',
  'charge.dispute.created': 'dispute.opened',
  'charge.dispute.closed': 'dispute.closed',
  'account.updated': 'account.updated',
  'account.application.deauthorized': 'account.disconnected',
  'payout.failed': 'payout.failed',
};

/** An id, or the whole object in its place. */
const reference = z
  .union([z.string(), z.object({ id: z.string() }).transform((object) => object.id)])
  .nullish()
  .transform((id) => id ?? undefined);
const text = z.string().optional();

/** The fields we read of an event's object, whatever its type. */
const Subject = z.object({
  object: text,
  id: text,
  customer: reference,
  payment_method: reference,
  payment_intent: reference,
  metadata: z.record(z.string(), z.string()).nullish(),
  status: z.string().nullish(),
  reason: z.string().nullish(),
  amount: z.number().nullish(),
  failure_message: z.string().nullish(),
  evidence_details: z.object({ due_by: z.int().positive().nullish() }).nullish(),
});
const EventBody = z.object({
  id: z.string().min(1),
  type: z.string().min(1),
  livemode: z.boolean(),
  created: z.int().positive(),
  account: text,
  data: z.object({ object: Subject }),
});

/**
 * Verifies a notice with the SDK against any of the secrets and reads it. The age is checked against the given clock in
 * both directions: the SDK accepts future timestamps.
 */
export function readStripeNotice(
  { webhooks }: Pick<Stripe, 'webhooks'>,
  secrets: string[],
  live: boolean,
  now: Date,
  rawBody: Buffer | string,
  header: string | string[] | undefined,
): Notice {
  // Exactly one timestamp: given two, the SDK would verify the last, and adding one could make an old notice look new.
  const times = typeof header === 'string' ? header.split(',').filter((part) => /^\s*t=/.test(part)) : [];
  if (typeof header !== 'string' || times.length !== 1 || !/^t=\d{1,12}$/.test(times[0]!))
    throw new NoticeRefused('forged', 'There is no signature');
  const genuine = secrets.some((secret) => {
    try {
      // Tolerance 0: checks only the signature.
      webhooks.signature!.verifyHeader(rawBody, header, secret, 0);
      return true;
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
      throw error;
    }
  });
  if (!genuine) throw new NoticeRefused('forged', 'The signature does not match');
  checkAge(Number(times[0]!.slice(2)), now);
  const read = EventBody.safeParse(parse(rawBody));
  if (!read.success) throw new NoticeRefused('unreadable', 'Not a Stripe event');
  if (read.data.livemode !== live)
    throw new NoticeRefused(
      'wrong_mode',
      `A ${live ? 'test' : 'live'} event for a ${live ? 'live' : 'test'} key`,
    );
  return noticeOf(read.data);
}

function noticeOf(event: z.output<typeof EventBody>): Notice {
  const { object } = event.data;
  const is = (name: string) => object.object === name;
  const found = {
    account: event.account ?? (is('account') ? object.id : undefined),
    customer: object.customer,
    setup: is('setup_intent') ? object.id : undefined,
    card: is('payment_method') ? object.id : object.payment_method,
    charge: is('payment_intent') ? object.id : object.payment_intent,
    chargeKey: object.metadata?.charge_key,
    refund: is('refund') ? object.id : undefined,
    refundKey: object.metadata?.refund_key,
    dispute:
      is('dispute') && object.id
        ? {
            id: object.id,
            status: object.status ?? '',
            reason: object.reason ?? '',
            amountCents: object.amount ?? 0,
            ...(object.evidence_details?.due_by
              ? { dueBy: new Date(object.evidence_details.due_by * 1000).toISOString() }
              : {}),
          }
        : undefined,
    payout:
      is('payout') && object.id
        ? {
            id: object.id,
            amountCents: object.amount ?? 0,
            ...(object.failure_message ? { reason: object.failure_message } : {}),
          }
        : undefined,
  };
  return {
    id: event.id,
    kind: kinds[event.type] ?? 'other',
    type: event.type,
    livemode: event.livemode,
    createdAt: new Date(event.created * 1000),
    ...Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)),
  };
}

function parse(body: Buffer | string): unknown {
  try {
    return jsonOf(body);
  } catch {
    return undefined;
  }
}
