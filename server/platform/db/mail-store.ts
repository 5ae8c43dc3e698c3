import { type Insertable, sql } from 'kysely';
import type { Schema } from './schema.ts';
import type { Tx } from './scope.ts';

/** Adds an email; false: it was there before. */
export async function insertMail(tx: Tx, row: Insertable<Schema['mail']>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('mail')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Returns an email that has not been sent yet. `is_test`: it is of a sandbox, whose mail reaches no one. */
export async function queuedMail(tx: Tx, id: string) {
  return tx
    .selectFrom('mail')
    .selectAll()
    .select(sql<boolean>`is_sandbox(root_id)`.as('is_test'))
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .executeTakeFirst();
}

export async function markMail(
  tx: Tx,
  id: string,
  to: {
    state: 'queued' | 'sent' | 'kept' | 'failed';
    attempts: number;
    last_error: string | null;
    sent_at: Date | null;
    keepBody: boolean;
    /** The sender actually used, if it differs from the one written. */
    from?: { name: string; address: string };
  },
): Promise<void> {
  const { keepBody, from, ...values } = to;
  await tx
    .updateTable('mail')
    .set({
      ...values,
      ...(keepBody ? {} : { body_sealed: null }),
      ...(from ? { from_name: from.name, from_address: from.address } : {}),
    })
    .where('id', '=', id)
    .execute();
}

/** Returns the latest emails that the scope may see. */
export async function newestMails(tx: Tx, limit: number) {
  return tx
    .selectFrom('mail')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** A page of the emails that the scope can see, newest first, with the name of the company they are about; and how many there are. */
export async function pageOfMails(
  tx: Tx,
  asked: { id?: string | undefined; search?: string | undefined; limit: number; offset: number },
) {
  let from = tx.selectFrom('mail as m').innerJoin('company as c', 'c.id', 'm.company_id');
  if (asked.id) from = from.where('m.id', '=', asked.id);
  if (asked.search) {
    const like = `%${asked.search.replace(/[\\%_]/g, '\\$&')}%`;
    from = from.where(
      sql<boolean>`(m.subject ilike ${like} or m.to_address ilike ${like} or m.to_name ilike ${like})`,
    );
  }
  const rows = await from
    .selectAll('m')
    .select('c.name as company_name')
    .orderBy('m.created_at', 'desc')
    .orderBy('m.id', 'desc')
    .limit(asked.limit)
    .offset(asked.offset)
    .execute();
  const { total } = await from.select((eb) => eb.fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

const oldMails = (before: Date, most: number) => sql<{ id: string }>`
  select id from mail where created_at < ${before} and state <> 'queued' limit ${most}`;

/** How many emails of the scope are from before an instant, without those that wait, counted up to `most`. */
export const countMails = async (tx: Tx, before: Date, most: number): Promise<number> =>
  (await oldMails(before, most).execute(tx)).rows.length;

/** Deletes up to `most` of them; returns how many. */
export async function deleteMails(tx: Tx, before: Date, most: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from mail where id in (${oldMails(before, most)})`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}
