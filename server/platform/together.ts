interface Waiting<T, R> {
  item: T;
  done: (result: R) => void;
  fail: (error: unknown) => void;
}

/**
 * Returns a function that does `work` in one go for what is given to it within `gatherMs`, and while earlier work with
 * the same key is done. The results are in the order of the items. If it fails, it is done one by one, so that only
 * those fail that cannot be done.
 */
export function together<T, R>(
  gatherMs: number,
  keyOf: (item: T) => string,
  work: (items: T[]) => Promise<R[]>,
): (item: T) => Promise<R> {
  const queues = new Map<string, Waiting<T, R>[]>();

  async function flush(key: string): Promise<void> {
    const waiting = queues.get(key)!;
    queues.set(key, []);
    try {
      const results = await work(waiting.map(({ item }) => item));
      for (const [at, { done }] of waiting.entries()) done(results[at]!);
    } catch (error) {
      if (waiting.length === 1) waiting[0]!.fail(error);
      else
        for (const { item, done, fail } of waiting)
          await work([item]).then(([result]) => done(result as R), fail);
    }
    if (queues.get(key)!.length > 0) setTimeout(flush, gatherMs, key);
    else queues.delete(key);
  }

  return (item) =>
    new Promise((done, fail) => {
      const key = keyOf(item);
      const queue = queues.get(key);
      if (queue) queue.push({ item, done, fail });
      else {
        queues.set(key, [{ item, done, fail }]);
        setTimeout(flush, gatherMs, key);
      }
    });
}
