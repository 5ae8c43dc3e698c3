import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { MEMBER, type Member } from './row.policy.ts';

export type AudienceRow = Selectable<Schema['audience']>;
/** Whose an audience is. */
type Of = Owner & { id: string; agency_id: string };

export async function insertAudience(tx: Tx, row: Insertable<Schema['audience']>): Promise<void> {
  await tx.insertInto('audience').values(row).execute();
}

export async function updateAudience(tx: Tx, id: string, set: Updateable<Schema['audience']>): Promise<void> {
  await tx.updateTable('audience').set(set).where('id', '=', id).execute();
}

/** An audience that the scope may see, including a removed one; `lock` keeps others from changing it meanwhile. */
export async function audienceById(tx: Tx, id: string, lock = false): Promise<AudienceRow | undefined> {
  const query = tx.selectFrom('audience').selectAll().where('id', '=', id);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

/** Whether a client has an audience with this name. */
export async function isNamed(tx: Tx, companyId: string, name: string): Promise<boolean> {
  const row = await tx
    .selectFrom('audience')
    .select('id')
    .where('company_id', '=', companyId)
    .where(sql<boolean>`lower(name) = lower(${name})`)
    .where('state', '<>', 'removed')
    .executeTakeFirst();
  return row !== undefined;
}

/** Audiences with what is shown of them besides; removed ones are left out. */
const joined = (tx: Tx) =>
  tx
    .selectFrom('audience as a')
    .innerJoin('company as k', 'k.id', 'a.company_id')
    .leftJoin('campaign as c', 'c.id', 'a.campaign_id')
    .selectAll('a')
    .select([
      'k.name as company_name',
      'c.name as campaign_name',
      (eb) =>
        eb
          .selectFrom('ad_campaign_audience as u')
          .innerJoin('campaign as x', 'x.id', 'u.campaign_id')
          .select((x) => x.fn.countAll<bigint>().as('count'))
          .whereRef('u.audience_id', '=', 'a.id')
          .where('x.state', '<>', 'removed')
          .as('campaigns'),
    ])
    .where('a.state', '<>', 'removed');

export type ShownRow = Awaited<ReturnType<ReturnType<typeof joined>['executeTakeFirstOrThrow']>>;

export const shownById = (tx: Tx, id: string): Promise<ShownRow | undefined> =>
  joined(tx).where('a.id', '=', id).executeTakeFirst();

export async function pageOfAudiences(
  tx: Tx,
  asked: {
    companyId?: string | undefined;
    search?: string | undefined;
    limit: number;
    offset: number;
  },
): Promise<{ rows: ShownRow[]; total: number }> {
  let query = joined(tx);
  if (asked.companyId) query = query.where('a.company_id', '=', asked.companyId);
  if (asked.search) query = query.where('a.name', 'ilike', `%${asked.search.replace(/[\\%_]/g, '\\$&')}%`);
  const rows = await query
    .orderBy('a.created_at', 'desc')
    .orderBy('a.id', 'desc')
    .limit(asked.limit)
    .offset(asked.offset)
    .execute();
  const { total } = await query
    .clearSelect()
    .select((eb) => eb.fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

// ─── What campaigns are aimed at ─────────────────────────────────────────────────────────────────────────────────────

/** The campaigns that use an audience; removed campaigns use none. */
export const usesOf = (tx: Tx, audienceId: string) =>
  tx
    .selectFrom('ad_campaign_audience as u')
    .innerJoin('campaign as c', 'c.id', 'u.campaign_id')
    .select(['c.id', 'c.name', 'c.number', 'u.is_excluded'])
    .where('u.audience_id', '=', audienceId)
    .where('c.state', '<>', 'removed')
    .orderBy('c.number')
    .execute();

/** What campaigns are aimed at. */
export const aimsOf = (tx: Tx, campaignIds: readonly string[]) =>
  campaignIds.length === 0
    ? Promise.resolve([])
    : tx
        .selectFrom('ad_campaign_audience as u')
        .innerJoin('audience as a', 'a.id', 'u.audience_id')
        .select([
          'u.campaign_id',
          'u.audience_id',
          'u.is_excluded',
          'a.name',
          'a.external_id',
          'a.addresses',
          'a.place_error',
          'a.source',
          'a.size',
          'a.matched',
          'a.reachable',
        ])
        .where('u.campaign_id', '=', sql<string>`any(${[...campaignIds]}::uuid[])`)
        .orderBy('a.created_at')
        .orderBy('a.id')
        .execute();

/** Audiences of a client by id, those that exist; held so that none is removed before the transaction ends. */
export const keepAudiences = (tx: Tx, companyId: string, ids: readonly string[]) =>
  tx
    .selectFrom('audience')
    .select(['id', 'source', 'kind', 'origin', 'state', 'size'])
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .where('company_id', '=', companyId)
    .where('state', '<>', 'removed')
    .orderBy('id')
    .forShare()
    .execute();

/** Puts what a campaign is aimed at in the place of what it was aimed at before. */
export async function putAims(
  tx: Tx,
  owner: Owner & { agency_id: string },
  campaignId: string,
  aims: readonly { audience_id: string; is_excluded: boolean }[],
): Promise<void> {
  await tx.deleteFrom('ad_campaign_audience').where('campaign_id', '=', campaignId).execute();
  if (aims.length > 0)
    await tx
      .insertInto('ad_campaign_audience')
      .values(
        aims.map((aim) => ({
          ...aim,
          campaign_id: campaignId,
          root_id: owner.root_id,
          agency_id: owner.agency_id,
          company_id: owner.company_id,
        })),
      )
      .execute();
}

// ─── Members ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Adds members, each once; returns how many were new to the audience. */
export async function addMembers(tx: Tx, of: Of, members: readonly Member[]): Promise<number> {
  const rows = members.map((member) => ({ ...member, value: `\\x${member.value}` }));
  const { numAffectedRows } = await sql`
    insert into audience_member (audience_id, kind, value, root_id, agency_id, company_id, email, address, city, state, zip)
    select ${of.id}::uuid, m.kind, m.value, ${of.root_id}::uuid, ${of.agency_id}::uuid, ${of.company_id}::uuid,
      m.email, m.address, m.city, m.state, m.zip
    from json_to_recordset(${JSON.stringify(rows)}::json)
      m (kind smallint, value bytea, email text, address text, city text, state text, zip text)
    on conflict do nothing`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

export async function insertErrors(
  tx: Tx,
  of: Of,
  errors: readonly { line: number; reason: string; value: string }[],
): Promise<void> {
  await sql`
    insert into audience_error (audience_id, line, root_id, agency_id, company_id, reason, value)
    select ${of.id}::uuid, line, ${of.root_id}::uuid, ${of.agency_id}::uuid, ${of.company_id}::uuid, reason, value
    from unnest(${errors.map((e) => e.line)}::bigint[], ${errors.map((e) => e.reason)}::text[], ${errors.map((e) => e.value)}::text[])
      e (line, reason, value)
    on conflict do nothing`.execute(tx);
}

/** The refused rows of an audience after a line, in order. */
export const errorsAfter = (tx: Tx, id: string, after: bigint, limit: number) =>
  tx
    .selectFrom('audience_error')
    .select(['line', 'reason', 'value'])
    .where('audience_id', '=', id)
    .where('line', '>', after)
    .orderBy('line')
    .limit(limit)
    .execute();

/** The members of an audience after an id, in order. */
export const membersAfter = (tx: Tx, id: string, after: bigint, limit: number) =>
  tx
    .selectFrom('audience_member')
    .selectAll()
    .where('audience_id', '=', id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
export type MemberRow = Awaited<ReturnType<typeof membersAfter>>[number];

/** Makes an audience those people whose leads are meant: adds who is new, and removes who is no longer among them. */
export async function syncLeads(
  tx: Tx,
  of: Of,
  leads: { campaignId: string; since: Date | null; most: number },
): Promise<void> {
  await stagePeople(tx);
  await sql`insert into pg_temp.audience_people
    select distinct l.person_id from lead l
    where l.campaign_id = ${leads.campaignId}::uuid and l.company_id = ${of.company_id}::uuid and l.person_id is not null
      and not l.is_test and (${leads.since}::timestamptz is null or l.created_at >= ${leads.since}::timestamptz)
      and not exists (select from return_request r where r.lead_id = l.id and r.state = 'approved')
    limit ${leads.most}`.execute(tx);
  await syncPeople(tx, of);
}

/** Begins a list of people for `syncPeople`, for the transaction. */
export async function stagePeople(tx: Tx): Promise<void> {
  await sql`create temp table audience_people (person_id uuid primary key) on commit drop`.execute(tx);
}
export async function addPeople(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`insert into pg_temp.audience_people select unnest(${[...ids]}::uuid[]) on conflict do nothing`.execute(
    tx,
  );
}

/** Makes an audience the people that were listed. */
export async function syncPeople(tx: Tx, of: Of): Promise<void> {
  await sql`delete from audience_member m where m.audience_id = ${of.id}::uuid and m.kind = 0
    and not exists (select from pg_temp.audience_people p where uuid_send(p.person_id) = m.value)`.execute(
    tx,
  );
  await sql`
    insert into audience_member (audience_id, kind, value, root_id, agency_id, company_id)
    select ${of.id}::uuid, 0, uuid_send(p.person_id), ${of.root_id}::uuid, ${of.agency_id}::uuid, ${of.company_id}::uuid
    from pg_temp.audience_people p on conflict do nothing`.execute(tx);
}

/**
 * Records who lives at the postal addresses of an audience, up to `most` people each, for the whole audience at once; in
 * the root's scope.
 */
export async function stageResidents(
  tx: Tx,
  rootId: string,
  audienceId: string,
  most: number,
): Promise<void> {
  // The whole graph is read once; without an index on addresses, an import of people costs nothing for this.
  await sql`set local statement_timeout = '10min'`.execute(tx);
  await sql`
    with wanted as materialized (
      select id, zip, street_form(address) as street from audience_member
      where audience_id = ${audienceId}::uuid and kind = ${MEMBER.address}),
    near as materialized (
      select p.id, left(p.zip, 5) as zip, street_form(p.address) as street from person p
      where p.root_id = ${rootId} and p.address is not null and left(p.zip, 5) in (select zip from wanted)),
    found as (
      select w.id, coalesce(m.top_id, p.id) as person_id, row_number() over (partition by w.id order by p.id) as n
      from wanted w join near p on p.zip = w.zip and p.street = w.street
      left join person_merge m on m.root_id = ${rootId} and m.person_id = p.id and m.undone_at is null),
    living as materialized (
      select id, array_agg(distinct person_id order by person_id) as people from found where n <= ${most} group by id)
    update audience_member a set residents = l.people from wanted w left join living l on l.id = w.id
    where a.id = w.id and a.residents is distinct from l.people`.execute(tx);
}

/** What people are recognized by: email hashes, device ids, and the addresses that they had lately; in the root's scope. */
export async function keysOfPeople(
  tx: Tx,
  rootId: string,
  ids: readonly string[],
  since: Date,
): Promise<{ person_id: string; kind: number; value: Buffer }[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ person_id: string; kind: number; value: Buffer }>`
    select p.id as person_id, get_byte(key, 0) as kind, substring(key from 2) as value
    from unnest(${[...ids]}::uuid[]) w (id)
    cross join lateral (select id, keys from person where root_id = ${rootId} and id = w.id limit 1) p
    cross join lateral unnest(p.keys) key where get_byte(key, 0) in (1, 5)
    union all
    select k.person_id, k.kind, k.value from unnest(${[...ids]}::uuid[]) w (id)
    join identity_key k on k.root_id = ${rootId} and k.person_id = w.id and k.kind in (4, 7)
    where k.kind = 7 and k.seen_at >= ${since}::timestamptz`.execute(tx);
  return rows;
}

/** What was found out about members, and what they are recognized by from now on. */
export async function putFindings(
  tx: Tx,
  of: Of,
  findings: readonly {
    id: bigint;
    personId: string | null;
    isMatched: boolean;
    isExcluded: boolean;
    isReachable: boolean;
    hasAddress: boolean;
    keys: readonly { kind: number; value: string }[];
  }[],
): Promise<void> {
  const ids = findings.map((one) => one.id.toString());
  await sql`delete from audience_key where member_id = any(${ids}::bigint[])`.execute(tx);
  await sql`
    update audience_member m
    set person_id = f.person_id, is_matched = f.is_matched, is_excluded = f.is_excluded, is_reachable = f.is_reachable,
      has_address = f.has_address
    from unnest(${ids}::bigint[], ${findings.map((one) => one.personId)}::uuid[], ${findings.map((one) => one.isMatched)}::boolean[],
      ${findings.map((one) => one.isExcluded)}::boolean[], ${findings.map((one) => one.isReachable)}::boolean[],
      ${findings.map((one) => one.hasAddress)}::boolean[])
      f (id, person_id, is_matched, is_excluded, is_reachable, has_address)
    where m.id = f.id`.execute(tx);
  const keys = findings.flatMap((one) => one.keys.map((key) => ({ ...key, member: one.id.toString() })));
  if (keys.length > 0)
    await sql`
      insert into audience_key (member_id, kind, value, audience_id, root_id, agency_id, company_id)
      select k.member, k.kind, decode(k.value, 'hex'), ${of.id}::uuid, ${of.root_id}::uuid, ${of.agency_id}::uuid, ${of.company_id}::uuid
      from unnest(${keys.map((k) => k.member)}::bigint[], ${keys.map((k) => k.kind)}::smallint[], ${keys.map((k) => k.value)}::text[])
        k (member, kind, value)
      join audience_member m on m.id = k.member
      on conflict do nothing`.execute(tx);
}

/** What an audience comes to. */
export async function sumsOf(tx: Tx, id: string) {
  const { rows } = await sql<{
    size: bigint;
    matched: bigint;
    excluded: bigint;
    reachable: bigint;
    addresses: bigint;
  }>`
    select count(*)::bigint as size, count(*) filter (where is_matched)::bigint as matched,
      count(*) filter (where is_excluded)::bigint as excluded, count(*) filter (where is_reachable)::bigint as reachable,
      count(*) filter (where has_address)::bigint as addresses
    from audience_member where audience_id = ${id}::uuid`.execute(tx);
  return rows[0]!;
}

/** In which of these audiences each of these keys is: pairs of a key's position and an audience. */
export async function among(
  tx: Tx,
  rootId: string,
  audienceIds: readonly string[],
  keys: readonly { kind: number; value: Buffer }[],
): Promise<{ at: number; audience_id: string }[]> {
  if (audienceIds.length === 0 || keys.length === 0) return [];
  const { rows } = await sql<{ at: number; audience_id: string }>`
    select distinct (w.n - 1)::int as at, k.audience_id
    from unnest(${keys.map((k) => k.kind)}::smallint[], ${keys.map((k) => k.value)}::bytea[]) with ordinality w (kind, value, n)
    join audience_key k on k.root_id = ${rootId}::uuid and k.kind = w.kind and k.value = w.value
      and k.audience_id = any(${[...audienceIds]}::uuid[])`.execute(tx);
  return rows;
}

/** Some members of audiences with what they are recognized by, for the simulated exchange. */
export async function sampleOf(
  tx: Tx,
  audienceIds: readonly string[],
  most: number,
): Promise<{ member_id: bigint; kind: number; value: Buffer }[]> {
  const { rows } = await sql<{ member_id: bigint; kind: number; value: Buffer }>`
    select k.member_id, k.kind, k.value
    from unnest(${[...audienceIds]}::uuid[]) a (id)
    cross join lateral (select member_id, kind, value from audience_key where audience_id = a.id order by member_id limit ${most}) k`.execute(
    tx,
  );
  return rows;
}

/** Deletes the next members of an audience; returns how many. */
export async function deleteMembers(tx: Tx, id: string, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audience_member where id in (select id from audience_member where audience_id = ${id}::uuid order by id limit ${most})`.execute(
    tx,
  );
  return Number(numAffectedRows ?? 0n);
}
export async function deleteErrors(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('audience_error').where('audience_id', '=', id).execute();
}

// ─── Upkeep ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Audiences of a root that are due, and do not wait to be built since then. */
export const dueAudiences = (tx: Tx, rootId: string, now: Date, since: Date) =>
  tx
    .selectFrom('audience')
    .select(['id', 'agency_id'])
    .where('root_id', '=', rootId)
    .where('state', '=', 'ready')
    .where('refresh_at', '<=', now)
    .where((eb) => eb.or([eb('queued_at', 'is', null), eb('queued_at', '<', since)]))
    .orderBy('refresh_at')
    .limit(100)
    .execute();

/**
 * Makes the audiences of a company due, and of all below it: what excludes people has changed. Those that were built
 * within the last hour are due an hour after that.
 */
export async function makeDue(tx: Tx, owner: Owner, now: Date): Promise<void> {
  await tx
    .updateTable('audience')
    .set({
      refresh_at: sql`least(refresh_at, greatest(${now}::timestamptz, refreshed_at + interval '1 hour'))`,
    })
    .where('root_id', '=', owner.root_id)
    // One that is being made may have compared some of its members already.
    .where('state', 'in', ['loading', 'ready'])
    .$if(owner.agency_id !== null, (q) => q.where('agency_id', '=', owner.agency_id!))
    .$if(owner.agency_id !== null && owner.agency_id !== owner.company_id, (q) =>
      q.where('company_id', '=', owner.company_id),
    )
    .execute();
}

/**
 * Deletes the members who are one of some people or have one of some hashes of email addresses, with everything that
 * they are recognized by, and makes their audiences due. Returns how many there were.
 */
export async function eraseMembers(
  tx: Tx,
  rootId: string,
  { people, hashes }: { people: readonly string[]; hashes: readonly Buffer[] },
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from audience_member where root_id = ${rootId} and (
        person_id = any(${people}::uuid[])
        or kind in (${MEMBER.sha256}, ${MEMBER.md5}) and value = any(${hashes}::bytea[])
        or kind = ${MEMBER.person} and value = any(select uuid_send(one) from unnest(${people}::uuid[]) one))
      returning audience_id),
    due as (
      update audience set refresh_at = ${now} where id in (select audience_id from gone) and state = 'ready')
    select count(*)::int as count from gone`.execute(tx);
  return rows[0]!.count;
}

/**
 * The audiences of a root that an outside platform has to be told of: those that its campaigns use, and those that it
 * still has although no one uses them or they were removed.
 */
export const outsideOf = (tx: Tx, rootId: string) =>
  tx
    .selectFrom('audience as a')
    .selectAll('a')
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('ad_campaign_audience as u')
            .innerJoin('campaign as c', 'c.id', 'u.campaign_id')
            .innerJoin('ad_campaign as d', 'd.campaign_id', 'u.campaign_id')
            .whereRef('u.audience_id', '=', 'a.id')
            .where('d.platform', '=', 'simplifi')
            .where('c.state', '<>', 'removed'),
        )
        .as('is_used'),
    )
    .where('a.root_id', '=', rootId)
    .where((eb) =>
      eb.or([
        eb('a.external_id', 'is not', null),
        eb.exists(
          eb
            .selectFrom('ad_campaign_audience as u')
            .innerJoin('ad_campaign as d', 'd.campaign_id', 'u.campaign_id')
            .whereRef('u.audience_id', '=', 'a.id')
            .where('d.platform', '=', 'simplifi'),
        ),
      ]),
    )
    .orderBy('a.created_at')
    .execute();
