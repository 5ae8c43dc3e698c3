import { Refusal } from '../../contract/errors.ts';
import { ownMessages } from '../../contract/messages.ts';

/** How much of something expensive is done at once, and for whom. */
export interface TurnBounds {
  /** How many run at once, one for each company. */
  atOnce: number;
  /** How many may wait, and how many of those may be one company's. */
  waiting: number;
  waitingEach: number;
  /** How long one company's may run within a window. */
  budgetMs: number;
  windowMs: number;
}

export type Turns = ReturnType<typeof createTurns>;

/**
 * Work that takes a thread or its own process: a company has one turn at a time, and a limited time within a
 * window, so that no company can occupy what everyone shares.
 */
export function createTurns({ atOnce, waiting, waitingEach, budgetMs, windowMs }: TurnBounds) {
  const running = new Set<string>();
  const queue: { by: string; begin: () => void }[] = [];
  const spent = new Map<string, { ms: number; until: number }>();

  const busy = (seconds: number): never => {
    throw new Refusal('too_many', ownMessages.tooManyTries(seconds), { retryAfter: seconds });
  };

  async function begin(by: string): Promise<void> {
    const own = spent.get(by);
    const left = own ? own.until - performance.now() : 0;
    if (own && left > 0 && own.ms >= budgetMs) busy(Math.ceil(left / 1000));
    if (running.size < atOnce && !running.has(by)) running.add(by);
    else {
      if (queue.length >= waiting || queue.filter((one) => one.by === by).length >= waitingEach) busy(10);
      await new Promise<void>((begin) => queue.push({ by, begin }));
    }
  }

  /** Gives the turn to the first that waits and has none. */
  function end(by: string, ms: number): void {
    const now = performance.now();
    for (const [key, { until }] of spent) if (until <= now) spent.delete(key);
    const own = spent.get(by) ?? { ms: 0, until: now + windowMs };
    spent.set(by, { ...own, ms: own.ms + ms });
    running.delete(by);
    const next = queue.findIndex((one) => !running.has(one.by));
    const [one] = next < 0 ? [] : queue.splice(next, 1);
    if (!one) return;
    running.add(one.by);
    one.begin();
  }

  /**
   * Does the work when it is this company's turn.
   * @throws Refusal 429 if too many already wait, or the company's time is used up
   */
  return async function inTurn<T>(by: string, work: () => Promise<T>): Promise<T> {
    await begin(by);
    const started = performance.now();
    try {
      return await work();
    } finally {
      end(by, performance.now() - started);
    }
  };
}
