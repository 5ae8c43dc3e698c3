import type { Queue } from '../../../integrations/index.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import * as store from './store.ts';

/** Longer than an attempt may take: whoever was sending has died. */
const BUSY_MS = 120_000;
const BUSY_WAIT_MS = 5_000;
const NO_QUOTA = { calls: 3, everyMs: 1, eachBatch: 0 };

/**
 * A bucket of a third of the calls that fills with the other two thirds over the time they are allowed in: in no such
 * time are there more calls than that.
 */
export function refilled(quota: NonNullable<Queue['quota']>, calls: number, sinceMs: number): number {
  const rate = (quota.calls * 2) / 3 / quota.everyMs;
  return Math.min(quota.calls / 3, calls + Math.max(0, sinceMs) * rate);
}

type Account = Pick<store.ConnectionRow, 'root_id' | 'vendor' | 'account'>;

/** One queue for each account at a vendor, however many connections and processes send there. */
export function createQueues(clock: Clock) {
  return {
    /**
     * Takes an account's turn with the calls of a batch; in the root's scope. Returns null, or when to ask again:
     * someone else is sending, or the quota is used up.
     */
    async take(tx: Tx, account: Account, { quota = NO_QUOTA }: Queue): Promise<Date | null> {
      const now = clock.now();
      const row = await store.queueOf(tx, account, { calls: quota.calls / 3, at: now });
      if (row.busy_until && row.busy_until > now) return new Date(now.getTime() + BUSY_WAIT_MS);
      const calls = refilled(quota, row.calls, now.getTime() - row.counted_at.getTime());
      if (calls < quota.eachBatch) {
        const rate = (quota.calls * 2) / 3 / quota.everyMs;
        return new Date(now.getTime() + Math.ceil((quota.eachBatch - calls) / rate));
      }
      await store.updateQueue(tx, account, {
        busy_until: new Date(now.getTime() + BUSY_MS),
        calls: calls - quota.eachBatch,
        counted_at: now,
      });
      return null;
    },

    /** Gives an account's turn back, with the calls that were not made. */
    async give(tx: Tx, account: Account, { quota = NO_QUOTA }: Queue, made: number): Promise<void> {
      const now = clock.now();
      const row = await store.queueOf(tx, account, { calls: quota.calls / 3, at: now });
      const calls = refilled(quota, row.calls, now.getTime() - row.counted_at.getTime());
      await store.updateQueue(tx, account, {
        busy_until: null,
        calls: Math.min(quota.calls / 3, calls + quota.eachBatch - made),
        counted_at: now,
      });
    },
  };
}
