import { type Insertable, type Selectable, type SqlBool, sql, type Updateable } from 'kysely';
import type { Exchange } from '../../../../contract/campaigns/destinations.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { TOOK_UP_TO, tookGroup } from './metrics.policy.ts';
import { MOST_REPLAYED } from './policy.ts';

export type IntegrationRow = Selectable<Schema['integration']>;
type State = Schema['delivery']['state'];
export interface Counted extends IntegrationRow {
  delivered: bigint;
  pending: bigint;
  failed: bigint;
  skipped: bigint;
  /** The client's. */
  time_zone: string;
  /** The connection's, as far as the scope may see it. */
  connection_state: 'connected' | 'broken' | 'paused' | 'removed' | null;
}

/**
 * Returns the webhooks of a campaign (or the one with this id, removed or not) with their delivery counts, oldest
 * first.
 */
export async function integrations(
  tx: Tx,
  which: { campaignId: string } | { id: string },
): Promise<Counted[]> {
  const count = (name: State, ...states: State[]) =>
    sql<bigint>`count(d.id) filter (where d.state = any(${[name, ...states]}) and not d.is_test)`.as(name);
  let query = tx
    .selectFrom('integration as i')
    .leftJoin('delivery as d', (join) =>
      join.onRef('d.integration_id', '=', 'i.id').onRef('d.campaign_id', '=', 'i.campaign_id'),
    )
    .leftJoin('connection as c', 'c.id', 'i.connection_id')
    .selectAll('i')
    .innerJoin('company as o', 'o.id', 'i.company_id')
    .select([count('delivered'), count('pending', 'unknown'), count('failed'), count('skipped')])
    .select(['c.state as connection_state', 'o.time_zone'])
    .groupBy(['i.id', 'c.id', 'o.id'])
    .orderBy('i.created_at')
    .orderBy('i.id');
  query =
    'id' in which
      ? query.where('i.id', '=', which.id)
      : query.where('i.campaign_id', '=', which.campaignId).where('i.state', '!=', 'removed');
  return query.execute();
}

/**
 * Returns an integration that the scope may see, including removed ones; `lock` prevents others from changing it
 * in the meantime.
 */
export async function integrationById(tx: Tx, id: string, lock = false): Promise<IntegrationRow | undefined> {
  const query = tx.selectFrom('integration').selectAll().where('id', '=', id);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

/** Returns how many webhooks a campaign has; later callers wait until this transaction ends. */
export async function countLocked(tx: Tx, campaignId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`integration:${campaignId}`}, 0))`.execute(tx);
  const { count } = await tx
    .selectFrom('integration')
    .select(sql<bigint>`count(*)`.as('count'))
    .where('campaign_id', '=', campaignId)
    .where('state', '!=', 'removed')
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertIntegration(tx: Tx, row: Insertable<Schema['integration']>): Promise<void> {
  // The first sixteen of a company have their own lane.
  const lane = sql<number>`(select count(*) % 16 from integration where company_id = ${row.company_id})`;
  await tx
    .insertInto('integration')
    .values({ ...row, lane })
    .execute();
}

export async function updateIntegration(
  tx: Tx,
  id: string,
  set: Updateable<Schema['integration']>,
): Promise<void> {
  await tx.updateTable('integration').set(set).where('id', '=', id).execute();
}

/** A delivery that was just created, or that no longer waits. */
export interface NewDelivery {
  id: string;
  root_id: string;
  integration_id: string;
  connection_id: string | null;
  /** Whose lanes it is sent on: the company of the connection, or of the campaign. */
  lane_company_id: string;
  lane: number;
  lead_id: string;
}

/**
 * Inserts one delivery for each lead and enabled webhook of its campaign, in one statement; existing deliveries are
 * kept. Due at once, or when the lead no longer waits. Leads other than tests are numbered in their campaign, whose
 * number others wait for until this transaction ends.
 */
export async function insertForLeads(
  tx: Tx,
  leads: { id: string; campaignId: string; waitsUntil?: Date | undefined }[],
  isTest: boolean,
  at: Date,
): Promise<NewDelivery[]> {
  const { rows } = await sql<NewDelivery>`
    with given as (
      select *, row_number() over (partition by campaign_id order by position) as place,
             count(*) over (partition by campaign_id) as places
      from unnest(${leads.map((lead) => lead.id)}::uuid[], ${leads.map((lead) => lead.campaignId)}::uuid[],
                  ${leads.map((lead) => lead.waitsUntil ?? at)}::timestamptz[])
        with ordinality as l (id, campaign_id, due_at, position)),
    numbered as (
      insert into delivery_turn as t (campaign_id, root_id, agency_id, company_id, turns)
      select distinct i.campaign_id, i.root_id, i.agency_id, i.company_id, g.places
      from given g join integration i on i.campaign_id = g.campaign_id and i.state = 'enabled'
      where not ${isTest}::boolean order by 1
      on conflict (campaign_id) do update set turns = t.turns + excluded.turns
      returning t.campaign_id, t.turns),
    made as (
    insert into delivery (id, root_id, agency_id, company_id, campaign_id, integration_id, lead_id, message_id, state,
                          is_test, next_at, created_at, turn)
    select gen_random_uuid(), i.root_id, i.agency_id, i.company_id, i.campaign_id, i.id, l.id,
           'msg_' || replace(gen_random_uuid()::text, '-', ''), 'pending', ${isTest}::boolean, l.due_at, ${at},
           n.turns - l.places + l.place - 1
    from given l join integration i on i.campaign_id = l.campaign_id and i.state = 'enabled'
      left join numbered n on n.campaign_id = l.campaign_id
    on conflict (integration_id, lead_id) do nothing
    returning id, root_id, integration_id, lead_id)
    select made.*, i.connection_id, coalesce(c.company_id, i.company_id) as lane_company_id, coalesce(c.lane, i.lane) as lane
    from made join integration i on i.id = made.integration_id left join connection c on c.id = i.connection_id`.execute(
    tx,
  );
  return rows;
}

/** Makes the deliveries of leads that still wait due now; those whose time had already come are on their way. */
export async function dueNow(tx: Tx, leadIds: readonly string[], at: Date): Promise<NewDelivery[]> {
  const { rows } = await sql<NewDelivery>`
    update delivery d set next_at = ${at} from integration i left join connection c on c.id = i.connection_id
    where i.id = d.integration_id and d.lead_id = any(${leadIds}::uuid[]) and d.state = 'pending' and d.attempts = 0
      and d.next_at > ${at} and not d.waits_for_hours
    returning d.id, d.root_id, d.integration_id, d.lead_id, i.connection_id,
      coalesce(c.company_id, i.company_id) as lane_company_id, coalesce(c.lane, i.lane) as lane`.execute(tx);
  return rows;
}

export async function insertDelivery(tx: Tx, row: Insertable<Schema['delivery']>): Promise<void> {
  await tx.insertInto('delivery').values(row).execute();
}

/** Returns when the last test message of a webhook was created. */
export async function lastTestAt(
  tx: Tx,
  integration: IntegrationRow,
  since: Date,
): Promise<Date | undefined> {
  const row = await tx
    .selectFrom('delivery')
    .select('created_at')
    .where('campaign_id', '=', integration.campaign_id)
    .where('created_at', '>', since)
    .where('integration_id', '=', integration.id)
    .where('is_test', '=', true)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.created_at;
}

/** Deliveries with what sending them needs. */
const toSend = (tx: Tx) =>
  tx
    .selectFrom('delivery as d')
    .innerJoin('integration as i', 'i.id', 'd.integration_id')
    .innerJoin('company as o', 'o.id', 'd.company_id')
    .select([
      'd.id',
      'd.lead_id',
      'd.message_id',
      'd.state',
      'd.attempts',
      'd.next_at',
      'd.root_id',
      'd.agency_id',
      'd.company_id',
    ])
    .select(['d.remote_id', 'i.id as integration_id', 'i.kind', 'i.url', 'i.secret_sealed'])
    .select(['i.payload', 'i.headers_sealed', 'd.is_test', 'i.rules', 'd.chosen', 'o.time_zone'])
    .select(['i.state as integration_state', 'i.connection_id', 'i.settings', 'i.mapping', 'i.alerted']);

/** The record at its service that a delivery made, if it did; undefined for one that the scope does not see. */
export const remoteOf = (tx: Tx, id: string) =>
  tx
    .selectFrom('delivery')
    .select(['id', 'lead_id', 'integration_id', 'message_id', 'attempts', 'remote_id'])
    .where('id', '=', id)
    .executeTakeFirst();

/** Deletes what was kept of requests about these leads. */
export async function deleteExchanges(tx: Tx, leadIds: readonly string[]): Promise<void> {
  await sql`delete from delivery_exchange x using delivery d
    where d.lead_id = any(${leadIds}::uuid[]) and x.delivery_id = d.id`.execute(tx);
}

/** The deliveries of these leads that made a record at a service. */
export async function withRecords(tx: Tx, leadIds: readonly string[]): Promise<string[]> {
  const rows = await tx
    .selectFrom('delivery')
    .select('id')
    .where('lead_id', '=', sql<string>`any(${[...leadIds]}::uuid[])`)
    .where('remote_id', 'is not', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

export const deliveriesToSend = (tx: Tx, ids: readonly string[]) =>
  toSend(tx).where(sql<SqlBool>`d.id = any(${ids}::uuid[])`).execute();
export type DeliveryToSend = Awaited<ReturnType<typeof deliveriesToSend>>[number];

/** Other deliveries of a destination that are due, the oldest first, locked. */
export const dueWith = (
  tx: Tx,
  { id, integration_id }: { id: string; integration_id: string },
  at: Date,
  limit: number,
) =>
  toSend(tx)
    .where('d.integration_id', '=', integration_id)
    .where('d.state', 'in', ['pending', 'unknown'])
    .where('d.is_test', '=', false)
    .where('d.next_at', '<=', at)
    .where('d.id', '!=', id)
    .orderBy('d.next_at')
    .orderBy('d.id')
    .limit(limit)
    .forUpdate('d')
    .skipLocked()
    .execute();

/**
 * Notes how far the retries of a destination have come; 0 after one arrived. Returns the destination if that is news.
 */
export async function noteAlert(tx: Tx, id: string, alerted: number): Promise<IntegrationRow | undefined> {
  return tx
    .updateTable('integration')
    .set({ alerted })
    .where('id', '=', id)
    .where('alerted', alerted === 0 ? '>' : '<', alerted)
    .returningAll()
    .executeTakeFirst();
}

/** An attempt and what came of it. */
export interface Settled {
  delivery: { id: string; attempts: number };
  set: {
    state: State;
    next_at: Date | null;
    delivered_at: Date | null;
    remote_id?: string | null;
    waits_for_hours?: boolean;
    refuses_email?: boolean;
  };
  attempt: {
    started_at: Date;
    duration_ms: number;
    status: number | null;
    error: string | null;
    exchanges: Exchange[];
  };
}

/**
 * Records an attempt and its result, unless another attempt has been recorded since `attempts` were counted. Returns
 * whether it did.
 */
export const settle = async (
  tx: Tx,
  delivery: Settled['delivery'],
  set: Settled['set'],
  attempt: Settled['attempt'],
): Promise<boolean> => (await settleAll(tx, [{ delivery, set, attempt }])).has(delivery.id);

/**
 * Records attempts and their results, and counts them for their destinations, in one statement; except where another
 * attempt has been recorded since `attempts` were counted. Returns the leads of the deliveries that it recorded, by
 * delivery; null: a test message.
 */
export async function settleAll(tx: Tx, all: readonly Settled[]): Promise<Map<string, string | null>> {
  const given = all.map(({ delivery, set, attempt: { exchanges, ...attempt } }) => ({
    waits_for_hours: false,
    refuses_email: false,
    ...set,
    ...attempt,
    id: delivery.id,
    attempts: delivery.attempts,
    error: attempt.error?.toWellFormed() ?? null,
    cause: set.state === 'skipped' ? null : (attempt.error?.slice(0, MOST_CAUSE).toWellFormed() ?? null),
    keeps_remote_id: set.remote_id === undefined,
    exchanges: exchanges.length > 0 ? exchanges : null,
    day: attempt.started_at.toISOString().slice(0, 10),
    took: tookGroup(attempt.duration_ms),
  }));
  const groups = [...TOOK_UP_TO, 0].map((_, at) => at);
  const took = sql.join(groups.map((group) => sql`count(*) filter (where g.took = ${sql.lit(group)})`));
  const sums = sql.join(
    groups.map((at) => sql`t.took[${sql.lit(at + 1)}] + excluded.took[${sql.lit(at + 1)}]`),
  );
  const { rows } = await sql<{ id: string; lead_id: string | null }>`/* kept: settle_deliveries */
    with given as (
      select * from json_to_recordset(${JSON.stringify(given)}::json) as g (
        id uuid, attempts smallint, state text, next_at timestamptz, delivered_at timestamptz, remote_id text,
        keeps_remote_id boolean, waits_for_hours boolean, refuses_email boolean, cause text, started_at timestamptz, duration_ms integer,
        status smallint, error text, exchanges jsonb, day date, took integer)),
    settled as (
      update delivery d set state = g.state, next_at = g.next_at, delivered_at = g.delivered_at,
        remote_id = case when g.keeps_remote_id then d.remote_id else g.remote_id end,
        waits_for_hours = g.waits_for_hours, refuses_email = g.refuses_email, attempts = g.attempts + 1, cause = g.cause
      from given g where d.id = g.id and d.attempts = g.attempts
      returning d.id, d.lead_id, d.attempts as number, d.root_id, d.agency_id, d.company_id, d.integration_id, d.is_test),
    tried as (
      insert into delivery_attempt (delivery_id, number, root_id, agency_id, company_id, started_at, duration_ms, status, error)
      select s.id, s.number, s.root_id, s.agency_id, s.company_id, g.started_at, g.duration_ms, g.status, g.error
      from settled s join given g on g.id = s.id),
    kept as (
      insert into delivery_exchange (delivery_id, number, root_id, agency_id, company_id, at, exchanges)
      select s.id, s.number, s.root_id, s.agency_id, s.company_id, g.started_at, g.exchanges
      from settled s join given g on g.id = s.id where g.exchanges is not null),
    counted as (
      insert into delivery_day as t (integration_id, day, root_id, agency_id, company_id, delivered, failed, took)
      select s.integration_id, g.day, s.root_id, s.agency_id, s.company_id,
             count(*) filter (where g.error is null), count(*) filter (where g.error is not null), array[${took}]::integer[]
      from settled s join given g on g.id = s.id where g.exchanges is not null and not s.is_test
      group by s.integration_id, g.day, s.root_id, s.agency_id, s.company_id order by s.integration_id, g.day
      on conflict (integration_id, day) do update set delivered = t.delivered + excluded.delivered,
        failed = t.failed + excluded.failed, took = array[${sums}])
    select id, lead_id from settled`.execute(tx);
  return new Map(rows.map(({ id, lead_id }) => [id, lead_id]));
}

/** Returns a page of a webhook's deliveries, with the total count. `search` is the id of a message. */
export async function deliveries(
  tx: Tx,
  integration: IntegrationRow,
  asked: {
    state?: State | undefined;
    search?: string | undefined;
    order: 'asc' | 'desc';
    limit: number;
    offset: number;
  },
) {
  const base = tx
    .selectFrom('delivery as d')
    .where('d.campaign_id', '=', integration.campaign_id)
    .where('d.integration_id', '=', integration.id)
    .$if(asked.state !== undefined, (query) => query.where('d.state', '=', asked.state!))
    .$if(Boolean(asked.search), (query) => query.where('d.message_id', '=', asked.search!));
  const { total } = await base.select(sql<bigint>`count(*)`.as('total')).executeTakeFirstOrThrow();
  const rows = await base
    .leftJoin('lead_contact as c', 'c.lead_id', 'd.lead_id')
    .selectAll('d')
    .select([nameOr('c').as('first_name'), 'c.last_name'])
    .orderBy('d.created_at', asked.order)
    .orderBy('d.id', asked.order)
    .limit(asked.limit)
    .offset(asked.offset)
    .execute();
  return {
    rows,
    tries: await attempts(
      tx,
      rows.map(({ id }) => id),
    ),
    total: Number(total),
  };
}

/** An attempt through a connection that the scope does not see: that there was one, and how it ended. */
export const withoutAnswer = (attempt: Attempt): Attempt => ({
  ...attempt,
  status: null,
  answer: null,
  error: attempt.error === null ? null : ownMessages.agencyDestinationFailed,
  exchanges: [],
});

export type Attempt = Awaited<ReturnType<typeof attempts>>[number];

/** Returns the attempts of deliveries, the first ones first, with what is still kept of their requests. */
export async function attempts(tx: Tx, deliveryIds: readonly string[]) {
  if (deliveryIds.length === 0) return [];
  return tx
    .selectFrom('delivery_attempt as a')
    .leftJoin('delivery_exchange as e', (join) =>
      join.onRef('e.delivery_id', '=', 'a.delivery_id').onRef('e.number', '=', 'a.number'),
    )
    .selectAll('a')
    .select('e.exchanges')
    .where(sql<SqlBool>`a.delivery_id = any(${deliveryIds}::uuid[])`)
    .orderBy('a.number')
    .execute();
}

/** Returns the next deliveries of a campaign after a position, the newest first, with the last response to each. */
export async function nextDeliveries(
  tx: Tx,
  asked: { campaignId: string; state?: State | undefined },
  after: { at: Date; id: string } | null,
  limit: number,
) {
  let query = tx
    .selectFrom('delivery as d')
    .innerJoin('integration as i', 'i.id', 'd.integration_id')
    .leftJoin('delivery_attempt as a', (join) =>
      join.onRef('a.delivery_id', '=', 'd.id').onRef('a.number', '=', 'd.attempts'),
    )
    .where('d.campaign_id', '=', asked.campaignId);
  if (asked.state) query = query.where('d.state', '=', asked.state);
  if (after) query = query.where(sql<boolean>`(d.created_at, d.id) < (${after.at}, ${after.id}::uuid)`);
  return query
    .selectAll('d')
    .select([
      sql<string>`coalesce(i.url, i.name)`.as('url'),
      'a.started_at as last_at',
      'a.status as last_status',
      'a.error as last_error',
    ])
    .orderBy('d.created_at', 'desc')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .execute();
}

/** One delivery of a webhook, locked. */
export async function deliveryById(tx: Tx, integrationId: string, id: string) {
  return tx
    .selectFrom('delivery')
    .select(['id', 'state', 'is_test'])
    .where('id', '=', id)
    .where('integration_id', '=', integrationId)
    .forUpdate()
    .executeTakeFirst();
}

/** Makes deliveries pending again: the given one, or those that failed (except tests; the oldest 10,000). */
export async function reopen(
  tx: Tx,
  integrationId: string,
  at: Date,
  which: { deliveryId?: string | undefined; cause?: string | undefined },
): Promise<Reopened[]> {
  const chosen = which.deliveryId
    ? sql`select ${which.deliveryId}::uuid as id`
    : sql`select d.id from delivery d
          where d.integration_id = ${integrationId} and d.state = 'failed' and not d.is_test
            and (${which.cause ?? null}::text is null or coalesce(d.cause, '') = ${which.cause ?? null})
          order by d.created_at, d.id limit ${MOST_REPLAYED} for update of d skip locked`;
  const { rows } = await sql<Reopened>`
    with chosen as (${chosen})
    update delivery d set state = 'pending', next_at = ${at}, delivered_at = null, cause = null, waits_for_hours = false
    from chosen, integration i left join connection c on c.id = i.connection_id
    where d.id = chosen.id and d.integration_id = ${integrationId} and i.id = d.integration_id
    returning ${reopenedColumns}`.execute(tx);
  return rows;
}

/** What Reopened has, of a delivery d, its integration i and its connection c. */
export const reopenedColumns = sql`d.id, d.lead_id, d.root_id, d.integration_id, i.connection_id, d.attempts,
  coalesce(c.company_id, i.company_id) as lane_company_id, coalesce(c.lane, i.lane) as lane`;

/** A delivery that goes on. */
export interface Reopened {
  id: string;
  lead_id: string | null;
  root_id: string;
  integration_id: string;
  connection_id: string | null;
  lane_company_id: string;
  lane: number;
  attempts: number;
}

/** Attempts are about to be made whose outcome no one knows until it is recorded. */
export async function markInDoubt(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await tx.updateTable('delivery').set({ state: 'unknown' }).where('id', 'in', ids).execute();
}

/** Moves a delivery to another time; null: until its connection works again. */
export async function postpone(tx: Tx, id: string, at: Date | null, isForHours: boolean): Promise<void> {
  await tx
    .updateTable('delivery')
    .set({ next_at: at, waits_for_hours: isForHours })
    .where('id', '=', id)
    .execute();
}

export const RESUMED_AT_ONCE = 1000;

/** Makes the next deliveries that wait for a connection due now. */
export async function resume(tx: Tx, connectionId: string, at: Date): Promise<Reopened[]> {
  const { rows } = await sql<Reopened>`
    with chosen as (
      select d.id from integration i join delivery d on d.integration_id = i.id
      where i.connection_id = ${connectionId} and d.state in ('pending', 'unknown') and d.next_at is null
      order by d.id limit ${RESUMED_AT_ONCE} for update of d skip locked)
    update delivery d set next_at = ${at} from chosen, integration i left join connection c on c.id = i.connection_id
    where d.id = chosen.id and i.id = d.integration_id
    returning ${reopenedColumns}`.execute(tx);
  return rows;
}

/** Ends the destinations of a connection and what waits for them. Returns the leads that waited. */
export async function removeOfConnection(tx: Tx, connectionId: string, at: Date): Promise<(string | null)[]> {
  const { rows } = await sql<{ id: string }>`
    update integration set state = 'removed', state_reason = 'person', updated_at = ${at}
    where connection_id = ${connectionId} and state <> 'removed' returning id`.execute(tx);
  const { rows: failed } = await sql<{ lead_id: string | null }>`
    update delivery set state = 'failed', next_at = null
    where integration_id = any(${rows.map((row) => row.id)}::uuid[])
      and state in ('pending', 'unknown') and next_at is null returning lead_id`.execute(tx);
  return failed.map((row) => row.lead_id);
}

const MOST_CAUSE = 300;
/** How many deliveries of a company are counted: more do not change what is to be done about them. */
const MOST_COUNTED = 20_000;

/**
 * What could not be delivered for a company, or an agency's clients, by destination and cause, the most recent first:
 * of 20,000 that failed, 20,000 that are retried, and 20,000 that wait.
 */
export async function undelivered(tx: Tx, companyId: string, limit: number) {
  const { rows } = await sql<{
    id: string;
    name: string;
    kind: string;
    connection_id: string | null;
    connection_company_id: string | null;
    is_held: boolean;
    company_name: string;
    campaign_id: string;
    campaign_name: string;
    module: string;
    state: 'failed' | 'retrying' | 'waiting';
    cause: string;
    leads: bigint;
    first_at: Date;
    last_at: Date;
  }>`
    with whose as (select id from company where id = ${companyId} or agency_id = ${companyId}),
    failed as (
      select d.integration_id, d.campaign_id, d.created_at, coalesce(d.cause, '') as cause
      from whose w cross join lateral (
        select * from delivery d where d.company_id = w.id and d.state = 'failed' and not d.is_test limit ${MOST_COUNTED}) d
      limit ${MOST_COUNTED}),
    retrying as (
      select d.integration_id, d.campaign_id, d.created_at, d.cause
      from whose w cross join lateral (
        select * from delivery d where d.company_id = w.id and d.state in ('pending', 'unknown') and d.cause is not null
          and d.next_at is not null and not d.is_test limit ${MOST_COUNTED}) d
      limit ${MOST_COUNTED}),
    waiting as (
      select d.integration_id, d.campaign_id, d.created_at
      from integration i join delivery d on d.integration_id = i.id
      where i.company_id in (select id from whose) and i.connection_id is not null
        and d.state in ('pending', 'unknown') and d.next_at is null and not d.is_test
      limit ${MOST_COUNTED}),
    stuck as (
      select integration_id, campaign_id, 'failed' as state, created_at, cause from failed
      union all
      select integration_id, campaign_id, 'retrying', created_at, cause from retrying
      union all
      select integration_id, campaign_id, 'waiting', created_at, '' from waiting)
    select s.integration_id as id, i.name, i.kind, i.connection_id, k.company_id as connection_company_id,
           i.connection_id is null or k.id is not null as is_held, o.name as company_name, s.campaign_id,
           c.name as campaign_name, c.module, s.state, t.cause, count(*) as leads, min(s.created_at) as first_at,
           max(s.created_at) as last_at
    from stuck s join integration i on i.id = s.integration_id join campaign c on c.id = s.campaign_id
      join company o on o.id = i.company_id left join connection k on k.id = i.connection_id
      cross join lateral (select case when s.cause <> '' and i.connection_id is not null and k.id is null
                            then ${ownMessages.agencyDestinationFailed} else s.cause end as cause) t
    where i.state <> 'removed'
    group by s.integration_id, i.name, i.kind, i.connection_id, k.id, o.name, s.campaign_id, c.name, c.module, s.state, t.cause
    order by max(s.created_at) desc, s.integration_id, t.cause limit ${limit}`.execute(tx);
  return rows;
}

/** The first name of a lead's contact, or the name of a company without a person. */
export const nameOr = (contact: string) => {
  const of = (column: string) => sql.ref(`${contact}.${column}`);
  return sql<string | null>`coalesce(${of('first_name')},
    case when ${of('last_name')} is null and ${of('email')} is null then ${of('company_name')} end)`;
};
