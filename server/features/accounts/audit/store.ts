import type { Insertable } from 'kysely';
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
