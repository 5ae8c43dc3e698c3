import { Refusal } from '../../../../contract/errors.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import { NoTax } from '../../../platform/tax.ts';
import * as store from './waits.store.ts';
import { words } from './words.ts';

export type InvoiceWaits = ReturnType<typeof createWaits>;

/** Payers that could not be billed: what keeps one from being billed holds up no one else (decision 0502). */
export function createWaits({ db, clock, log }: Pick<Platform, 'db' | 'clock' | 'log'>) {
  const within = <T>(rootId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId }, work);

  return {
    /**
     * Bills a payer for periods, oldest first, each in a transaction of its own, until one fails: that is noted, and the
     * later ones wait behind it. Returns whether it waits now, and the failure, if it is one that no one foresaw.
     */
    async bill<P extends { from: Date }>(
      of: store.Waits,
      periods: readonly P[],
      work: (period: P) => Promise<unknown>,
    ): Promise<{ waits: boolean; failure?: unknown }> {
      for (const period of periods)
        try {
          await work(period);
        } catch (error) {
          const isForeseen = error instanceof Refusal;
          const about = { err: error, company: of.owner.company_id, side: of.side, from: period.from };
          if (isForeseen) log.warn(about, 'an invoice waits');
          else log.error(about, 'a period could not be closed');
          const reason = !isForeseen ? words.unforeseen : error instanceof NoTax ? error.why : error.message;
          await within(of.owner.root_id, (tx) => store.note(tx, of, period.from, reason, clock.now()));
          return { waits: true, ...(isForeseen ? {} : { failure: error }) };
        }
      return { waits: false };
    },

    /** The payers of a root whose invoices of a cycle wait, with the start of the oldest period. */
    of: (rootId: string, cycle: store.WaitCycle) => within(rootId, (tx) => store.waiting(tx, rootId, cycle)),

    /** Whether an invoice of a cycle for a payer waits. */
    has: store.isWaiting,

    /** Forgets that a payer waited: it has been billed. */
    over: (of: store.Waits): Promise<void> => within(of.owner.root_id, (tx) => store.forget(tx, of)),
  };
}
