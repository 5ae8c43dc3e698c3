import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** How long the answer to a write is kept for its key. */
export const KEPT_MS = 24 * 3_600_000;

/** The answer of an earlier write of an API key under an Idempotency-Key, if it was given since an instant. */
export const kept = (tx: Tx, of: { company_id: string; key_id: string; key: string }, since: Date) =>
  tx
    .selectFrom('developer_write')
    .select(['request_hash', 'status', 'scopes', 'answer_sealed'])
    .where('company_id', '=', of.company_id)
    .where('key_id', '=', of.key_id)
    .where('key', '=', of.key)
    .where('created_at', '>', since)
    .executeTakeFirst();

/**
 * Keeps the answer of a write under its key. False if there is one since an instant, or another transaction is about to
 * keep one: that one is waited for.
 */
export async function keep(
  tx: Tx,
  row: Insertable<Schema['developer_write']>,
  since: Date,
): Promise<boolean> {
  const done = await tx
    .insertInto('developer_write')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'key_id', 'key'])
        .doUpdateSet({
          scopes: sql`excluded.scopes`,
          request_hash: sql`excluded.request_hash`,
          status: sql`excluded.status`,
          answer_sealed: sql`excluded.answer_sealed`,
          created_at: sql`excluded.created_at`,
        })
        .where('developer_write.created_at', '<=', since),
    )
    .executeTakeFirst();
  return Number(done.numInsertedOrUpdatedRows) > 0;
}
