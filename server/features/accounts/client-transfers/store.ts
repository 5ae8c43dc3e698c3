import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { MovedTable } from './tables.ts';

export type TransferRow = Selectable<Schema['client_transfer']>;

/** A transfer that the scope sees; `lock` makes others wait for what becomes of it, and requires the root's scope. */
export async function byId(tx: Tx, id: string, lock = false): Promise<TransferRow | undefined> {
  const query = tx.selectFrom('client_transfer').selectAll().where('id', '=', id);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

/** Adds a transfer, unless the client has one that is not over. */
export async function insert(tx: Tx, row: Insertable<Schema['client_transfer']>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('client_transfer')
    .values(row)
    .onConflict((on) => on.column('company_id').where('state', 'in', ['offered', 'settling']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function update(tx: Tx, id: string, set: Updateable<Schema['client_transfer']>): Promise<void> {
  await tx.updateTable('client_transfer').set(set).where('id', '=', id).execute();
}

/** A page of the transfers that the scope sees, the newest first. */
export async function pageOf(tx: Tx, search: string | undefined, limit: number, offset: number) {
  let query = tx.selectFrom('client_transfer');
  if (search) query = query.where('client_name', 'ilike', `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`);
  const rows = await query
    .selectAll()
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
  const { count } = await query.select(sql<number>`count(*)::float8`.as('count')).executeTakeFirstOrThrow();
  return { rows, total: count };
}

/** The transfers of a root that wait for someone, or for money. */
export const unfinished = (tx: Tx, rootId: string) =>
  tx
    .selectFrom('client_transfer')
    .selectAll()
    .where('root_id', '=', rootId)
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute();

/** The transfers of a root that were done since an instant. */
export const doneSince = (tx: Tx, rootId: string, since: Date) =>
  tx
    .selectFrom('client_transfer')
    .select('id')
    .where('root_id', '=', rootId)
    .where('state', '=', 'done')
    .where('ended_at', '>=', since)
    .execute();

/** A client that is there, locked: whoever removes it, or changes its name, waits. */
export const holdClient = (tx: Tx, id: string) =>
  tx
    .selectFrom('company')
    .select(['id', 'root_id', 'agency_id', 'name'])
    .where('id', '=', id)
    .where('kind', '=', 'client')
    .where('removed_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** The name of a company that is there. */
export const nameOf = async (tx: Tx, id: string): Promise<string | undefined> =>
  (
    await tx
      .selectFrom('company')
      .select('name')
      .where('id', '=', id)
      .where('removed_at', 'is', null)
      .executeTakeFirst()
  )?.name;

/** The agency whose owner has an address, in the root's scope. */
export async function agencyOf(tx: Tx, email: string): Promise<string | null> {
  const { rows } = await sql<{ id: string | null }>`select agency_of_owner(${email}) as id`.execute(tx);
  return rows[0]?.id ?? null;
}

/** What a job is working on for a client, or a person has to decide first. */
export interface Busy {
  running: number;
  ads: number;
  charges: number;
  refunds: number;
  /** Declined charges that their cardholders could still confirm. */
  confirmable: number;
  exports: number;
  imports: number;
  returns: number;
  offboardings: number;
}

export async function busyOf(tx: Tx, companyId: string): Promise<Busy> {
  const { rows } = await sql<Busy>`
    select
      (select count(*) from campaign k where k.company_id = ${companyId} and k.state = 'active' and k.module <> 'simplifi')::float8 as running,
      (select count(*) from campaign k left join ad_campaign a on a.campaign_id = k.id
       where k.company_id = ${companyId} and k.module = 'simplifi'
         and (k.state in ('active', 'paused') or a.held_micros <> 0 or a.unposted_micros <> 0))::float8 as ads,
      (select count(*) from charge h where h.company_id = ${companyId} and h.state in ('intended', 'sent', 'unknown'))::float8 as charges,
      (select count(*) from refund r join charge h on h.id = r.charge_id
       where h.company_id = ${companyId} and r.state in ('intended', 'unknown', 'pending'))::float8 as refunds,
      (select count(*) from charge h where h.company_id = ${companyId} and h.state = 'declined'
         and h.needs_authentication and h.provider_reference is not null)::float8 as confirmable,
      (select count(*) from company_export e where e.company_id = ${companyId} and e.state in ('queued', 'making', 'held'))::float8 as exports,
      ((select count(*) from exclusion_list l where l.company_id = ${companyId} and l.state in ('queued', 'loading'))
       + (select count(*) from audience a where a.company_id = ${companyId} and a.state in ('queued', 'loading')))::float8 as imports,
      (select count(*) from return_request r where r.company_id = ${companyId} and r.state = 'open')::float8 as returns,
      (select count(*) from offboarding o where o.company_id = ${companyId} and o.state = 'running')::float8 as offboardings`.execute(
    tx,
  );
  return rows[0]!;
}

/** The campaigns of a client that still run, or could be started. */
export const openCampaigns = (tx: Tx, companyId: string) =>
  tx
    .selectFrom('campaign')
    .select(['id', 'module', 'state'])
    .where('company_id', '=', companyId)
    .where('state', 'in', ['active', 'paused'])
    .orderBy('id')
    .execute();

/** Locks the campaigns of a client, in the order in which everyone does; returns those that move. */
export const holdCampaigns = (tx: Tx, companyId: string) =>
  tx
    .selectFrom('campaign')
    .select(['id', 'module'])
    .where('company_id', '=', companyId)
    .orderBy('id')
    .forUpdate()
    .execute();

/** The campaigns that move and are not archived, what a lead of each costs the client, and what it would cost an agency. */
export async function offer(tx: Tx, companyId: string, agencyId: string | null, at: Date) {
  const { rows } = await sql<{ name: string; module: string; price: bigint; cost: bigint | null }>`
    select k.name, k.module, coalesce(lead_price(r.lead_micros, r.lead_advanced_micros, r.lead_b2b_micros, k.advance_information, k.b2b_information), 0) as price,
      greatest(coalesce(case when k.module = 'local' and cardinality(k.advance_information) > 0 and w.lead_advanced_micros > 0
                             then w.lead_advanced_micros else w.lead_micros end, 0),
               case when k.module in ('enhance', 'b2b') then root_minimum(k.module, r.term, ${at}) end) as cost
    from campaign k
    left join lateral (select * from retail_cost c where c.campaign_id = k.id and c.valid_from <= ${at}
                       order by c.valid_from desc, c.serial desc limit 1) r on true
    left join lateral (select lead_micros, lead_advanced_micros from wholesale_cost c
                       where c.company_id = ${agencyId}::uuid and c.module = k.module and c.term = r.term and c.valid_from <= ${at}
                       order by c.valid_from desc, c.serial desc limit 1) w on true
    where k.company_id = ${companyId} and k.module <> 'simplifi' and k.state in ('active', 'paused')
    order by k.name, k.id`.execute(tx);
  return rows;
}

export async function insertIds(tx: Tx, rows: Insertable<Schema['client_transfer_id']>[]): Promise<void> {
  await tx.insertInto('client_transfer_id').values(rows).execute();
}

/** A client with years of leads takes longer than a request may. */
const atLength = (tx: Tx) => sql`set local statement_timeout = '2h'`.execute(tx);

/** What of a client's was cut off because someone else than its own users had set it up, or gets it: how many of each. */
export interface Cut {
  /** Addresses that no longer get emails with leads. */
  recipients: number;
  /** Destinations and webhooks that were turned off. */
  destinations: number;
  alerts: number;
  /** Networks that are no longer trusted. */
  trusted: number;
  /** Users whom the client did not add itself: removed until someone of the client restores them. */
  held: { id: string; name: string; email: string }[];
}

/**
 * Ends, before a client moves and in the root's scope, what its giving agency could go on receiving of it or use against
 * it: whatever others than the client's own users had set up, or get.
 */
export async function cutTies(tx: Tx, companyId: string, at: Date): Promise<Cut> {
  const { rows } = await sql<{ cut: Cut }>`select cut_client_ties(${companyId}, ${at}) as cut`.execute(tx);
  return rows[0]!.cut;
}

/** Moves a client with everything in `tables`, in the root's scope; returns the rows by table. */
export async function move(
  tx: Tx,
  id: string,
  tables: readonly MovedTable[],
  at: Date,
): Promise<Record<string, number>> {
  await atLength(tx);
  const { rows } = await sql<{ counts: Record<string, number> }>`
    select move_client(${id}, ${JSON.stringify(tables)}::jsonb, ${at}) as counts`.execute(tx);
  return rows[0]!.counts;
}

/** Moves what was written under the client's old name since. */
export async function moveLate(
  tx: Tx,
  id: string,
  tables: readonly MovedTable[],
  at: Date,
): Promise<Record<string, number>> {
  await atLength(tx);
  const { rows } = await sql<{ counts: Record<string, number> }>`
    select move_client_late(${id}, ${JSON.stringify(tables)}::jsonb, ${at}) as counts`.execute(tx);
  return rows[0]!.counts;
}
