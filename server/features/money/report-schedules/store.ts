import { type Insertable, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

type Row = Schema['report_schedule'];

/** The schedules of a company, the oldest first. */
export const schedulesOf = (tx: Tx, companyId: string) =>
  tx
    .selectFrom('report_schedule as s')
    .leftJoin('user_account as u', 'u.id', 's.created_by')
    .selectAll('s')
    .select('u.name as created_by_name')
    .where('s.company_id', '=', companyId)
    .orderBy('s.created_at')
    .orderBy('s.id')
    .execute();

/** A schedule of a company, locked. */
export const scheduleById = (tx: Tx, companyId: string, id: string) =>
  tx
    .selectFrom('report_schedule')
    .selectAll()
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .forUpdate()
    .executeTakeFirst();
export type Schedule = NonNullable<Awaited<ReturnType<typeof scheduleById>>>;

export async function insertSchedule(tx: Tx, row: Insertable<Row>): Promise<void> {
  await tx.insertInto('report_schedule').values(row).execute();
}
export async function updateSchedule(tx: Tx, id: string, set: Updateable<Row>): Promise<void> {
  await tx.updateTable('report_schedule').set(set).where('id', '=', id).execute();
}
export async function deleteSchedule(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('report_schedule').where('id', '=', id).execute();
}

/** The next schedules of a root that are due, the longest due first, except some. */
export const dueSchedules = (tx: Tx, rootId: string, at: Date, skip: readonly string[], limit: number) =>
  tx
    .selectFrom('report_schedule as s')
    .innerJoin('company as c', 'c.id', 's.company_id')
    .selectAll('s')
    .select(['c.name as company_name', 'c.time_zone', 'c.removed_at'])
    .where('s.root_id', '=', rootId)
    .where('s.next_at', '<=', at)
    .where('s.is_paused', '=', false)
    .$if(skip.length > 0, (q) => q.where('s.id', 'not in', skip))
    .orderBy('s.next_at')
    .orderBy('s.id')
    .limit(limit)
    .execute();
export type Due = Awaited<ReturnType<typeof dueSchedules>>[number];

/**
 * Who gets a report that is due, now that it is made; locked. Undefined: someone else has sent it, or it was changed or
 * paused.
 */
export async function stillDue(tx: Tx, due: Due): Promise<{ user_ids: string[] } | undefined> {
  return tx
    .selectFrom('report_schedule')
    .select('user_ids')
    .where('id', '=', due.id)
    .where('next_at', '=', due.next_at)
    .where('is_paused', '=', false)
    .where('report', '=', due.report)
    .where('period', '=', due.period)
    .where('compare', '=', due.compare)
    .where('every', '=', due.every)
    .forUpdate()
    .executeTakeFirst();
}

/** Records that a report that is due could not be made. */
export async function failed(tx: Tx, { id, next_at }: Pick<Due, 'id' | 'next_at'>, at: Date): Promise<void> {
  await tx
    .updateTable('report_schedule')
    .set({ last_at: at, last_sent: null })
    .where('id', '=', id)
    .where('next_at', '=', next_at)
    .execute();
}

/** Sends a report to a user no more. Returns it; undefined if it was not sent to them. */
export const dropUser = (tx: Tx, id: string, userId: string) =>
  tx
    .updateTable('report_schedule')
    .set({ user_ids: sql<string[]>`array_remove(user_ids, ${userId}::uuid)` })
    .where('id', '=', id)
    .where(sql<boolean>`${userId}::uuid = any(user_ids)`)
    .returning(['root_id', 'agency_id', 'company_id', 'report'])
    .executeTakeFirst();
