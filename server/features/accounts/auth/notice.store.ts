import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** Records an event for a company's owners; recording it twice changes nothing. */
export async function insertNotice(tx: Tx, row: Insertable<Schema['security_notice']>): Promise<void> {
  await tx
    .insertInto('security_notice')
    .values(row)
    .onConflict((c) => c.columns(['company_id', 'log_id']).doNothing())
    .execute();
}

/**
 * The companies of a root whose owners have pending notifications, by id: as many as asked for, from the one after
 * `after`. Those notified since `calmSince` wait for the rest.
 */
export async function companiesToTell(
  tx: Tx,
  rootId: string,
  calmSince: Date,
  page: { after: string | null; companies: number },
): Promise<string[]> {
  const { rows } = await sql<{ company_id: string }>`
    select distinct n.company_id from security_notice n
    where n.root_id = ${rootId} and n.told_at is null and (${page.after}::uuid is null or n.company_id > ${page.after}::uuid)
      and ${isCalm(sql`n.company_id`, calmSince)}
    order by n.company_id limit ${page.companies}`.execute(tx);
  return rows.map((row) => row.company_id);
}

/** Whether a company's owners have not been notified since an instant. */
const isCalm = (companyId: RawBuilder<unknown>, since: Date) => sql<boolean>`
  not exists (select from security_notice t where t.company_id = ${companyId} and t.told_at > ${since})`;

/**
 * Marks the events that a company's owners are being notified of, and returns them as logged, oldest first; none if the
 * owners were notified since `calmSince`.
 */
export async function takeNotices(tx: Tx, companyId: string, at: Date, calmSince: Date) {
  const taken = await tx
    .updateTable('security_notice')
    .set({ told_at: at })
    .where('company_id', '=', companyId)
    .where('told_at', 'is', null)
    .where(isCalm(sql`${companyId}::uuid`, calmSince))
    .returning('log_id')
    .execute();
  if (taken.length === 0) return [];
  return tx
    .selectFrom('security_notice as n')
    .innerJoin('user_log as l', 'l.id', 'n.log_id')
    .innerJoin('user_log_detail as d', 'd.log_id', 'l.id')
    .innerJoin('user_account as u', 'u.id', 'n.user_id')
    .innerJoin('company as c', 'c.id', 'u.company_id')
    .select(['l.action', 'l.created_at as at', 'd.location', 'u.name', 'c.name as company'])
    .select(sql<string | null>`host(d.user_ip)`.as('ip'))
    .where('n.company_id', '=', companyId)
    .where(
      'n.log_id',
      'in',
      taken.map((row) => row.log_id),
    )
    .orderBy('l.created_at')
    .orderBy('l.id')
    .execute();
}

/** The owners of a company who can sign in. */
export async function ownersOf(tx: Tx, companyId: string) {
  return tx
    .selectFrom('user_account')
    .select(['id', 'root_id', 'agency_id', 'company_id', 'name', 'email'])
    .where('company_id', '=', companyId)
    .where('role', '=', 'owner')
    .where('disabled_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(20)
    .execute();
}

export async function deleteNotices(tx: Tx, before: Date): Promise<void> {
  await tx.deleteFrom('security_notice').where('created_at', '<', before).execute();
}
