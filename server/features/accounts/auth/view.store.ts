import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';

/** The view of a login that has not been ended, if any; it may have lapsed. */
export async function openView(tx: Tx, sessionId: string) {
  return tx
    .selectFrom('session')
    .select(['id', 'user_id', 'expires_at'])
    .where('viewer_session_id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

export async function setViewEnd(tx: Tx, id: string, expiresAt: Date): Promise<void> {
  await tx.updateTable('session').set({ expires_at: expiresAt }).where('id', '=', id).execute();
}

/** What GET /user returns about a view: why, and until when. */
export async function viewOf(tx: Tx, id: string) {
  return tx
    .selectFrom('session')
    .select(['view_reason as reason', 'expires_at'])
    .where('id', '=', id)
    .where('viewer_session_id', 'is not', null)
    .executeTakeFirst();
}

/** Who looked at a company in view mode, newest first: what was logged, with why and until when. */
export async function pageOfViews(tx: Tx, companyId: string, limit: number, offset: number) {
  const base = tx
    .selectFrom('user_log as l')
    .where('l.company_id', '=', companyId)
    .where('l.action', '=', 'view.start');
  const rows = await base
    .leftJoin('user_log_detail as d', 'd.log_id', 'l.id')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('session as s')
          .select(['s.view_reason as reason', 's.expires_at', 's.revoked_at'])
          .where(sql<boolean>`s.user_id = l.object_id::uuid`)
          .whereRef('s.viewer_id', '=', 'l.actor_id')
          // The view's session is made in the same transaction, a moment before its row.
          .whereRef('s.created_at', '<=', 'l.created_at')
          .orderBy('s.created_at', 'desc')
          .limit(1)
          .as('v'),
      (join) => join.onTrue(),
    )
    .select(['l.id', 'l.created_at', 'd.name', 'v.reason', 'v.expires_at', 'v.revoked_at'])
    .orderBy('l.created_at', 'desc')
    .orderBy('l.id')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await base.select((eb) => eb.fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** Companies directly below `parentId`, with the owner the actor may view as. `search` matches names and owners. */
export async function pageOfCompanies(
  tx: Tx,
  parentId: string,
  given: { search: string; sort: string | undefined; order: 'asc' | 'desc'; limit: number; offset: number },
) {
  const like = `%${given.search.replace(/[\\%_]/g, '\\$&')}%`;
  const base = tx
    .selectFrom('company as c')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('user_account as u')
          .select(['u.id as user_id', 'u.name', 'u.email'])
          .whereRef('u.company_id', '=', 'c.id')
          .where('u.role', '=', 'owner')
          .where('u.disabled_at', 'is', null)
          .orderBy('u.created_at')
          .orderBy('u.id')
          .limit(1)
          .as('o'),
      (join) => join.onTrue(),
    )
    .where('c.parent_id', '=', parentId)
    .where('c.removed_at', 'is', null)
    .$if(given.search !== '', (q) =>
      q.where((eb) =>
        eb.or([eb('c.name', 'ilike', like), eb('o.name', 'ilike', like), eb('o.email', 'ilike', like)]),
      ),
    );
  const rows = await base
    .select(['c.id', 'c.name as company_name', 'c.kind', 'c.created_at', 'o.user_id', 'o.name', 'o.email'])
    .select(
      sql<{ role: string; id: string; name: string }[]>`coalesce((
        select json_agg(json_build_object('role', s.role, 'id', s.user_id, 'name', p.name))
        from sales_assignment s join user_account p on p.id = s.user_id where s.company_id = c.id), '[]')`.as(
        'sales',
      ),
    )
    .select(
      sql<bigint>`(select count(*) from company k where k.parent_id = c.id and k.removed_at is null)`.as(
        'clients',
      ),
    )
    .orderBy(given.sort === 'created_at' ? 'c.created_at' : 'c.name', given.order)
    .orderBy('c.id')
    .limit(given.limit)
    .offset(given.offset)
    .execute();
  const { total } = await base.select((eb) => eb.fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** Whether the scope sees an agency of this id. */
export async function isAgency(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('company')
    .select('id')
    .where('id', '=', id)
    .where('kind', '=', 'agency')
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}
