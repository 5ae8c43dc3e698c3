import type { Selectable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export type StoppedRow = Selectable<Schema['job_run']>;

/** A page of the jobs that were set aside and that the scope may see, newest first, and how many there are. */
export async function pageOfStopped(
  tx: Tx,
  limit: number,
  offset: number,
): Promise<{ rows: StoppedRow[]; total: number }> {
  const query = tx.selectFrom('job_run').where('set_aside_at', 'is not', null);
  const rows = await query
    .selectAll()
    .orderBy('set_aside_at', 'desc')
    .orderBy('key')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await query
    .select((eb) => eb.fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** A job that was set aside. */
export async function stoppedByKey(tx: Tx, key: string): Promise<StoppedRow | undefined> {
  return tx
    .selectFrom('job_run')
    .selectAll()
    .where('key', '=', key)
    .where('set_aside_at', 'is not', null)
    .executeTakeFirst();
}
