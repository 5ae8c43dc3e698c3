import { type RawBuilder, sql } from 'kysely';
import type { DeskState } from '../../../../contract/campaigns/destinations.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { MOST_REPLAYED } from './policy.ts';
import { nameOr, type Reopened, reopenedColumns } from './store.ts';

/** How far a list goes, and how far is counted: more do not change what is to be done about them. */
export const MOST_LISTED = 10_000;

const STATES: Record<DeskState, Schema['delivery']['state'][]> = {
  failed: ['failed'],
  waiting: ['pending', 'unknown'],
  delivered: ['delivered'],
  skipped: ['skipped'],
};

/** Whose deliveries: a client's own, or those of an agency's clients. */
export interface Whose {
  kind: 'client' | 'agency';
  id: string;
}

export interface DeskFilter {
  /** A destination with its campaign, by which its deliveries are indexed. */
  destination?: { id: string; campaign_id: string } | undefined;
  cause?: string | undefined;
  messageId?: string | undefined;
  from?: Date | undefined;
  before?: Date | undefined;
}

const ofWhom = ({ kind, id }: Whose, table: string): RawBuilder<unknown> =>
  sql`${sql.ref(`${table}.${kind === 'client' ? 'company_id' : 'agency_id'}`)} = ${id}::uuid`;

/** Whether a destination uses a connection that the scope does not see: that of a client's agency. */
const hiddenOf = (integrationId: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`exists (
  select from integration h where h.id = ${integrationId} and h.connection_id is not null
    and not exists (select from connection k where k.id = h.connection_id))`;
/** Why a delivery failed, as far as the scope may know: what a service answers can name its account. */
const causeOf = (hidden: RawBuilder<boolean>) =>
  sql`case when d.cause is not null and ${hidden} then ${ownMessages.agencyDestinationFailed} else d.cause end`;

function matching(whose: Whose, filter: DeskFilter): RawBuilder<unknown> {
  const { destination, cause, messageId, from, before } = filter;
  const parts = [
    sql`not d.is_test and ${ofWhom(whose, 'd')}`,
    ...(destination
      ? [sql`d.integration_id = ${destination.id}::uuid and d.campaign_id = ${destination.campaign_id}::uuid`]
      : []),
    ...(cause === undefined
      ? []
      : [sql`coalesce(${causeOf(hiddenOf(sql`d.integration_id`))}, '') = ${cause}`]),
    ...(messageId ? [sql`d.message_id = ${messageId}`] : []),
    ...(from ? [sql`d.created_at >= ${from}`] : []),
    ...(before ? [sql`d.created_at < ${before}`] : []),
  ];
  return sql.join(parts, sql` and `);
}

export interface DeskRow {
  id: string;
  integration_id: string;
  name: string;
  url: string | null;
  kind: string;
  integration_state: Schema['integration']['state'];
  campaign_id: string;
  campaign_name: string;
  module: string;
  company_name: string;
  message_id: string;
  lead_id: string | null;
  first_name: string | null;
  last_name: string | null;
  state: Schema['delivery']['state'];
  cause: string | null;
  attempts: number;
  next_at: Date | null;
  delivered_at: Date | null;
  created_at: Date;
  /** It goes through a connection that the scope does not see. */
  is_hidden: boolean;
  /** Its service has a record of the lead, through a connection that the scope sees. */
  has_record: boolean;
}

const columns = sql`d.id, d.integration_id, i.name, i.url, i.kind, i.state as integration_state, d.campaign_id,
  c.name as campaign_name, c.module, o.name as company_name, d.message_id, d.lead_id,
  ${nameOr('l')} as first_name, l.last_name,
  d.state, ${causeOf(hiddenOf(sql`d.integration_id`))} as cause, ${hiddenOf(sql`d.integration_id`)} as is_hidden, d.attempts, d.next_at, d.delivered_at, d.created_at,
  d.remote_id is not null and exists (select from connection k where k.id = i.connection_id) as has_record`;
const joins = sql`join integration i on i.id = d.integration_id join campaign c on c.id = d.campaign_id
  join company o on o.id = d.company_id left join lead_contact l on l.lead_id = d.lead_id`;

/** A page of deliveries in a state, the newest first, and how many there are, both up to 10,000. */
export async function deskDeliveries(
  tx: Tx,
  whose: Whose,
  state: DeskState,
  filter: DeskFilter,
  asked: { limit: number; offset: number },
): Promise<{ rows: DeskRow[]; total: number }> {
  const where = matching(whose, filter);
  // Each state is read in the index's order, as far as the page goes.
  const listed = (most: number) => sql`unnest(${STATES[state]}::text[]) s (state) cross join lateral (
    select d.* from delivery d where ${where} and d.state = s.state order by d.created_at desc, d.id limit ${most}) d`;
  const { rows: counted } = await sql<{ total: bigint }>`
    select least(count(*), ${MOST_LISTED}) as total from ${listed(MOST_LISTED)}`.execute(tx);
  const end = Math.min(asked.offset + asked.limit, MOST_LISTED);
  const { rows } = await sql<DeskRow>`
    with shown as (select d.* from ${listed(end)} order by d.created_at desc, d.id
                   limit ${Math.max(end - asked.offset, 0)} offset ${asked.offset})
    select ${columns} from shown d ${joins} order by d.created_at desc, d.id`.execute(tx);
  return { rows, total: Number(counted[0]!.total) };
}

/** One delivery that the scope may see. */
export async function deskDelivery(tx: Tx, id: string): Promise<DeskRow | undefined> {
  const { rows } = await sql<DeskRow>`select ${columns} from delivery d ${joins} where d.id = ${id}`.execute(
    tx,
  );
  return rows[0];
}

/**
 * Makes the failed deliveries that match pending again, the oldest 10,000, of enabled destinations whose connection the
 * scope sees: where an agency's connection sends is not for its client to decide.
 */
export async function reopenMatching(
  tx: Tx,
  whose: Whose,
  filter: DeskFilter,
  at: Date,
): Promise<Reopened[]> {
  const { rows } = await sql<Reopened>`
    with chosen as (
      select d.id from delivery d join integration i on i.id = d.integration_id and i.state = 'enabled'
      where ${matching(whose, filter)} and d.state = 'failed'
        and (i.connection_id is null or exists (select from connection k where k.id = i.connection_id))
      order by d.created_at, d.id limit ${MOST_REPLAYED} for update of d skip locked)
    update delivery d set state = 'pending', next_at = ${at}, delivered_at = null, cause = null, waits_for_hours = false
    from chosen, integration i left join connection c on c.id = i.connection_id
    where d.id = chosen.id and i.id = d.integration_id
    returning ${reopenedColumns}`.execute(tx);
  return rows;
}

export interface DestinationRow {
  id: string;
  name: string;
  url: string | null;
  kind: string;
  campaign_id: string;
  campaign_name: string;
  module: string;
  company_name: string;
  state: Schema['integration']['state'];
  connection_state: Schema['connection']['state'] | null;
  waiting: bigint;
  failed: bigint;
}

/** A page of destinations, the oldest first, with what is still to be done. */
export async function destinations(
  tx: Tx,
  whose: Whose,
  asked: { limit: number; offset: number },
): Promise<{ rows: DestinationRow[]; total: number }> {
  const { rows: counted } = await sql<{ total: bigint }>`
    select count(*) as total from integration i where ${ofWhom(whose, 'i')} and i.state <> 'removed'`.execute(
    tx,
  );
  const open = (where: RawBuilder<unknown>) =>
    sql`(select count(*) from (select from delivery d where d.company_id = i.company_id and d.integration_id = i.id
      and not d.is_test and ${where} limit ${MOST_LISTED}) n)`;
  const { rows } = await sql<DestinationRow>`
    with shown as (select i.* from integration i where ${ofWhom(whose, 'i')} and i.state <> 'removed'
                   order by i.created_at, i.id limit ${asked.limit} offset ${asked.offset})
    select i.id, i.name, i.url, i.kind, i.campaign_id, c.name as campaign_name, c.module, o.name as company_name, i.state,
           n.state as connection_state, ${open(sql`d.state in ('pending', 'unknown')`)} as waiting,
           ${open(sql`d.state = 'failed'`)} as failed
    from shown i join campaign c on c.id = i.campaign_id join company o on o.id = i.company_id
      left join connection n on n.id = i.connection_id
    order by i.created_at, i.id`.execute(tx);
  return { rows, total: Number(counted[0]!.total) };
}

/** A destination that the scope may see, also a removed one. */
export const destinationById = (tx: Tx, id: string) =>
  tx.selectFrom('integration').select(['id', 'campaign_id']).where('id', '=', id).executeTakeFirst();

/** The days of destinations since one (YYYY-MM-DD), the oldest first. */
export async function days(tx: Tx, integrationIds: readonly string[], since: string) {
  if (integrationIds.length === 0) return [];
  return tx
    .selectFrom('delivery_day')
    .select(['integration_id', 'day', 'delivered', 'failed', 'took'])
    .where('integration_id', 'in', integrationIds)
    .where('day', '>=', since)
    .orderBy('day')
    .execute();
}

const oldExchanges = (rootId: string, before: Date, most: number) => sql<object>`
  select delivery_id, number from delivery_exchange
  where root_id = ${rootId} and at < ${before} order by at limit ${most}`;

/** How many requests and responses are from before an instant, counted up to `most`. */
export const countExchanges = async (tx: Tx, rootId: string, before: Date, most: number): Promise<number> =>
  (await oldExchanges(rootId, before, most).execute(tx)).rows.length;

/** Deletes up to `most` of them; returns how many. */
export async function forgetExchanges(tx: Tx, rootId: string, before: Date, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from delivery_exchange e using (${oldExchanges(rootId, before, most)}) old
    where e.delivery_id = old.delivery_id and e.number = old.number`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}
