import type { Charge, Purpose, PurposeHandler } from '../features/money/payments/index.ts';
import type { Wallet } from '../features/money/wallet/index.ts';
import type { Tx } from '../platform/db/scope.ts';

/** The purpose of test charges: every real purpose already has its own feature. */
export const TEST_PURPOSE = 'test' as Purpose;

/**
 * A purpose whose charges become lots of the Data Wallet, for tests of charges; follows what docs/money.md says about
 * each event.
 */
export function walletPurpose(wallet: Wallet): PurposeHandler {
  const of = ({ owner }: Charge) => ({ rootId: owner.root_id, agencyId: owner.agency_id });
  // A repeat with the same key returns the same lot.
  const topUp = (tx: Tx, charge: Charge, at: Date) =>
    wallet.topUp(
      tx,
      { ...of(charge), amountMicros: charge.amountMicros, key: charge.id, referenceId: charge.id },
      at,
    );
  return {
    async succeeded(tx, charge, at) {
      await topUp(tx, charge, at);
    },
    async declined() {},
    async refunded(tx, charge, { id, amountMicros, isOutside }, at) {
      const { lotId } = await topUp(tx, charge, at);
      const book = isOutside ? wallet.dispute : wallet.refund;
      await book(tx, { ...of(charge), lotId, amountMicros, key: id }, at);
    },
    async refundFailed(tx, charge, { id, amountMicros, isOutside }, at) {
      const { lotId } = await topUp(tx, charge, at);
      if (isOutside) await wallet.reverseDispute(tx, { ...of(charge), lotId, key: id }, at);
      else
        await wallet.topUp(tx, { ...of(charge), amountMicros, key: `back:${id}`, memo: 'Refund failed' }, at);
    },
    async disputed(tx, charge, { id, amountMicros }, at) {
      const { lotId } = await topUp(tx, charge, at);
      await wallet.dispute(tx, { ...of(charge), lotId, amountMicros, key: id }, at);
    },
    async disputeWon(tx, charge, { id }, at) {
      const { lotId } = await topUp(tx, charge, at);
      await wallet.reverseDispute(tx, { ...of(charge), lotId, key: id }, at);
    },
  };
}
