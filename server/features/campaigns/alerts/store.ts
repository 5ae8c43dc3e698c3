import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { AlertKind, AlertWay } from '../../../../contract/campaigns/alert-rules.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';

export type AlertRow = Selectable<Schema['alert']>;
export type EventRow = Selectable<Schema['alert_event']>;
export type MessageRow = Selectable<Schema['alert_message']>;
type Place = Pick<AlertRow, 'root_id' | 'agency_id' | 'company_id'>;

/** Pages of one visit are at most this far apart, and a person who was seen again within it has not come back. */
const VISIT_MINUTES = 30;
/** Of a person's views before they were seen, as many of the latest are compared with an alert's pages. */
const MOST_VIEWS = 100;
/** The most that a preview looks at. */
const MOST_PREVIEWED = 5_000;

const alerts = (tx: Tx) => tx.selectFrom('alert').selectAll();

export const alertById = (tx: Tx, id: string, lock = false): Promise<AlertRow | undefined> =>
  alerts(tx)
    .where('id', '=', id)
    .where('state', '<>', 'removed')
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();

/** A client's alerts by name, with the name of their campaign, and how many events and failures the days since had. */
export const alertsOf = (tx: Tx, companyId: string, since: Date) =>
  tx
    .selectFrom('alert as a')
    .leftJoin('campaign as c', 'c.id', 'a.campaign_id')
    .selectAll('a')
    .select([
      'c.name as campaign_name',
      sql<number>`(select count(*)::int from alert_event e where e.root_id = a.root_id and e.alert_id = a.id
        and e.created_at >= ${since} and e.batch_id is not null)`.as('told'),
      sql<number>`(select count(*)::int from alert_message m where m.alert_id = a.id
        and m.created_at >= ${since} and m.state = 'failed')`.as('failed'),
    ])
    .where('a.company_id', '=', companyId)
    .where('a.state', '<>', 'removed')
    .orderBy(sql`lower(a.name)`)
    .orderBy('a.id')
    .execute();

export const insertAlert = (tx: Tx, row: Insertable<Schema['alert']>) =>
  tx.insertInto('alert').values(row).execute();

export const updateAlert = (tx: Tx, id: string, change: Updateable<Schema['alert']>) =>
  tx.updateTable('alert').set(change).where('id', '=', id).execute();

/** Who can get an alert of a client by email: its users and its agency's, by name. */
export const usersFor = (tx: Tx, companies: readonly string[]) =>
  tx
    .selectFrom('user_account')
    .select(['id', 'name', 'email'])
    .where('company_id', '=', sql<string>`any(${companies}::uuid[])`)
    .where('disabled_at', 'is', null)
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .limit(500)
    .execute();

/** Those of some companies that have an alert that is on. */
export async function withAlerts(tx: Tx, companies: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ company_id: string }>`
    select distinct company_id from alert where company_id = any(${companies}::uuid[]) and state = 'on'
    order by company_id`.execute(tx);
  return rows.map((row) => row.company_id);
}

/** What happened to a lead, to be judged. */
export interface Happened {
  leadId: string;
  kind: Exclude<AlertKind, 'number' | 'customer'>;
  at: Date;
}

/** A visit of a known customer, to be judged. */
export interface CustomerSeen {
  visitId: string;
  at: Date;
}

/**
 * The addresses that the person of `of` viewed from half an hour before `s.since` until `s.at`: the latest, as anyone can
 * send any number of views of a browser.
 */
const viewedBy = (of: RawBuilder<unknown>) => sql`
  (select w.url from visit w
   where w.campaign_id = ${of}.campaign_id and w.person_id = ${of}.person_id
     and w.day between (s.since - make_interval(mins => ${VISIT_MINUTES}))::date - 1 and s.at::date + 1
     and w.received_at > s.since - make_interval(mins => ${VISIT_MINUTES}) and w.received_at <= s.at
   order by w.received_at desc limit ${MOST_VIEWS})`;

/**
 * Whether what happened to a lead `l` (`s.kind` at `s.at`, and before that since `s.since`) is what an alert `a` waits
 * for, but for its trigger.
 */
const isWanted = sql`
  l.score >= case a.min_score when 0 then -1 else a.min_score end
  and (a.campaign_id is null or a.campaign_id = l.campaign_id)
  and (a.fit = 'any' or l.score_details -> 'facts' -> 'fit' -> 'fits' = l.score_details -> 'facts' -> 'fit' -> 'asked')
  and (a.pages = '{}' or exists (
    select from (
      select c.page_url as url from lead_contact c where s.kind in ('new', 'number') and c.lead_id = l.id
      union all
      ${viewedBy(sql`l`)}) viewed, unnest(a.pages) page
    where position(lower(page) in lower(viewed.url)) > 0))`;

/** Whether the visit `v` of a customer, at `s.at` and before that since `s.since`, is what an alert `a` waits for, but for its trigger. */
const isWantedVisit = sql`
  (a.campaign_id is null or a.campaign_id = v.campaign_id)
  and (a.pages = '{}' or exists (
    select from ${viewedBy(sql`v`)} viewed, unnest(a.pages) page
    where position(lower(page) in lower(viewed.url)) > 0))`;

const triggerFits = sql`
  case s.kind
    when 'new' then a.trigger in ('lead', 'lead_or_return')
    when 'returned' then a.trigger in ('return', 'lead_or_return')
    else a.trigger in ('return', 'lead_or_return') and a.pages <> '{}'
  end`;

/** The companies of events that were added. */
type Decided = { company_id: string };
const companiesOf = (rows: readonly Decided[]): string[] => rows.map((row) => row.company_id);

/**
 * Decides which alerts report what happened, and keeps it as events to be sent: of a person, at most once in an
 * alert's cooldown, whichever worker is first. Each lead is judged once for each kind of what happened to it. In the
 * root's scope; one statement for all. Returns the companies of the events.
 */
export async function decide(tx: Tx, happened: readonly Happened[], now: Date): Promise<string[]> {
  if (happened.length === 0) return [];
  const { rows } = await sql<Decided>`/* kept: decide_alerts */
    with s as (
      select lead_id, kind, min(at) as since, max(at) as at
      from unnest(${happened.map((one) => one.leadId)}::uuid[], ${happened.map((one) => one.kind)}::text[],
        ${happened.map((one) => one.at)}::timestamptz[]) s (lead_id, kind, at) group by 1, 2
    ), hit as (
      select distinct on (a.id, coalesce(l.person_id, l.id)) a.id as alert_id, a.root_id, a.agency_id, a.company_id,
        a.cooldown_hours, l.id as lead_id, coalesce(l.person_id, l.id) as person_id, s.kind, s.at
      from s join lead l on l.id = s.lead_id and not l.is_test
      join alert a on a.company_id = l.company_id and a.state = 'on'
      where ${triggerFits} and ${isWanted}
      order by a.id, coalesce(l.person_id, l.id), s.at desc
    ), told as (
      insert into alert_person as p (alert_id, person_id, root_id, agency_id, company_id, told_at)
      select alert_id, person_id, root_id, agency_id, company_id, at from hit order by alert_id, person_id
      on conflict (alert_id, person_id) do update set told_at = excluded.told_at
        where p.told_at <= excluded.told_at
          - make_interval(hours => (select cooldown_hours from alert where id = excluded.alert_id))
      returning alert_id, person_id
    )
    insert into alert_event (id, root_id, agency_id, company_id, alert_id, lead_id, kind, at, created_at)
    select gen_random_uuid(), h.root_id, h.agency_id, h.company_id, h.alert_id, h.lead_id, h.kind, h.at, ${now}
    from hit h join told using (alert_id, person_id) returning company_id`.execute(tx);
  return companiesOf(rows);
}

/** The same for visits of known customers, whose list must still be in force. */
export async function decideCustomers(tx: Tx, seen: readonly CustomerSeen[], now: Date): Promise<string[]> {
  if (seen.length === 0) return [];
  const { rows } = await sql<Decided>`/* kept: decide_customer_alerts */
    with s as (
      select visit_id, min(at) as since, max(at) as at
      from unnest(${seen.map((one) => one.visitId)}::uuid[], ${seen.map((one) => one.at)}::timestamptz[]) s (visit_id, at) group by 1
    ), hit as (
      select distinct on (a.id, v.person_id) a.id as alert_id, a.root_id, a.agency_id, a.company_id, a.cooldown_hours,
        v.id as visit_id, v.person_id, s.at
      from s join customer_visit v on v.id = s.visit_id
      join exclusion_list l on l.id = v.list_id and l.state = 'active'
      join alert a on a.company_id = v.company_id and a.state = 'on' and a.trigger = 'customer'
      where ${isWantedVisit}
      order by a.id, v.person_id, s.at desc
    ), told as (
      insert into alert_person as p (alert_id, person_id, root_id, agency_id, company_id, told_at)
      select alert_id, person_id, root_id, agency_id, company_id, at from hit order by alert_id, person_id
      on conflict (alert_id, person_id) do update set told_at = excluded.told_at
        where p.told_at <= excluded.told_at
          - make_interval(hours => (select cooldown_hours from alert where id = excluded.alert_id))
      returning alert_id, person_id
    )
    insert into alert_event (id, root_id, agency_id, company_id, alert_id, customer_visit_id, kind, at, created_at)
    select gen_random_uuid(), h.root_id, h.agency_id, h.company_id, h.alert_id, h.visit_id, 'customer', h.at, ${now}
    from hit h join told using (alert_id, person_id) returning company_id`.execute(tx);
  return companiesOf(rows);
}

/**
 * Decides which alerts of a number of leads have come to it in the last hour, for the companies of new leads; each at
 * most once in its cooldown. Returns the companies of the events.
 */
export async function decideNumbers(tx: Tx, companies: readonly string[], now: Date): Promise<string[]> {
  if (companies.length === 0) return [];
  const { rows } = await sql<Decided>`/* kept: decide_number_alerts */
    with counted as (
      select a.id as alert_id, a.root_id, a.agency_id, a.company_id, a.per_hour, n.count
      from alert a cross join lateral (
        select count(*)::int as count
        from lead l cross join lateral (select 'number'::text as kind, l.created_at as since, l.created_at as at) s
        where l.company_id = a.company_id and l.created_at > ${now}::timestamptz - interval '1 hour' and not l.is_test
          and ${isWanted}) n
      where a.company_id = any(${companies}::uuid[]) and a.state = 'on' and a.trigger = 'number' and n.count >= a.per_hour
    ), told as (
      insert into alert_person as p (alert_id, person_id, root_id, agency_id, company_id, told_at)
      select alert_id, alert_id, root_id, agency_id, company_id, ${now} from counted order by alert_id
      on conflict (alert_id, person_id) do update set told_at = excluded.told_at
        where p.told_at <= excluded.told_at
          - make_interval(hours => (select cooldown_hours from alert where id = excluded.alert_id))
      returning alert_id
    )
    insert into alert_event (id, root_id, agency_id, company_id, alert_id, kind, count, at, created_at)
    select gen_random_uuid(), c.root_id, c.agency_id, c.company_id, c.alert_id, 'number', c.count, ${now}, ${now}
    from counted c join told using (alert_id) returning company_id`.execute(tx);
  return companiesOf(rows);
}

/** What an alert waits for, as it was entered. */
export interface Wanted {
  company_id: string;
  campaign_id: string | null;
  trigger: string;
  min_score: number;
  fit: string;
  pages: readonly string[];
}

/** An alert that is not saved, as a row `a`. */
const asRow = (of: Wanted): RawBuilder<unknown> => sql`(select ${of.company_id}::uuid as company_id,
  ${of.campaign_id}::uuid as campaign_id, ${of.trigger}::text as trigger, ${of.min_score}::int as min_score,
  ${of.fit}::text as fit, ${of.pages}::text[] as pages)`;

/** What an alert would have waited for in a span of time, oldest first, before its cooldown. In the client's scope. */
export async function wouldTell(tx: Tx, of: Wanted, from: Date, until: Date) {
  const { rows } = await sql<{
    lead_id: string;
    person_id: string;
    kind: Happened['kind'];
    at: Date;
    score: number;
  }>`
    with found as (
      select l.id as lead_id, 'new'::text as kind, l.created_at as at from lead l
      where l.company_id = ${of.company_id} and l.created_at >= ${from} and l.created_at <= ${until}
      union all
      select r.lead_id, 'returned', r.at from lead_return r
      where r.company_id = ${of.company_id} and r.at >= ${from} and r.at <= ${until}
      union all
      select l.id, 'seen', v.received_at from lead l join visit v on v.campaign_id = l.campaign_id
        and v.person_id = l.person_id and v.received_at > l.created_at
      where ${of.pages.length > 0} and l.company_id = ${of.company_id} and v.day >= ${from}::date - 1
        and v.received_at >= ${from} and v.received_at <= ${until}
    ), s as (select *, at as since from found)
    select l.id as lead_id, coalesce(l.person_id, l.id) as person_id, s.kind, s.at, l.score
    from s join lead l on l.id = s.lead_id and not l.is_test cross join ${asRow(of)} a
    where ${of.trigger === 'number' ? sql`s.kind = 'new'` : triggerFits} and ${isWanted}
    order by s.at, l.id limit ${MOST_PREVIEWED}`.execute(tx);
  return rows;
}

/** What an alert of customers would have waited for in a span of time, oldest first, before its cooldown. */
export async function wouldTellCustomers(tx: Tx, of: Wanted, from: Date, until: Date) {
  const { rows } = await sql<{ visit_id: string; person_id: string; label: string; at: Date }>`
    select distinct on (v.at, v.id) v.id as visit_id, v.person_id, v.label, s.at
    from customer_visit v join exclusion_list l on l.id = v.list_id and l.state = 'active'
    cross join ${asRow(of)} a
    cross join lateral (
      select w.received_at as since, w.received_at as at from visit w
      where w.campaign_id = v.campaign_id and w.person_id = v.person_id and w.day between v.first_at::date - 1 and v.at::date + 1
        and w.received_at between v.first_at and v.at) s
    where v.company_id = ${of.company_id} and v.at >= ${from} and v.at <= ${until} and ${isWantedVisit}
    order by v.at, v.id, s.at limit ${MOST_PREVIEWED}`.execute(tx);
  return rows;
}

/** The alerts of a root that have something to send: whose they are, and their hours. */
export async function waitingAlerts(tx: Tx, rootId: string) {
  const { rows } = await sql<Pick<AlertRow, 'company_id' | 'hours'> & { time_zone: string }>`
    select a.company_id, a.hours, c.time_zone
    from (select distinct alert_id from alert_event where root_id = ${rootId} and batch_id is null) e
    join alert a on a.id = e.alert_id join company c on c.id = a.company_id`.execute(tx);
  return rows;
}

/** The ids of a company's alerts that have something to send. */
export async function waitingAlertsOf(tx: Tx, companyId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select a.id from alert a where a.company_id = ${companyId} and exists (
      select from alert_event e where e.root_id = a.root_id and e.alert_id = a.id and e.batch_id is null)`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

/** An alert with the time zone of its client, locked; undefined if another worker has it. */
export const takeAlert = (tx: Tx, id: string) =>
  tx
    .selectFrom('alert as a')
    .innerJoin('company as c', 'c.id', 'a.company_id')
    .selectAll('a')
    .select('c.time_zone')
    .where('a.id', '=', id)
    .forUpdate('a')
    .skipLocked()
    .executeTakeFirst();

/** What an alert has not sent yet, oldest first. */
export const waitingEvents = (tx: Tx, { root_id, id }: AlertRow) =>
  tx
    .selectFrom('alert_event')
    .select(['id', 'created_at'])
    .where('root_id', '=', root_id)
    .where('alert_id', '=', id)
    .where('batch_id', 'is', null)
    .orderBy('at')
    .orderBy('id')
    .execute();

/** Deletes what an alert has not sent, since it was turned off. */
export const dropWaiting = (tx: Tx, { root_id, id }: Pick<AlertRow, 'root_id' | 'id'>) =>
  tx
    .deleteFrom('alert_event')
    .where('root_id', '=', root_id)
    .where('alert_id', '=', id)
    .where('batch_id', 'is', null)
    .execute();

/** How many batches of an alert were sent since an instant, and whether one of them gathered several events. */
export async function batchesSince(tx: Tx, alertId: string, since: Date) {
  const row = await tx
    .selectFrom('alert_message')
    .select([
      sql<number>`count(distinct batch_id) filter (where events = 1)::int`.as('single'),
      sql<boolean>`coalesce(bool_or(events > 1), false)`.as('hasGathered'),
    ])
    .where('alert_id', '=', alertId)
    .where('created_at', '>', since)
    .where('is_test', '=', false)
    .executeTakeFirstOrThrow();
  return row;
}

/** Makes batches of events: the events of each, by the batch's id. */
export async function setBatches(tx: Tx, batches: readonly { id: string; events: string[] }[]) {
  const rows = batches.flatMap(({ id, events }) => events.map((event) => ({ id, event })));
  await sql`
    update alert_event e set batch_id = b.id
    from unnest(${rows.map(({ event }) => event)}::uuid[], ${rows.map(({ id }) => id)}::uuid[]) b (event, id)
    where e.id = b.event`.execute(tx);
}

/** Adds messages and returns those that are new. */
export const insertMessages = (tx: Tx, rows: Insertable<Schema['alert_message']>[]) =>
  tx
    .insertInto('alert_message')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'root_id', 'company_id', 'way'])
    .execute();

export const messageById = (tx: Tx, id: string, lock = false): Promise<MessageRow | undefined> =>
  tx
    .selectFrom('alert_message')
    .selectAll()
    .where('id', '=', id)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();

export const updateMessage = (tx: Tx, id: string, change: Updateable<Schema['alert_message']>) =>
  tx.updateTable('alert_message').set(change).where('id', '=', id).execute();

/** An alert, also a removed one. */
export const anyAlert = (tx: Tx, id: string): Promise<AlertRow | undefined> =>
  alerts(tx).where('id', '=', id).executeTakeFirst();

/**
 * The first events of a batch, oldest first, each with the page that its person had viewed last; null: not known.
 */
export async function eventsOf(tx: Tx, batchId: string, most: number) {
  const { rows } = await sql<
    Pick<EventRow, 'lead_id' | 'kind' | 'count' | 'at'> & {
      page: string | null;
      /** A known customer, as their list has them; null if the list is no longer in force. */
      customer: string | null;
      customer_campaign: string | null;
    }
  >`
    select e.lead_id, e.kind, e.count, e.at, coalesce(seen.url, c.page_url) as page,
      case when k.state = 'active' then w.label end as customer, o.name as customer_campaign
    from alert_event e
    left join lead l on l.id = e.lead_id
    left join customer_visit w on w.id = e.customer_visit_id
    left join exclusion_list k on k.id = w.list_id
    left join campaign o on o.id = w.campaign_id
    left join lead_contact c on c.lead_id = e.lead_id
    left join lateral (
      select v.url from visit v
      where v.campaign_id = coalesce(l.campaign_id, w.campaign_id) and v.person_id = coalesce(l.person_id, w.person_id)
        and v.url is not null and v.day between e.at::date - 1 and e.at::date + 1 and v.received_at <= e.at
        and v.received_at > e.at - make_interval(mins => ${VISIT_MINUTES})
      order by v.received_at desc limit 1) seen on true
    where e.batch_id = ${batchId}
    order by e.at, e.id limit ${most}`.execute(tx);
  return rows;
}

/** What an alert has sent, newest first; of a user and a connection their names. */
export async function messagesOf(tx: Tx, alertId: string, page: { offset: number; limit: number }) {
  const of = tx.selectFrom('alert_message as m').where('m.alert_id', '=', alertId);
  const { total } = await of.select((on) => on.fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow();
  const rows = await of
    .leftJoin('user_account as u', (on) =>
      on.on('m.way', '=', 'mail').on(sql<boolean>`u.id::text = m.target`),
    )
    .leftJoin('connection as c', (on) => on.on('m.way', '=', 'chat').on(sql<boolean>`c.id::text = m.target`))
    .selectAll('m')
    .select(
      sql<string | null>`case m.way when 'webhook' then m.target else coalesce(u.email, c.name) end`.as(
        'recipient',
      ),
    )
    .orderBy('m.created_at', 'desc')
    .orderBy('m.id')
    .offset(page.offset)
    .limit(page.limit)
    .execute();
  return { rows, total: Number(total) };
}

/** The messages, events, and cooldowns of a root from before an instant, up to `most` of each. */
const oldParts = (rootId: string, before: Date, most: number) => ({
  messages: sql`select id from alert_message where root_id = ${rootId} and created_at < ${before} limit ${most}`,
  events: sql`select id from alert_event where root_id = ${rootId} and created_at < ${before} limit ${most}`,
  people: sql`select alert_id, person_id from alert_person where root_id = ${rootId} and told_at < ${before} limit ${most}`,
});

/** How many there are, each counted up to `most`. */
export async function countBefore(tx: Tx, rootId: string, before: Date, most: number): Promise<number> {
  const counts = [];
  for (const part of Object.values(oldParts(rootId, before, most)))
    counts.push((await part.execute(tx)).rows.length);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Deletes up to `most` of each; returns how many in all. */
export async function forgetBefore(tx: Tx, rootId: string, before: Date, most: number): Promise<number> {
  const { messages, events, people } = oldParts(rootId, before, most);
  const deleted = [
    await sql`delete from alert_message where id in (${messages})`.execute(tx),
    await sql`delete from alert_event where id in (${events})`.execute(tx),
    await sql`delete from alert_person where (alert_id, person_id) in (${people})`.execute(tx),
  ];
  return deleted.reduce((sum, { numAffectedRows }) => sum + Number(numAffectedRows ?? 0n), 0);
}

/** One row for each recipient of an alert, for a batch. */
export function messagesFor(
  alert: Place & Pick<AlertRow, 'id' | 'user_ids' | 'connection_ids' | 'webhook_url'>,
  batch: { id: string; events: number; is_test: boolean },
  at: Date,
  newMessageId: () => string,
): Insertable<Schema['alert_message']>[] {
  const targets: [AlertWay, string][] = [
    ...alert.user_ids.map((id): [AlertWay, string] => ['mail', id]),
    ...alert.connection_ids.map((id): [AlertWay, string] => ['chat', id]),
    ...(alert.webhook_url ? [['webhook', alert.webhook_url] as [AlertWay, string]] : []),
  ];
  return targets.map(([way, target]) => ({
    id: newId(at),
    root_id: alert.root_id,
    agency_id: alert.agency_id,
    company_id: alert.company_id,
    alert_id: alert.id,
    batch_id: batch.id,
    way,
    target,
    message_id: newMessageId(),
    events: batch.events,
    is_test: batch.is_test,
    state: 'pending',
    created_at: at,
  }));
}
