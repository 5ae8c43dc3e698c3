import { type Db, inScope, type Tx } from '../../platform/db/scope.ts';
import type { LeadSale, Till } from './till.ts';

/** So many sales share a transaction at most. */
const MOST = 50;
/** So many transactions of a root are under way at once. */
const BESIDE = 2;

interface Waiting {
  sale: LeadSale;
  done: (transferId: string | null) => void;
  fail: (error: unknown) => void;
}
interface Queue {
  waiting: Waiting[];
  gathering: boolean;
  underWay: number;
}

/**
 * Sells leads that come alone. Those of a root that come while others are being sold share the next transaction, so that batches
 * grow with the load by themselves, and each is answered after its commit (decision 30 has the figures). Who has a batch in a transaction already uses the till.
 */
export function createCounter(
  db: Db,
  till: (tx: Tx, sales: LeadSale[]) => Promise<Till>,
  sellOne: (sale: LeadSale) => Promise<string | null>,
) {
  const queues = new Map<string, Queue>();

  async function flush(rootId: string, queue: Queue): Promise<void> {
    const batch = queue.waiting.splice(0, MOST);
    if (batch.length === 0) return;
    queue.underWay++;
    try {
      await sellAll(rootId, batch);
    } finally {
      queue.underWay--;
      if (queue.waiting.length > 0) gather(rootId, queue);
      else if (queue.underWay === 0 && !queue.gathering) queues.delete(rootId);
    }
  }

  function gather(rootId: string, queue: Queue): void {
    if (queue.waiting.length >= MOST) void flush(rootId, queue);
    else if (queue.underWay < BESIDE && !queue.gathering) {
      queue.gathering = true;
      setImmediate(() => {
        queue.gathering = false;
        void flush(rootId, queue);
      });
    }
  }

  /** Sells a batch. What the till refuses, or what fails, is sold alone, so that nobody is told of somebody else's failure. */
  async function sellAll(rootId: string, batch: Waiting[]): Promise<void> {
    const alone = new Set(batch.length === 1 ? batch : []);
    if (alone.size === 0) {
      try {
        const byLead = await inScope(db, { rootId }, async (tx) => {
          alone.clear();
          const open = await till(
            tx,
            batch.map(({ sale }) => sale),
          );
          const taken = new Set<string>();
          for (const one of batch) {
            // The same lead twice is posted once: whoever comes second has to see that.
            if (taken.has(one.sale.id) || open.refusal(one.sale)) alone.add(one);
            else {
              taken.add(one.sale.id);
              open.take(one.sale);
            }
          }
          return open.settle();
        });
        for (const one of batch) if (!alone.has(one)) one.done(byLead.get(one.sale.id) ?? null);
      } catch {
        for (const one of batch) alone.add(one);
      }
    }
    for (const { sale, done, fail } of alone) await sellOne(sale).then(done, fail);
  }

  /**
   * Sells one lead. Answers its transfer once that is committed; null: it costs nobody anything, or was posted before.
   * @throws what sellLeads throws, for this lead alone
   */
  return (sale: LeadSale): Promise<string | null> =>
    new Promise((done, fail) => {
      const queue = queues.getOrInsertComputed(sale.rootId, () => ({
        waiting: [],
        gathering: false,
        underWay: 0,
      }));
      queue.waiting.push({ sale, done, fail });
      gather(sale.rootId, queue);
    });
}
