import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { TaxPort } from '../../../platform/tax.ts';
import type { createCredit } from './credit.service.ts';
import type { createIssue } from './issue.service.ts';
import { receiptJob } from './queue.ts';
import * as store from './receipt.store.ts';
import { creditedFor, type Payer } from './store.ts';

/** Money that came in for a campaign, or (below zero) unused balance that went back to the card. */
interface Moved {
  owner: Payer;
  campaignId: string | null;
  term: 'One Time' | 'Prepaid';
  amountMicros: bigint;
  /** The transfer posted now, and the one posted by the purchase. */
  transferId: string;
  topUpId: string;
  description: string;
}

/**
 * The documents for money that moves immediately: receipts and their credit notes. If taxes come from the network, a
 * job writes them, since the money has already moved and must not wait; all documents of a purchase are written in the
 * order in which things happened.
 */
export function createReceipts(
  { db, clock, jobs, log }: Pick<Platform, 'db' | 'clock' | 'jobs' | 'log'>,
  parts: {
    taxes: TaxPort;
    receipt: ReturnType<typeof createIssue>['receipt'];
    creditReceipt: ReturnType<typeof createCredit>['creditReceipt'];
  },
) {
  async function write(tx: Tx, moved: Moved, at: Date): Promise<void> {
    const { topUpId, ...rest } = moved;
    let { amountMicros } = moved;
    // What was put back has a receipt as far as it had a credit note: disputes did not always have one.
    if (amountMicros > 0n && moved.transferId !== topUpId) {
      amountMicros = await creditedFor(tx, topUpId, moved.transferId);
      if (amountMicros === 0n) return;
    }
    if (amountMicros > 0n) await parts.receipt(tx, { ...rest, amountMicros }, at);
    else
      await parts.creditReceipt(
        tx,
        {
          transferId: topUpId,
          refundTransferId: moved.transferId,
          amountMicros: -amountMicros,
          reason: moved.description,
          key: moved.transferId,
          userId: null,
        },
        at,
      );
  }

  return {
    /** Writes the document of money that has moved, in its transaction or after it. */
    async moved(tx: Tx, moved: Moved): Promise<void> {
      const at = clock.now();
      const { root_id: rootId } = moved.owner;
      const mustWait =
        (moved.amountMicros > 0n && (await parts.taxes.isAsked(tx, rootId))) ||
        (await store.waits(tx, moved.topUpId));
      if (!mustWait) return write(tx, moved, at);
      await store.add(tx, { ...moved, at });
      await jobs.send(tx, receiptJob, [{ rootId }]);
    },

    /**
     * Writes what is waiting in a root, oldest first. If one fails, the others continue, except those of the same
     * purchase.
     */
    async writeAll(rootId: string): Promise<void> {
      const stuck = new Set<string>();
      let failure: unknown;
      for (let after = 0n; ; ) {
        const due = await inScope(db.app, { rootId }, (tx) => store.due(tx, rootId, after));
        if (due.length === 0) break;
        after = due.at(-1)!.serial;
        for (const { serial, top_up_id } of due) {
          if (stuck.has(top_up_id)) continue;
          try {
            await inScope(db.app, { rootId }, async (tx) => {
              const moved = await store.take(tx, serial);
              if (moved) await write(tx, moved, clock.now());
            });
          } catch (error) {
            log.error({ err: error, topUp: top_up_id }, 'could not write a receipt');
            stuck.add(top_up_id);
            failure ??= error;
          }
        }
      }
      if (failure) throw failure;
    },
  };
}
