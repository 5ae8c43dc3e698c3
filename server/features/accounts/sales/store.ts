import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';

export type SalesRole = 'representative' | 'account_executive' | 'referrer';

/** The salespeople of a company who may sign in, by name. */
export async function salesOf(tx: Tx, companyId: string) {
  return tx
    .selectFrom('user_account')
    .select(['id', 'name', 'is_account_executive'])
    .where('company_id', '=', companyId)
    .where('role', '=', 'sales')
    .where('disabled_at', 'is', null)
    .orderBy('name')
    .orderBy('id')
    .execute();
}

/** The salespeople assigned to a company, with their names. */
export async function assignments(tx: Tx, companyId: string) {
  return tx
    .selectFrom('sales_assignment as s')
    .innerJoin('user_account as u', 'u.id', 's.user_id')
    .select(['s.role', 's.user_id as id', 'u.name'])
    .where('s.company_id', '=', companyId)
    .execute();
}

/** Assigns a company's role to a person, replacing the previous holder. */
export async function assign(
  tx: Tx,
  company: { id: string; root_id: string; agency_id: string },
  role: SalesRole,
  userId: string,
  at: Date,
): Promise<void> {
  const { id: company_id, root_id, agency_id } = company;
  await tx
    .insertInto('sales_assignment')
    .values({ company_id, root_id, agency_id, role, user_id: userId, assigned_at: at })
    .onConflict((c) => c.columns(['company_id', 'role']).doUpdateSet({ user_id: userId, assigned_at: at }))
    .execute();
}

export async function unassign(tx: Tx, companyId: string, role: SalesRole): Promise<void> {
  await tx
    .deleteFrom('sales_assignment')
    .where('company_id', '=', companyId)
    .where('role', '=', role)
    .execute();
}

/** A company directly below `parentId` that the scope can see; locked, so that two changes run one after the other. */
export async function lockChild(tx: Tx, id: string) {
  return tx
    .selectFrom('company')
    .select(['id', 'root_id', 'agency_id', 'parent_id', 'name'])
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * What is assigned to a salesperson: companies of `kind`. Clients count as theirs if they are assigned themselves or
 * belong to an agency that is; `agencyId` limits the result to one agency's. The owner is included for assigned
 * companies only, and `search` does not find anything that is not included; `user_id` is the user to view as, for
 * companies in their care and those below. `agency_*` is a client's agency, if that is assigned, too.
 */
export async function pageOfDownline(
  tx: Tx,
  userId: string,
  given: {
    kind: 'agency' | 'client';
    agencyId: string | undefined;
    search: string;
    sort: string | undefined;
    order: 'asc' | 'desc';
    limit: number;
    offset: number;
  },
) {
  const like = `%${given.search.replace(/[\\%_]/g, '\\$&')}%`;
  const mine = tx.selectFrom('sales_assignment').select('company_id').where('user_id', '=', userId);
  const base = tx
    .selectFrom('company as c')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('user_account as u')
          .select(['u.name', 'u.email'])
          .whereRef('u.company_id', '=', 'c.id')
          .where('c.id', 'in', mine)
          .where('u.role', '=', 'owner')
          .where('u.disabled_at', 'is', null)
          .orderBy('u.created_at')
          .orderBy('u.id')
          .limit(1)
          .as('o'),
      (join) => join.onTrue(),
    )
    .where('c.kind', '=', given.kind)
    .where('c.removed_at', 'is', null)
    .where((eb) => eb.or([eb('c.id', 'in', mine), eb('c.agency_id', 'in', mine)]))
    .$if(given.agencyId !== undefined, (q) => q.where('c.agency_id', '=', given.agencyId!))
    .$if(given.search !== '', (q) =>
      q.where((eb) =>
        eb.or([eb('c.name', 'ilike', like), eb('o.name', 'ilike', like), eb('o.email', 'ilike', like)]),
      ),
    );
  const rows = await base
    .select(['c.id', 'c.name as company_name', 'c.kind', 'c.created_at', 'o.name', 'o.email'])
    .select([
      sql<bigint>`(select count(*) from company k where k.parent_id = c.id and k.removed_at is null)`.as(
        'clients',
      ),
      sql<SalesRole[]>`coalesce((select array_agg(s.role order by s.role) from sales_assignment s
        where s.company_id = c.id and s.user_id = ${userId}), '{}')`.as('roles'),
      sql<string | null>`case when exists (select from sales_assignment s where s.user_id = ${userId}
        and s.role <> 'referrer' and s.company_id in (c.id, c.agency_id)) then c.owner_id end`.as('user_id'),
      sql<string | null>`(select a.id from company a join sales_assignment s on s.company_id = a.id
        where a.id = c.agency_id and c.kind = 'client' and s.user_id = ${userId} limit 1)`.as('agency_id'),
      sql<string | null>`(select a.name from company a join sales_assignment s on s.company_id = a.id
        where a.id = c.agency_id and c.kind = 'client' and s.user_id = ${userId} limit 1)`.as('agency_name'),
    ])
    .orderBy(given.sort === 'created_at' ? 'c.created_at' : 'c.name', given.order)
    .orderBy('c.id')
    .limit(given.limit)
    .offset(given.offset)
    .execute();
  const { total } = await base.select((eb) => eb.fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/**
 * Whether one of these companies is in a person's care. Referring a company does not put it in their care: a referral
 * is created automatically by a sign-up, without anyone choosing the person. The database applies the same rule to
 * views (session_state).
 */
export async function isInCare(tx: Tx, userId: string, companyIds: readonly string[]): Promise<boolean> {
  const row = await tx
    .selectFrom('sales_assignment')
    .select('role')
    .where('user_id', '=', userId)
    .where('company_id', 'in', companyIds)
    .where('role', '<>', 'referrer')
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether an agency is assigned to a person. */
export async function isAssigned(tx: Tx, userId: string, companyId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('sales_assignment as s')
    .innerJoin('company as c', 'c.id', 's.company_id')
    .select('s.role')
    .where('s.user_id', '=', userId)
    .where('s.company_id', '=', companyId)
    .where('c.kind', '=', 'agency')
    .where('c.removed_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}
