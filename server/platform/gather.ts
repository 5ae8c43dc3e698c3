/** How much is done at once, and how often at the same time. */
export interface GatherSizes {
  /** The most that one run takes. */
  batch: number;
  /** The most runs at the same time; beyond the first, only full batches. */
  runs: number;
  /** Beyond this many that wait, more are refused. */
  waiting: number;
}

interface Waiting<Item, Answer> {
  item: Item;
  done: (answer: Answer) => void;
  fail: (error: unknown) => void;
}

/** Too much waits to be done together. */
export class Overfull extends Error {
  override name = 'Overfull';
}

/**
 * Does many small things together: what comes while a run is in progress waits for the next, so that runs grow with the
 * load by themselves. `run` answers each of its items, in their order; if it throws, all of them fail.
 * @throws Overfull
 */
export function createGather<Item, Answer>(
  sizes: GatherSizes,
  run: (items: Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  let queue: Waiting<Item, Answer>[] = [];
  let running = 0;

  function next(): void {
    while (queue.length > 0 && (running === 0 || (queue.length >= sizes.batch && running < sizes.runs))) {
      const batch = queue.slice(0, sizes.batch);
      queue = queue.slice(sizes.batch);
      running++;
      void run(batch.map(({ item }) => item))
        .then(
          (answers) => {
            for (const [n, one] of batch.entries()) one.done(answers[n]!);
          },
          (error) => {
            for (const one of batch) one.fail(error);
          },
        )
        .finally(() => {
          running--;
          next();
        });
    }
  }

  return (item) =>
    new Promise((done, fail) => {
      if (queue.length >= sizes.waiting) return fail(new Overfull(`${queue.length} wait already`));
      queue.push({ item, done, fail });
      // What arrives in the same turn goes together.
      if (queue.length === 1 && running === 0) setImmediate(next);
      else if (queue.length >= sizes.batch) next();
    });
}
