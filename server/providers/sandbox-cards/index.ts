import { z } from 'zod';
import { type Notice, type NoticeKind, NoticeRefused, type PaymentGateway } from '../../platform/payments.ts';
import { createAccounts } from './accounts.ts';
import { createCharges } from './charges.ts';
import { createNetwork, type SandboxParts } from './network.ts';
import { createOnFile } from './on-file.ts';
import { createPayouts } from './payouts.ts';
import { verifyNotice } from './sign.ts';

export { type CardEntry, SANDBOX_CARDS } from './cards.ts';
export type { SentNotice } from './network.ts';
export { memoryStore, type SandboxStore, type SandboxTx } from './store.ts';

const kinds = [
  'card.saved',
  'card.failed',
  'card.removed',
  'charge.processing',
  'charge.succeeded',
  'charge.failed',
  'charge.canceled',
  'charge.refunded',
  'refund.changed',
  'dispute.opened',
  'dispute.closed',
  'account.updated',
] as const satisfies NoticeKind[];

const id = z.string().min(1).optional();
const SandboxNotice = z.object({
  id: z.string().min(1),
  kind: z.enum(kinds),
  livemode: z.literal(false),
  created: z.iso.datetime(),
  account: id,
  customer: id,
  setup: id,
  card: id,
  charge: id,
  chargeKey: id,
  refund: id,
  refundKey: id,
  dispute: z
    .object({
      id: z.string(),
      status: z.string(),
      reason: z.string(),
      amountCents: z.int().positive(),
      dueBy: z.iso.datetime().optional(),
    })
    .optional(),
});

/**
 * An in-process card network that moves no money: test cards only (SANDBOX_CARDS), the default if no provider is
 * configured. Declines, authentication, disputes, late and lost answers, and duplicate and out-of-order notices are
 * chosen by the card's number. In addition to the port, it has calls for what the provider's own pages would do:
 * enterCard, authenticateCard, authenticateCharge, openForm, submitForm, requireMore; and sendNotices, to be called
 * every few seconds.
 */
export function createSandboxGateway(parts: SandboxParts) {
  const network = createNetwork(parts);
  const port = {
    provider: 'sandbox' as const,
    mode: 'sandbox' as const,
    publishableKey: '',
    ...createOnFile(network),
    ...createCharges(network),
    ...createPayouts(network),
    ...createAccounts(network),
    sendNotices: network.sendNotices.bind(network),

    readNotice(rawBody: Buffer | string, headers: Record<string, string | string[] | undefined>): Notice {
      verifyNotice(network.signingSecret, rawBody, headers['sandbox-signature'], network.clock.now());
      const read = SandboxNotice.safeParse(parse(rawBody));
      if (!read.success) throw new NoticeRefused('unreadable', 'Not a sandbox notice');
      const { created, kind, ...rest } = read.data;
      const given = Object.entries(rest).filter(([, value]) => value !== undefined);
      return {
        ...(Object.fromEntries(given) as typeof rest),
        kind,
        type: kind,
        createdAt: new Date(created),
      } as Notice;
    },
  };
  return port satisfies PaymentGateway;
}

export type SandboxGateway = ReturnType<typeof createSandboxGateway>;

function parse(text: Buffer | string): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}
