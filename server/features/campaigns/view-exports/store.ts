import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import { canReceive, type Recipient, recipientColumns } from '../../accounts/users/index.ts';
import type { Every } from './policy.ts';

/** A view of leads that a user can use. */
export interface LeadView {
  view_id: string;
  view_name: string;
  params: Record<string, string>;
}

export interface Schedule {
  every: Every;
  form: 'CSV' | 'link';
}

/** Whether a view `v` is one of leads that a user `u` can use. */
const canUse = sql<boolean>`v.list = 'leads' and (v.user_id = u.id or (v.is_shared and v.company_id = u.company_id))`;

/** A user as a recipient; undefined for others than owners and administrators of a client or an agency. */
export async function recipientOf(tx: Tx, userId: string): Promise<Recipient | undefined> {
  const { rows } = await sql<Recipient>`
    select ${recipientColumns} from user_account u join company c on c.id = u.company_id
    where u.id = ${userId} and ${canReceive}`.execute(tx);
  return rows[0];
}

/** A view of leads, if the user can use it. */
export async function viewOf(tx: Tx, userId: string, viewId: string): Promise<LeadView | undefined> {
  const { rows } = await sql<LeadView>`
    select v.id as view_id, v.name as view_name, v.params from list_view v join user_account u on u.id = ${userId}
    where v.id = ${viewId} and ${canUse}`.execute(tx);
  return rows[0];
}

export const exportsOf = (tx: Tx, userId: string) =>
  tx
    .selectFrom('view_export')
    .select(['view_id', 'every', 'form', 'next_at', 'sent_at'])
    .where('user_id', '=', userId)
    .orderBy('view_id')
    .execute();

export async function setExport(
  tx: Tx,
  { user_id, root_id, agency_id, company_id }: Recipient,
  viewId: string,
  { every, form, next_at }: Schedule & { next_at: Date },
): Promise<void> {
  await tx
    .insertInto('view_export')
    .values({ view_id: viewId, user_id, root_id, agency_id, company_id, every, form, next_at })
    .onConflict((c) => c.columns(['view_id', 'user_id']).doUpdateSet({ every, form, next_at }))
    .execute();
}

/** Returns whether there was one to stop. */
export async function stopExport(tx: Tx, userId: string, viewId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('view_export')
    .where('user_id', '=', userId)
    .where('view_id', '=', viewId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** An export that is due; without a recipient or a view if there is nothing left to send, or no one to send it to. */
export interface Due extends Schedule {
  next_at: Date;
  view_id: string;
  user_id: string;
  time_zone: string;
  to: Recipient | null;
  view: LeadView | null;
}

/** The next exports of a root that are due, the longest due first, without some that were found before. */
export async function dueExports(
  tx: Tx,
  rootId: string,
  at: Date,
  without: readonly Pick<Due, 'view_id' | 'user_id'>[],
  limit: number,
): Promise<Due[]> {
  const { rows } = await sql<
    Schedule & Recipient & LeadView & { next_at: Date; can_send: boolean; can_use: boolean }
  >`
    select e.every, e.form, e.next_at, v.id as view_id, v.name as view_name, v.params, ${recipientColumns},
      (${canReceive}) and not u.mail_off as can_send, ${canUse} as can_use
    from view_export e join list_view v on v.id = e.view_id join user_account u on u.id = e.user_id
    join company c on c.id = u.company_id
    where e.root_id = ${rootId} and e.next_at <= ${at}
      and not exists (select from unnest(${without.map((one) => one.view_id)}::uuid[], ${without.map((one) => one.user_id)}::uuid[]) w (view_id, user_id)
        where w.view_id = e.view_id and w.user_id = e.user_id)
    order by e.next_at, e.view_id, e.user_id limit ${limit}`.execute(tx);
  return rows.map((row) => {
    const { every, form, next_at, view_id, view_name, params, can_send, can_use, ...to } = row;
    return {
      every,
      form,
      next_at,
      view_id,
      user_id: to.user_id,
      time_zone: to.time_zone,
      to: can_send ? to : null,
      view: can_use ? { view_id, view_name, params } : null,
    };
  });
}

/** Takes on an export that is due; false if someone else has, or if it was changed. */
export async function take(
  tx: Tx,
  { view_id, user_id, next_at }: Due,
  set: { next_at: Date; sent_at?: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('view_export')
    .set(set)
    .where('view_id', '=', view_id)
    .where('user_id', '=', user_id)
    .where('next_at', '=', next_at)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
