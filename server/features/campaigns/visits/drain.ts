import { isDatabaseAway } from '../../../platform/db/away.ts';
import { isDiskFull } from '../../../platform/disk.ts';
import type { Platform } from '../../../platform/platform.ts';
import { type Taken, writeTaken } from './log.ts';
import { decodeTaken } from './spool.policy.ts';
import { ensurePartitions } from './store.ts';

/** Whether PostgreSQL has no partition for a row: the only failed check that has no name. */
const hasNoPartition = (error: unknown): boolean => {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === '23514' && !constraint;
};

/** Whether a failure says nothing about what was to be stored: it is tried again until it works. */
function isPassing(error: unknown): boolean {
  if (error instanceof SyntaxError) return false;
  const { code = '' } = (error ?? {}) as { code?: string };
  return isDatabaseAway(error) || isDiskFull(error) || !/^(22|23)/.test(code) || hasNoPartition(error);
}

async function write(db: Platform['db'], batch: Taken[]): Promise<void> {
  try {
    await writeTaken(db.ingestPool, batch);
  } catch (error) {
    if (!hasNoPartition(error)) throw error;
    // They waited longer than partitions are made ahead.
    const days = batch.flatMap(({ visits }) => visits.map(({ day }) => day)).sort();
    await ensurePartitions(db.app, days[0]!, days.at(-1)!);
    await writeTaken(db.ingestPool, batch);
  }
}

/**
 * Puts records into the database. Those that it refuses by themselves are put aside, so that others can go on.
 * @throws what kept it from storing any, such as a database that is away
 */
export async function storeRecords(
  db: Platform['db'],
  payloads: Buffer[],
  putAside: (payload: Buffer, why: string) => Promise<void>,
): Promise<void> {
  try {
    await write(db, payloads.map(decodeTaken));
  } catch (error) {
    if (isPassing(error)) throw error;
    if (payloads.length > 1) for (const payload of payloads) await storeRecords(db, [payload], putAside);
    else await putAside(payloads[0]!, String(error));
  }
}
