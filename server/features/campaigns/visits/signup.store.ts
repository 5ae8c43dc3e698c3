import { sql } from 'kysely';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';
import type { HeldReason } from './signup.policy.ts';

type ClientOwner = Owner & { agency_id: string };

/** Of a person's own sign-ups that passed, only so many are examined. */
const MOST_OWN = 20;

/**
 * How many held visits are decided by one call and counted in the list, and how many of each kind one statement forgets
 * or erases: anyone can send millions of forged ones. Tests lower them.
 */
export const MOST = { decided: 20_000, counted: 100_000, forgotten: 20_000, erased: 1000 };

/**
 * Sign-ups since an instant that share network or browser with others, up to `most` of each, newest first, and those of
 * the same people on the same campaigns that passed; hashes in hex.
 */
export async function earlierSignUps(
  tx: Tx,
  rootId: string,
  asked: {
    networks: string[];
    visitors: { companyId: string; visitorId: string }[];
    people: { campaignId: string; hash: string }[];
    since: Date;
    most: { browser: number; network: number };
  },
) {
  const { networks, visitors, people, since, most } = asked;
  return (
    await sql<{
      companyId: string;
      address: string | null;
      network: string | null;
      visitorId: string | null;
      hash: string;
      held: boolean;
    }>`
    select s.company_id as "companyId", s.address, s.network, s.visitor_id as "visitorId", encode(s.hash, 'hex') as hash, s.held
    from (
      select s.* from unnest(${networks}::text[]) n (network)
      cross join lateral (select * from signup where root_id = ${rootId} and network = n.network and at > ${since}
        order by at desc limit ${most.network}) s
      union
      select s.* from unnest(${visitors.map((v) => v.companyId)}::uuid[], ${visitors.map((v) => v.visitorId)}::uuid[])
        v (company_id, visitor_id)
      cross join lateral (select * from signup where company_id = v.company_id and visitor_id = v.visitor_id and at > ${since}
        order by at desc limit ${most.browser}) s
      union
      select s.* from unnest(${people.map((p) => p.campaignId)}::uuid[], ${people.map((p) => `\\x${p.hash}`)}::bytea[])
        p (campaign_id, hash)
      cross join lateral (select * from signup where campaign_id = p.campaign_id and hash = p.hash and not held and at > ${since}
        order by at desc limit ${MOST_OWN}) s
    ) s`.execute(tx)
  ).rows;
}

/** Returns which of these people have signed up on these campaigns since an instant without being held. */
export async function knownSignUps(
  tx: Tx,
  asked: { campaignId: string; hash: string }[],
  since: Date,
): Promise<{ campaign_id: string; hash: string }[]> {
  return (
    await sql<{ campaign_id: string; hash: string }>`
    select a.campaign_id, encode(a.hash, 'hex') as hash
    from unnest(${asked.map((a) => a.campaignId)}::uuid[], ${asked.map((a) => `\\x${a.hash}`)}::bytea[]) a (campaign_id, hash)
    where exists (select from signup s where s.campaign_id = a.campaign_id and s.hash = a.hash and s.at > ${since} and not s.held)`.execute(
      tx,
    )
  ).rows;
}

/** How many new people campaigns had: in this hour, in the last 24, and in the seven days before it. */
export async function signUpHours(tx: Tx, campaignIds: string[], now: Date) {
  return (
    await sql<{ campaign_id: string; hour: number; day: number; week: number }>`
    select campaign_id,
      coalesce(sum(count) filter (where hour = date_trunc('hour', ${now}::timestamptz)), 0)::int as hour,
      coalesce(sum(count) filter (where hour > ${now}::timestamptz - interval '24 hours'), 0)::int as day,
      coalesce(sum(count) filter (where hour < date_trunc('hour', ${now}::timestamptz)), 0)::int as week
    from signup_hour where campaign_id = any(${campaignIds}::uuid[]) and hour > ${now}::timestamptz - interval '7 days'
    group by campaign_id`.execute(tx)
  ).rows;
}

/** How many views of a browser are looked at. */
const MOST_READ = 1000;

/** Returns which of these browsers have viewed a page of the client, as indexes into the list. */
export async function viewers(
  tx: Tx,
  asked: { companyId: string; visitorId: string }[],
  days: string[],
): Promise<Set<number>> {
  const { rows } = await sql<{ place: number }>`
    select w.place::int as place
    from unnest(${asked.map((a) => a.companyId)}::uuid[], ${asked.map((a) => a.visitorId)}::uuid[]) with ordinality
      w (company_id, visitor_id, place)
    where exists (
      -- Bounded before it is filtered: anyone can send what they like in the name of a browser.
      select from (select v.company_id from visit v
                   where v.visitor_id = w.visitor_id and v.event = 'view' and v.day = any(${days}::date[]) limit ${MOST_READ}) b
      where b.company_id = w.company_id)`.execute(tx);
  return new Set(rows.map((row) => row.place - 1));
}

export interface NewSignUp extends ClientOwner {
  campaign_id: string;
  hash: Buffer;
  address: string | null;
  network: string | null;
  visitor_id: string | null;
  held: boolean;
}

/** Stores sign-ups (each campaign, hash, address, and browser once). */
export async function addSignUps(tx: Tx, rows: NewSignUp[], now: Date): Promise<void> {
  await sql`
    insert into signup (campaign_id, hash, address, visitor_id, network, root_id, agency_id, company_id, held, at)
    select campaign_id, hash, address, visitor_id, network, root_id, agency_id, company_id, held, ${now}
    from unnest(${rows.map((r) => r.campaign_id)}::uuid[], ${rows.map((r) => r.hash)}::bytea[], ${rows.map((r) => r.address)}::text[],
      ${rows.map((r) => r.visitor_id)}::uuid[], ${rows.map((r) => r.network)}::text[], ${rows.map((r) => r.root_id)}::uuid[],
      ${rows.map((r) => r.agency_id)}::uuid[], ${rows.map((r) => r.company_id)}::uuid[], ${rows.map((r) => r.held)}::boolean[])
      r (campaign_id, hash, address, visitor_id, network, root_id, agency_id, company_id, held)
    order by campaign_id, hash, address, visitor_id
    on conflict (campaign_id, hash, address, visitor_id) do update set at = excluded.at, held = signup.held and excluded.held
      where signup.at < excluded.at - interval '1 hour' or signup.held and not excluded.held`.execute(tx);
}

/** Adds new people to campaigns' hourly counts. */
export async function addSignUpHours(
  tx: Tx,
  rows: (ClientOwner & { campaign_id: string; count: number })[],
  now: Date,
): Promise<void> {
  await sql`
    insert into signup_hour (campaign_id, hour, root_id, agency_id, company_id, count)
    select campaign_id, date_trunc('hour', ${now}::timestamptz), root_id, agency_id, company_id, count
    from unnest(${rows.map((r) => r.campaign_id)}::uuid[], ${rows.map((r) => r.root_id)}::uuid[], ${rows.map((r) => r.agency_id)}::uuid[],
      ${rows.map((r) => r.company_id)}::uuid[], ${rows.map((r) => r.count)}::bigint[]) r (campaign_id, root_id, agency_id, company_id, count)
    order by campaign_id
    on conflict (campaign_id, hour) do update set count = signup_hour.count + excluded.count`.execute(tx);
}

export interface HeldRow extends ClientOwner {
  day: string;
  event_id: string;
  campaign_id: string;
  reason: HeldReason;
  source: string;
  event: string;
  hash: Buffer | null;
  received_at: Date;
}

export async function addHeld(tx: Tx, rows: HeldRow[]): Promise<void> {
  await sql`
    insert into held_visit (day, event_id, root_id, agency_id, company_id, campaign_id, reason, source, event, hash, received_at, state)
    select r.*, 'held' from unnest(${rows.map((r) => r.day)}::date[], ${rows.map((r) => r.event_id)}::uuid[],
      ${rows.map((r) => r.root_id)}::uuid[], ${rows.map((r) => r.agency_id)}::uuid[], ${rows.map((r) => r.company_id)}::uuid[],
      ${rows.map((r) => r.campaign_id)}::uuid[], ${rows.map((r) => r.reason)}::text[], ${rows.map((r) => r.source)}::text[],
      ${rows.map((r) => r.event)}::text[], ${rows.map((r) => r.hash)}::bytea[], ${rows.map((r) => r.received_at)}::timestamptz[]) r`.execute(
    tx,
  );
}

/** Returns the held visits by campaign, reason, and source, newest first; of very many, the newest. */
export async function heldGroups(tx: Tx, campaignId: string | undefined, most: number) {
  const of = campaignId ? sql`and h.campaign_id = ${campaignId}` : sql``;
  return (
    await sql<{
      campaign_id: string;
      name: string;
      company_name: string;
      reason: HeldReason;
      source: string;
      count: bigint;
      people: bigint;
      conversions: bigint;
      first_at: Date;
      last_at: Date;
      asked_at: Date | null;
      total: string;
    }>`
    select g.*, c.name, k.name as company_name from (
      select h.campaign_id, h.reason, h.source, count(*) as count, count(distinct h.hash) as people,
        count(*) filter (where h.event = 'thanks') as conversions, min(h.received_at) as first_at, max(h.received_at) as last_at,
        max(h.asked_at) as asked_at, sum(count(*)) over () as total
      from (select * from held_visit h where h.state = 'held' ${of} order by h.received_at desc limit ${MOST.counted}) h
      group by 1, 2, 3) g
    join campaign c on c.id = g.campaign_id join company k on k.id = c.company_id
    order by g.last_at desc, g.campaign_id, g.reason, g.source limit ${most}`.execute(tx)
  ).rows;
}

/** The held visits up to an instant that share a campaign, reason, and source. */
export interface HeldChoice {
  campaign_id: string;
  reason: HeldReason;
  source: string;
  until: string;
}

/** The chosen visits, the newest first, among the newest `MOST.counted` of the campaign that wait up to the instant. */
const chosen = ({ campaign_id, reason, source, until }: HeldChoice) => sql`(
  select * from held_visit where campaign_id = ${campaign_id} and received_at <= ${until}::timestamptz and state = 'held'
  order by received_at desc limit ${MOST.counted}) h
  where h.reason = ${reason} and h.source = ${source}`;

/**
 * Decides on held visits, the newest first, up to `MOST.decided`; returns when each of them arrived. Released visits wait
 * to be resolved again.
 */
export async function decide(
  tx: Tx,
  choice: HeldChoice,
  state: 'released' | 'discarded',
  by: { userId: string; at: Date },
): Promise<Date[]> {
  const { rows } = await sql<{ day: string; event_id: string; hash: Buffer | null; received_at: Date }>`
    update held_visit set state = ${state}, decided_at = ${by.at}, decided_by = ${by.userId}::uuid
    where (day, event_id) in (
      select day, event_id from ${chosen(choice)} order by received_at desc limit ${MOST.decided})
      and state = 'held'
    returning day, event_id, hash, received_at`.execute(tx);
  if (rows.length === 0) return [];
  const days = [...new Set(rows.map((row) => row.day))];
  await sql`
    update visit v set outcome = ${state}, resolved_at = case when ${state} = 'released' then null else v.resolved_at end
    from unnest(${rows.map((r) => r.day)}::date[], ${rows.map((r) => r.event_id)}::uuid[]) r (day, event_id)
    where v.day = r.day and v.event_id = r.event_id and v.day = any(${days}::date[])`.execute(tx);
  if (state === 'released')
    await sql`update signup set held = false where campaign_id = ${choice.campaign_id}
      and hash = any(${rows.flatMap((row) => row.hash ?? [])}::bytea[])`.execute(tx);
  return rows.map((row) => row.received_at);
}

/**
 * Records that the client requests the release of held visits, of those it has not requested the newest, up to
 * `MOST.decided`; returns how many there were. Leaves out those that another request is changing.
 */
export async function ask(tx: Tx, choice: HeldChoice, at: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    update held_visit v set asked_at = ${at}
    from (
      select day, event_id from held_visit where (day, event_id) in (
        select day, event_id from ${chosen(choice)} and h.asked_at is null order by received_at desc limit ${MOST.decided})
      and state = 'held' and asked_at is null for update skip locked) o
    where v.day = o.day and v.event_id = o.event_id`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

export async function forget(db: Db, before: { signUps: Date; hours: Date; held: Date }): Promise<void> {
  for (let found = MOST.forgotten; found >= MOST.forgotten; ) {
    const { rows } = await sql<{ found: bigint }>`
      select forget_some_signups(${before.signUps}, ${before.hours}, ${before.held}, ${MOST.forgotten}) as found`.execute(
      db,
    );
    found = Number(rows[0]!.found);
  }
}
