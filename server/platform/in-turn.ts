/** Does something for each of some things, one after the other. Returns what failed, once all have had their turn. */
export async function inTurn<T>(all: Iterable<T>, work: (one: T) => Promise<unknown>): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const one of all) await work(one).catch((error: unknown) => failures.push(error));
  return failures;
}

/** The same. @throws the first failure, once all have had their turn */
export async function allInTurn<T>(all: Iterable<T>, work: (one: T) => Promise<unknown>): Promise<void> {
  const failures = await inTurn(all, work);
  if (failures.length > 0) throw failures[0];
}
