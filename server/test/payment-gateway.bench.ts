import type { ManualClock } from '../platform/clock.ts';
import {
  type Card,
  type CardStart,
  type ChargeOutcome,
  type ChargeRequest,
  GatewayError,
  type PaymentGateway,
} from '../platform/payments.ts';

export type SignedNotice = { body: string; headers: Record<string, string> };

/** One implementation of the port, and the network behind it from the other side. */
export interface GatewayBench {
  gateway: PaymentGateway;
  clock: ManualClock;
  /**
   * The holder enters this card in the browser; if `passes` is undefined, they have not answered the bank's prompt yet.
   */
  enterCard(start: CardStart, number: string, passes?: boolean): Promise<void>;
  /** The holder answers the bank's prompt about a declined charge. */
  authenticateCharge(clientSecret: string, passes: boolean): Promise<void>;
  /** The account's owner submits the form; then the network reviews it; then reaches a verdict. */
  onboard(account: string, step: 'submitted' | 'approved' | 'rejected'): Promise<void>;
  /** The notices the network has sent since the last call, signed now. */
  notices(): Promise<SignedNotice[]>;
  /** What the network has actually charged there, in cents, one entry per charge. */
  captured(account?: string): Promise<number[]>;
  /** The network sends what is on the account to the bank, as it does once a day. */
  payOut(account?: string): Promise<void>;
  /** Someone refunds a charge at the network itself. */
  refundThere(charge: string, amountCents: number): Promise<void>;
  /** How often the network was called. */
  requests(): number;
  /** Waits until late answers have arrived. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export const WORKS = '4242424242424242';

/** Helpers that the contract's tests use repeatedly. */
export function toolsFor(bench: GatewayBench) {
  const { gateway } = bench;
  let keys = 0;
  /** A new idempotency key. */
  const key = () => `key-${++keys}`;
  const customer = (account?: string) =>
    gateway.createCustomer({ reference: 'company-1', name: 'A shop', idempotencyKey: key(), account });
  async function start(account?: string) {
    const id = await customer(account);
    return { customer: id, ...(await gateway.startCard({ customer: id, idempotencyKey: key(), account })) };
  }
  async function onFile(number = WORKS, account?: string): Promise<{ customer: string; card: Card }> {
    const begun = await start(account);
    await bench.enterCard(begun, number, true);
    const end = await gateway.finishCard({ setup: begun.setup, account });
    if (end.status !== 'saved') throw new Error(`${number} was not saved: ${JSON.stringify(end)}`);
    return { customer: begun.customer, card: end.card };
  }
  const request = (
    { customer, card }: { customer: string; card: Card },
    more: Partial<ChargeRequest> = {},
  ): ChargeRequest => ({
    customer,
    card: card.id,
    amountCents: 1234,
    currency: 'usd',
    idempotencyKey: key(),
    description: 'Data wallet',
    ...more,
  });
  const find = (made: ChargeRequest) => gateway.findCharge({ ...made, since: bench.clock.now() });
  const code = (promise: Promise<unknown>) =>
    promise.then(
      (answer) => `answered ${JSON.stringify(answer)}`,
      (error) => (error instanceof GatewayError ? error.code : String(error)),
    );
  const idOf = (outcome: ChargeOutcome) => (outcome.status === 'unknown' ? undefined : outcome.charge);
  return { key, start, onFile, request, find, code, idOf };
}
