import { Refusal } from '../../../../contract/errors.ts';
import type { TransferKind } from '../../../../contract/money/ledger.ts';
import { prepaidMessages } from '../../../../contract/money/prepaid-messages.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { AccountRef, Ledger } from '../ledger/index.ts';
import type { Charge } from '../payments/index.ts';
import { least } from './policy.ts';
import { leftOf } from './store.ts';

/** What moved in or out of a balance, and the transfer. */
interface Moved {
  id: string;
  micros: bigint;
}

export type ClientOwner = Owner & { agency_id: string };

/** What card payments do to prepaid balances, in the ledger (docs/money.md). Every posting is under the balance's lock. */
export function createBook(ledger: Ledger) {
  const prepaid = (owner: ClientOwner, campaignId: string): AccountRef => ({
    owner,
    kind: 'client_prepaid',
    campaignId,
  });
  const clearing = (owner: ClientOwner): AccountRef => ({
    owner: { ...owner, company_id: owner.agency_id },
    kind: 'card_clearing',
  });

  /** The balance of a campaign, locked until the transaction ends. */
  async function hold(tx: Tx, owner: ClientOwner, campaignId: string, at: Date): Promise<bigint> {
    const [held] = await ledger.lock(tx, [prepaid(owner, campaignId)], at);
    return held!.balance;
  }

  async function post(
    tx: Tx,
    charge: Charge,
    given: {
      kind: TransferKind;
      key: string;
      referenceId?: string;
      memo?: string;
      entries: { account: AccountRef; amount: bigint }[];
    },
    at: Date,
  ): Promise<string | null> {
    const [id] = await ledger.post(
      tx,
      [{ owner: charge.owner, campaignId: charge.referenceId, referenceId: charge.id, ...given }],
      at,
    );
    return id ?? null;
  }

  /**
   * Takes money that went back to the card out of the balance, in whole cents and never more than is left of what the
   * charge brought in; any shortfall is owed. Returns the transfer, and how much was taken out.
   */
  async function take(
    tx: Tx,
    charge: Charge,
    given: { kind: TransferKind; key: string; amount: bigint; owes: boolean },
    at: Date,
  ): Promise<Moved | null> {
    const { owner, referenceId: campaignId } = charge;
    const balance = await hold(tx, owner, campaignId, at);
    const left = least(
      least(balance - (balance % 10_000n), given.amount),
      await leftOf(tx, owner.company_id, charge.id),
    );
    if (left < given.amount && !given.owes)
      throw new Refusal('conflict', prepaidMessages.spent, {
        errors: { amount: ['is more than the remaining balance'] },
      });
    const { kind, key, amount } = given;
    const id = await post(
      tx,
      charge,
      {
        kind,
        key,
        ...(left < amount ? { memo: prepaidMessages.owed } : {}),
        entries: [
          { account: prepaid(owner, campaignId), amount: -left },
          { account: { owner, kind: 'client_unbilled', campaignId }, amount: left - amount },
          { account: clearing(owner), amount },
        ],
      },
      at,
    );
    return id === null ? null : { id, micros: left };
  }

  /** Books that a `take` did not happen after all: reverses all its entries. Returns how much is back in the balance. */
  async function putBack(
    tx: Tx,
    charge: Charge,
    given: { of: string; kind: TransferKind; memo: string },
    at: Date,
  ): Promise<Moved | null> {
    const { owner, referenceId: campaignId } = charge;
    await hold(tx, owner, campaignId, at);
    const original = await ledger.posted(tx, owner.root_id, given.of);
    if (!original) return null;
    const id = await post(
      tx,
      charge,
      {
        kind: given.kind,
        key: `${given.of}:back`,
        memo: given.memo,
        entries: original.entries.map((entry) => ({
          account:
            entry.companyId === owner.company_id
              ? { owner, kind: entry.kind, campaignId }
              : { owner: { ...owner, company_id: owner.agency_id }, kind: entry.kind },
          amount: -entry.amount,
        })),
      },
      at,
    );
    const out = original.entries.find((entry) => entry.kind === 'client_prepaid');
    return id === null ? null : { id, micros: -(out?.amount ?? 0n) };
  }

  return {
    hold,

    /** Posts what a charge has bought, only once. Returns the transfer. */
    async buy(tx: Tx, charge: Charge, at: Date): Promise<string> {
      const key = `prepaid_top_up:${charge.id}`;
      const id = await post(
        tx,
        charge,
        {
          kind: 'prepaid_top_up',
          key,
          entries: [
            { account: prepaid(charge.owner, charge.referenceId), amount: charge.amountMicros },
            { account: clearing(charge.owner), amount: -charge.amountMicros },
          ],
        },
        at,
      );
      return id ?? (await ledger.posted(tx, charge.owner.root_id, key))!.id;
    },

    /**
     * Takes out what is refunded to the card.
     * @throws Refusal 409 if less than that is unused, unless `owes`
     */
    refund: (tx: Tx, charge: Charge, refundId: string, amount: bigint, owes: boolean, at: Date) =>
      take(tx, charge, { kind: 'prepaid_refund', key: `prepaid_refund:${refundId}`, amount, owes }, at),
    refundFailed: (tx: Tx, charge: Charge, refundId: string, at: Date) =>
      putBack(
        tx,
        charge,
        {
          of: `prepaid_refund:${refundId}`,
          kind: 'prepaid_refund',
          memo: 'The refund did not go through',
        },
        at,
      ),
    dispute: (tx: Tx, charge: Charge, disputeId: string, amount: bigint, at: Date) =>
      take(tx, charge, { kind: 'dispute', key: `prepaid_dispute:${disputeId}`, amount, owes: true }, at),
    disputeWon: (tx: Tx, charge: Charge, disputeId: string, at: Date) =>
      putBack(
        tx,
        charge,
        {
          of: `prepaid_dispute:${disputeId}`,
          kind: 'dispute_reversal',
          memo: 'The dispute was decided in favor of the purchase',
        },
        at,
      ),
  };
}

export type Book = ReturnType<typeof createBook>;
