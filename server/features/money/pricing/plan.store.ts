import { type Insertable, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** A plan with its minimum spend at an instant, micro-dollars. */
export interface PlanRow {
  id: string;
  name: string;
  is_default: boolean;
  version: number;
  months: bigint[];
  flat: bigint;
}

const amounts = <T extends { months: unknown }>(row: T): T & { months: bigint[] } => ({
  ...row,
  months: (row.months as (string | bigint)[]).map(BigInt),
});

/** The plans of a root by name; one of them where an id is given. */
export async function plans(tx: Tx, rootId: string, at: Date, id?: string): Promise<PlanRow[]> {
  const { rows } = await sql<PlanRow>`
    select p.id, p.name, p.is_default, p.version, a.months, a.flat from minspend_plan p
    join lateral (select months, flat from minspend_amount m where m.plan_id = p.id and m.valid_from <= ${at}
                  order by m.valid_from desc, m.serial desc limit 1) a on true
    where p.company_id = ${rootId} and p.removed_at is null and (${id ?? null}::uuid is null or p.id = ${id ?? null})
    order by lower(p.name)`.execute(tx);
  return rows.map(amounts);
}

export async function insertPlan(tx: Tx, row: Insertable<Schema['minspend_plan']>): Promise<boolean> {
  const done = await tx
    .insertInto('minspend_plan')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Whether another plan of the root has this name. */
export async function nameTaken(tx: Tx, rootId: string, name: string, otherThan: string): Promise<boolean> {
  const row = await tx
    .selectFrom('minspend_plan')
    .select('id')
    .where('company_id', '=', rootId)
    .where(sql<string>`lower(name)`, '=', name.toLowerCase())
    .where('removed_at', 'is', null)
    .where('id', '<>', otherThan)
    .executeTakeFirst();
  return row !== undefined;
}

/** Changes a plan and increments its version; with `version`, only if it is still that one. False if it was not. */
export async function updatePlan(
  tx: Tx,
  id: string,
  set: Updateable<Schema['minspend_plan']>,
  version?: number,
): Promise<boolean> {
  const done = await tx
    .updateTable('minspend_plan')
    .set({ ...set, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .$if(version !== undefined, (q) => q.where('version', '=', version!))
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

/** Removes the default flag from the plan that has it. */
export async function unmarkDefault(tx: Tx, rootId: string): Promise<void> {
  await tx
    .updateTable('minspend_plan')
    .set({ is_default: false, version: sql<number>`version + 1` })
    .where('company_id', '=', rootId)
    .where('is_default', '=', true)
    .execute();
}

export async function insertAmounts(tx: Tx, row: Insertable<Schema['minspend_amount']>): Promise<void> {
  await sql`
    insert into minspend_amount (root_id, agency_id, company_id, plan_id, valid_from, months, flat)
    values (${row.root_id}, null, ${row.company_id}, ${row.plan_id}, ${row.valid_from},
            ${(row.months as bigint[]).map(String)}::bigint[], ${row.flat})`.execute(tx);
}

/** How many agencies have a plan of their own choice. */
export async function agenciesOn(tx: Tx, planId: string): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) from (select distinct on (company_id) plan_id from minspend_choice
      where root_id = scope_root() order by company_id, valid_from desc, serial desc) c where plan_id = ${planId}`.execute(
    tx,
  );
  return Number(rows[0]?.count ?? 0n);
}

/** Serializes choices and removals of a root's plans until the transaction ends. */
export async function lockPlans(tx: Tx, rootId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${rootId}, 35))`.execute(tx);
}

export async function insertChoice(tx: Tx, row: Insertable<Schema['minspend_choice']>): Promise<void> {
  await tx.insertInto('minspend_choice').values(row).execute();
}

/** Returns an agency's plan at an instant: its own (`is_own`) or its root's default. Undefined if there is no plan. */
export async function planOf(
  tx: Tx,
  agencyId: string,
  at: Date,
): Promise<(Omit<PlanRow, 'version'> & { is_own: boolean }) | undefined> {
  const { rows } = await sql<
    Omit<PlanRow, 'version'> & { is_own: boolean }
  >`select * from minspend_of(${agencyId}, ${at})`.execute(tx);
  return rows[0] && amounts(rows[0]);
}
