import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { TRANSFER_KINDS } from '../../../../contract/money/ledger.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { type Amounts, SPEND_KINDS } from './policy.ts';

const OTHER_KINDS = TRANSFER_KINDS.filter((kind) => !SPEND_KINDS.includes(kind));

/**
 * The part of the change in an agency's wallet and payable between two instants that was not spending: top-ups,
 * invoices, payments and the like, micro-dollars. Only a few rows, regardless of the number of leads.
 */
export async function notSpent(tx: Tx, agencyId: string, from: Date, to: Date): Promise<bigint> {
  const { rows } = await sql<{ sum: bigint }>`
    select coalesce(sum(e.amount), 0)::bigint as sum from transfer t
    join entry e on e.transfer_id = t.id and e.company_id = ${agencyId} and e.account_code in (10, 11)
    where t.agency_id = ${agencyId} and t.kind <> 'lead' and t.kind = any(${OTHER_KINDS}::text[])
      and t.created_at >= ${from} and t.created_at < ${to}`.execute(tx);
  return rows[0]!.sum;
}

/** The agencies of a root. */
export async function agencies(tx: Tx, rootId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('company')
    .select('id')
    .where('root_id', '=', rootId)
    .where('kind', '=', 'agency')
    .where('removed_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

/** When an agency left: its subscription ended, or it was removed, whichever was first. Null: it is there. */
export async function leftAt(tx: Tx, agencyId: string): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select least(b.cancelled_at, c.removed_at) as at from company c
    left join company_billing b on b.company_id = c.id where c.id = ${agencyId}`.execute(tx);
  return rows[0]?.at ?? null;
}

/** Keeps anyone else from deciding an agency's months until the transaction ends. */
export async function lockAgency(tx: Tx, agencyId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${agencyId}, 56))`.execute(tx);
}

export async function isDecided(tx: Tx, agencyId: string, month: string): Promise<boolean> {
  const row = await tx
    .selectFrom('minspend_month')
    .select('month')
    .where('company_id', '=', agencyId)
    .where('month', '=', month)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertMonth(tx: Tx, row: Insertable<Schema['minspend_month']>): Promise<void> {
  await tx.insertInto('minspend_month').values(row).execute();
}

/** The decided months of an agency, newest first. */
export const monthsOf = (tx: Tx, agencyId: string, limit: number) =>
  tx
    .selectFrom('minspend_month')
    .selectAll()
    .where('company_id', '=', agencyId)
    .orderBy('month', 'desc')
    .limit(limit)
    .execute();

/** The first undecided month of a root; if there is no record yet, `first` is stored. */
export async function nextMonth(tx: Tx, rootId: string, first: string): Promise<string> {
  await tx
    .insertInto('minspend_close')
    .values({ root_id: rootId, agency_id: null, company_id: rootId, next_month: first })
    .onConflict((c) => c.column('root_id').doNothing())
    .execute();
  const row = await tx
    .selectFrom('minspend_close')
    .select('next_month')
    .where('root_id', '=', rootId)
    .executeTakeFirstOrThrow();
  return row.next_month;
}

/** Whether a month of a root has been processed. */
export async function isClosed(tx: Tx, rootId: string, month: string): Promise<boolean> {
  const row = await tx
    .selectFrom('minspend_close')
    .select('next_month')
    .where('root_id', '=', rootId)
    .executeTakeFirst();
  return row !== undefined && row.next_month > month;
}

/** Goes on to a later month. */
export async function advance(tx: Tx, rootId: string, month: string): Promise<void> {
  await tx
    .updateTable('minspend_close')
    .set({ next_month: month })
    .where('root_id', '=', rootId)
    .where('next_month', '<', month)
    .execute();
}

type Offer = Selectable<Schema['minspend_offer']>;

/** A row's amounts, as JS bigints. */
const offerOf = <T extends { months: unknown }>(row: T): T & { months: bigint[] } => ({
  ...row,
  months: (row.months as (string | bigint)[]).map(BigInt),
});

/** The offer waiting for an agency's acceptance; undefined if none. */
export async function openOffer(tx: Tx, agencyId: string): Promise<Offer | undefined> {
  const row = await tx
    .selectFrom('minspend_offer')
    .selectAll()
    .where('company_id', '=', agencyId)
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst();
  return row && offerOf(row);
}

/** The newest offer an agency had accepted before an instant; undefined if none. */
export async function acceptedOffer(tx: Tx, agencyId: string, before: Date): Promise<Offer | undefined> {
  const row = await tx
    .selectFrom('minspend_offer')
    .selectAll()
    .where('company_id', '=', agencyId)
    .where('accepted_at', '<', before)
    .orderBy('accepted_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && offerOf(row);
}

/** One offer by its id, locked until the transaction ends; undefined if the scope does not see it. */
export async function lockOffer(tx: Tx, id: string): Promise<Offer | undefined> {
  const row = await tx
    .selectFrom('minspend_offer')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row && offerOf(row);
}

export async function insertOffer(
  tx: Tx,
  row: Pick<
    Offer,
    'id' | 'root_id' | 'agency_id' | 'company_id' | 'name' | 'months' | 'flat' | 'announced_at'
  >,
): Promise<void> {
  await sql`
    insert into minspend_offer (id, root_id, agency_id, company_id, name, months, flat, announced_at)
    values (${row.id}, ${row.root_id}, ${row.agency_id}, ${row.company_id}, ${row.name},
            ${row.months.map(String)}::bigint[], ${row.flat}, ${row.announced_at})`.execute(tx);
}

export async function updateOffer(
  tx: Tx,
  id: string,
  set: Pick<
    Updateable<Schema['minspend_offer']>,
    'reminded_at' | 'accepted_at' | 'accepted_by' | 'withdrawn_at'
  >,
): Promise<void> {
  await tx.updateTable('minspend_offer').set(set).where('id', '=', id).execute();
}

/**
 * What an announcement needs to know of an agency: what is waiting for it, what it accepted last, and whether the
 * default applies to it.
 */
export interface Reached {
  id: string;
  is_affected: boolean;
  open_id: string | null;
  open: Amounts | null;
  agreed: Amounts | null;
}

/**
 * The agencies of a root to which its default may have to be announced, or that have a waiting announcement. One query
 * for all.
 */
export async function reached(tx: Tx, rootId: string, at: Date): Promise<Reached[]> {
  const { rows } = await sql<{
    id: string;
    is_affected: boolean;
    open_id: string | null;
    open_months: string[] | null;
    open_flat: bigint | null;
    agreed_months: string[] | null;
    agreed_flat: bigint | null;
  }>`
    select c.id, ch.plan_id is null and b.company_id is null as is_affected, o.id as open_id, o.months as open_months,
      o.flat as open_flat, a.months as agreed_months, a.flat as agreed_flat
    from company c
    left join lateral (select plan_id from minspend_choice n where n.company_id = c.id and n.valid_from <= ${at}
                       order by n.valid_from desc, n.serial desc limit 1) ch on true
    left join company_billing b on b.company_id = c.id and (b.excluded_minimum_spend or b.cancelled_at is not null)
    left join minspend_offer o on o.company_id = c.id and o.accepted_at is null and o.withdrawn_at is null
    left join lateral (select months, flat from minspend_offer p where p.company_id = c.id and p.accepted_at is not null
                       order by p.accepted_at desc limit 1) a on true
    where c.root_id = ${rootId} and c.kind = 'agency' and c.removed_at is null order by c.id`.execute(tx);
  const amounts = (months: string[] | null, flat: bigint | null): Amounts | null =>
    months && flat !== null ? { months: months.map(BigInt), flat } : null;
  return rows.map((row) => ({
    id: row.id,
    is_affected: row.is_affected,
    open_id: row.open_id,
    open: amounts(row.open_months, row.open_flat),
    agreed: amounts(row.agreed_months, row.agreed_flat),
  }));
}

/**
 * A page of what a root announced and did not withdraw, newest first, filtered by agency name if one is searched for.
 */
export async function pageOfOffers(
  tx: Tx,
  asked: { rootId: string; search: string; limit: number; offset: number },
) {
  const like = `%${asked.search.replace(/[\\%_]/g, '\\$&')}%`;
  const found = tx
    .selectFrom('minspend_offer as o')
    .innerJoin('company as k', 'k.id', 'o.company_id')
    .where('o.root_id', '=', asked.rootId)
    .where('o.withdrawn_at', 'is', null)
    .$if(asked.search !== '', (q) => q.where('k.name', 'ilike', like));
  const { total } = await found.select(sql<bigint>`count(*)`.as('total')).executeTakeFirstOrThrow();
  const rows = await found
    .selectAll('o')
    .select('k.name as company_name')
    .orderBy('o.announced_at', 'desc')
    .orderBy('o.id', 'desc')
    .limit(asked.limit)
    .offset(asked.offset)
    .execute();
  return { rows: rows.map(offerOf), total: Number(total) };
}
