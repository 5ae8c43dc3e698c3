import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** Inserts a log row with its erasable detail, and notes that it is to be sealed. */
export async function insertLog(
  tx: Tx,
  row: Insertable<Schema['user_log']>,
  detail: Omit<Insertable<Schema['user_log_detail']>, 'log_id' | 'root_id' | 'agency_id' | 'company_id'>,
): Promise<void> {
  await tx.insertInto('user_log').values(row).execute();
  const { id, root_id, agency_id, company_id } = row;
  await tx
    .insertInto('log_unsealed')
    .values({ log_id: id, root_id, agency_id: agency_id ?? null, company_id })
    .execute();
  await tx
    .insertInto('user_log_detail')
    .values({ log_id: id, root_id, agency_id: agency_id ?? null, company_id, ...detail })
    .execute();
}

/** The name of a user and of the company they belong to, if the scope may see them. */
export async function whoIs(
  tx: Tx,
  userId: string,
): Promise<{ name: string; company_name: string; kind: string; role: string } | undefined> {
  return tx
    .selectFrom('user_account as u')
    .innerJoin('company as c', 'c.id', 'u.company_id')
    .select(['u.name', 'c.name as company_name', 'c.kind', 'u.role'])
    .where('u.id', '=', userId)
    .executeTakeFirst();
}

/** Below every id of that instant or later: ids begin with their time, and rows are found by their ids. */
const idBefore = (at: Date): string => {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
};
const oldDetails = (rootId: string, before: Date, most: number) => sql<{ log_id: string }>`
  select log_id from user_log_detail where root_id = ${rootId}::uuid and log_id < ${idBefore(before)}::uuid
  order by log_id limit ${most}`;

/** How many entries of a root from before an instant still have their details, counted up to `most`. */
export async function countDetails(tx: Tx, rootId: string, before: Date, most: number): Promise<number> {
  return (await oldDetails(rootId, before, most).execute(tx)).rows.length;
}

/** Erases the details of a root's oldest entries from before an instant; the entries keep their hash. Returns how many. */
export async function forgetDetails(tx: Tx, rootId: string, before: Date, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from user_log_detail where log_id in (${oldDetails(rootId, before, most)})`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}
