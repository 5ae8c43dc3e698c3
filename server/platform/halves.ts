import { isDatabaseAway } from './db/away.ts';
import { isDiskFull } from './disk.ts';

/**
 * Classes of failures: conflicts of transactions, resources, states of objects, operator, system; and tables, columns, and
 * functions of another release.
 */
const PASSING = /^(40|53|55|57|58|42P01$|42703$|42883$)/;
/** A statement took too long: with fewer rows it may not. */
const TOOK_TOO_LONG = '57014';

/** Whether a failure says nothing about what was worked on: it goes away by itself, for all of it. */
function isPassing(error: unknown): boolean {
  const { code, syscall, name } = (error ?? {}) as { code?: unknown; syscall?: unknown; name?: unknown };
  if (code === TOOK_TOO_LONG) return false;
  if (isDatabaseAway(error) || isDiskFull(error)) return true;
  return syscall !== undefined || name === 'AbortError' || (typeof code === 'string' && PASSING.test(code));
}

/**
 * Works off up to `most` of what is due, so that one that always fails holds up no other: a batch that fails is tried
 * again by halves, down to the one that fails alone, which `setAside` takes out of the way. `work` takes what is due in a
 * fixed order, says by `onTaken` what that is, and returns how much; a fault of it must leave nothing behind. Returns how
 * much was worked off or set aside.
 * @throws what goes away by itself, such as a database that is away, and what fails before anything is taken
 */
export async function inHalves<T>(
  most: number,
  work: (most: number, onTaken: (taken: readonly T[]) => void) => Promise<number>,
  setAside: (one: T, error: unknown) => Promise<void>,
): Promise<number> {
  let taken: readonly T[] = [];
  try {
    return await work(most, (rows) => {
      taken = rows;
    });
  } catch (error) {
    const [one, ...others] = taken;
    if (one === undefined || isPassing(error)) throw error;
    if (others.length === 0) {
      await setAside(one, error);
      return 1;
    }
    const half = taken.length >> 1;
    return (
      (await inHalves(taken.length - half, work, setAside)) +
      (await inHalves(half + most - taken.length, work, setAside))
    );
  }
}
