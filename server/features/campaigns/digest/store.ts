import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import { canReceive, type Recipient, recipientColumns } from '../../accounts/users/index.ts';
import { BILLED, codesOf, RETAIL, WHOLESALE } from '../../money/ledger/index.ts';
import { type AgencyWeek, type ClientOfAgency, type ClientWeek, HIGH_SCORE, type Week } from './policy.ts';

const PREPAID = codesOf('client_prepaid');

/** The time zones of a root's companies. */
export async function zonesOf(tx: Tx, rootId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('company')
    .select('time_zone')
    .distinct()
    .where('root_id', '=', rootId)
    .where('kind', '<>', 'root')
    .where('removed_at', 'is', null)
    .execute();
  return rows.map((row) => row.time_zone);
}

/**
 * Whether a user `u` of a company `c` gets digests: if they have chosen so. Owners of agencies get theirs until they
 * choose otherwise.
 */
const wants = sql<boolean>`coalesce(d.is_on, c.kind = 'agency' and u.role = 'owner' and u.gets_notices)`;
/** Whether anything may be sent to them. */
const mayBeSent = sql<boolean>`${canReceive} and not u.mail_off`;

/** Whether they have chosen it before an instant: who does so after it was due waits for the next. */
const choseBefore = (due: RawBuilder<unknown>) => sql<boolean>`coalesce(d.changed_at, u.created_at) < ${due}`;

/**
 * The companies of a root of which someone still has to get the digest of these weeks, by id: as many as asked for, from
 * the one after `after`.
 */
export async function dueCompanies(
  tx: Tx,
  rootId: string,
  weeks: readonly { zone: string; week: Week }[],
  page: { after: string | null; companies: number },
): Promise<{ id: string; agency_id: string }[]> {
  const { rows } = await sql<{ id: string; agency_id: string }>`
    with weeks as (
      select * from unnest(${weeks.map(({ zone }) => zone)}::text[], ${weeks.map(({ week }) => week.first)}::date[],
        ${weeks.map(({ week }) => week.due)}::timestamptz[]) w (zone, week, due)
    )
    select c.id, c.agency_id from company c join weeks w on w.zone = c.time_zone
    where c.root_id = ${rootId} and (${page.after}::uuid is null or c.id > ${page.after}::uuid) and exists (
      select from user_account u left join digest_choice d on d.user_id = u.id
      where u.company_id = c.id and ${mayBeSent} and ${wants} and ${choseBefore(sql`w.due`)}
        and not exists (select from digest_sent s where s.company_id = c.id and s.week = w.week and s.user_id = u.id))
    order by c.id limit ${page.companies}`.execute(tx);
  return rows;
}

/** Who gets the digests of a company. */
export async function recipients(tx: Tx, companyId: string): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select ${recipientColumns}
    from user_account u join company c on c.id = u.company_id
    left join digest_choice d on d.user_id = u.id
    where c.id = ${companyId} and ${mayBeSent} and ${wants} order by u.id`.execute(tx);
  return rows;
}

/** A user as a recipient, whether or not they want digests; undefined for others than a client's or an agency's. */
export async function recipient(
  tx: Tx,
  userId: string,
): Promise<(Recipient & { wants: boolean }) | undefined> {
  const { rows } = await sql<Recipient & { wants: boolean }>`
    select ${recipientColumns}, ${wants} as wants
    from user_account u join company c on c.id = u.company_id
    left join digest_choice d on d.user_id = u.id
    where u.id = ${userId} and u.disabled_at is null and u.role in ('owner', 'administrator')
      and c.kind in ('client', 'agency')`.execute(tx);
  return rows[0];
}

/** Keeps what a user has chosen. False: nothing has changed, or there is no such user. */
export async function choose(tx: Tx, userId: string, isOn: boolean, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into digest_choice as d (user_id, root_id, agency_id, company_id, is_on, changed_at)
    select u.id, u.root_id, u.agency_id, u.company_id, ${isOn}, ${at} from user_account u
    where u.id = ${userId} and u.agency_id is not null
    on conflict (user_id) do update set is_on = excluded.is_on, changed_at = excluded.changed_at
      where d.is_on <> excluded.is_on`.execute(tx);
  return numAffectedRows === 1n;
}

/**
 * Takes it on to send the digest of a company's week: returns the users who get it and for whom no one else has. The
 * rows are settled by `settle`.
 */
export async function take(tx: Tx, companyId: string, { first, due }: Week, at: Date): Promise<Set<string>> {
  const { rows } = await sql<{ user_id: string }>`
    insert into digest_sent (company_id, week, user_id, root_id, agency_id, created_at)
    select c.id, ${first}::date, u.id, c.root_id, c.agency_id, ${at}::timestamptz
    from user_account u join company c on c.id = u.company_id
    left join digest_choice d on d.user_id = u.id
    where c.id = ${companyId} and ${mayBeSent} and ${wants} and ${choseBefore(sql`${due}::timestamptz`)}
    order by u.id
    on conflict do nothing
    returning user_id`.execute(tx);
  return new Set(rows.map((row) => row.user_id));
}

/** Names the emails of digests. */
export async function settle(
  tx: Tx,
  companyId: string,
  week: string,
  mails: readonly { userId: string; mailId: string }[],
): Promise<void> {
  await sql`
    update digest_sent s set mail_id = m.mail_id
    from unnest(${mails.map((one) => one.userId)}::uuid[], ${mails.map((one) => one.mailId)}::uuid[]) m (user_id, mail_id)
    where s.company_id = ${companyId} and s.week = ${week}::date and s.user_id = m.user_id`.execute(tx);
}

/** Forgets the digests of a root from before an instant. */
export const forget = (tx: Tx, rootId: string, before: Date) =>
  tx.deleteFrom('digest_sent').where('root_id', '=', rootId).where('created_at', '<', before).execute();

/** Companies and their weeks, as rows `a`. */
export interface Asked {
  id: string;
  week: Week;
}
const asked = (of: readonly Asked[]): RawBuilder<unknown> => sql`
  select * from unnest(${of.map(({ id }) => id)}::uuid[], ${of.map(({ week }) => week.prior)}::timestamptz[],
    ${of.map(({ week }) => week.from)}::timestamptz[], ${of.map(({ week }) => week.before)}::timestamptz[],
    ${of.map(({ week }) => week.first)}::date[], ${of.map(({ week }) => week.last)}::date[])
    a (id, prior, since, before, first_day, last_day)`;

/** The path of an address `url`, without host and query. */
const pathOf = (url: RawBuilder<unknown>) =>
  sql`coalesce(nullif(substring(${url} from '^[a-zA-Z]+://[^/?#]*([^?#]*)'), ''), '/')`;
/** The host of an address, without www. */
const hostOf = (url: RawBuilder<unknown>) =>
  sql`regexp_replace(lower(substring(${url} from '^[a-zA-Z]+://(?:[^/?#@]*@)?([^/?#:]+)')), '^www\\.', '')`;

/** The weeks of clients, in numbers. */
export async function clientWeeks(tx: Tx, of: readonly Asked[], now: Date): Promise<Map<string, ClientWeek>> {
  const { rows } = await sql<ClientWeek & { id: string }>`
    with a as materialized (${asked(of)}),
    l as materialized (
      select a.id as company_id, l.id, l.campaign_id, l.score, l.created_at >= a.since as is_now
      from a join lead l on l.company_id = a.id and l.created_at >= a.prior and l.created_at < a.before
      where not l.is_test
    ), counted as (
      select company_id, count(*) filter (where is_now)::int as leads, count(*) filter (where not is_now)::int as prior,
        round(avg(score) filter (where is_now and score >= 0))::int as average,
        count(*) filter (where is_now and score >= ${HIGH_SCORE})::int as high,
        count(distinct campaign_id) filter (where is_now)::int as campaigns
      from l group by 1
    ), best as (
      select distinct on (n.company_id) n.company_id, json_build_object('name', c.name, 'leads', n.leads) as told
      from (select company_id, campaign_id, count(*) as leads from l where is_now group by 1, 2) n
      join campaign c on c.id = n.campaign_id
      order by n.company_id, n.leads desc, lower(c.name), c.id
    ), came as (
      select l.company_id, ${pathOf(sql`p.page_url`)} as page,
        nullif(${hostOf(sql`p.referrer`)}, ${hostOf(sql`p.page_url`)}) as source, p.page_url is not null as has_page
      from l join lead_contact p on p.lead_id = l.id where l.is_now
    ), pages as (
      select distinct on (company_id) company_id, json_build_object('name', page, 'leads', leads) as told
      from (select company_id, page, count(*) as leads from came where has_page group by 1, 2) n
      order by company_id, leads desc, page
    ), sources as (
      select distinct on (company_id) company_id, json_build_object('name', source, 'leads', leads) as told
      from (select company_id, source, count(*) as leads from came where source is not null group by 1, 2) n
      order by company_id, leads desc, source
    ), returns as (
      select a.id as company_id, count(distinct coalesce(l.person_id, l.id))::int as people
      from a join lead_return r on r.company_id = a.id and r.at >= a.since and r.at < a.before
      join lead l on l.id = r.lead_id and not l.is_test group by 1
    ), undelivered as (
      select a.id as company_id, count(distinct d.lead_id)::int as leads
      from a join delivery d on d.company_id = a.id and d.state = 'failed' and not d.is_test
        and d.created_at >= a.since and d.created_at < a.before group by 1
    ), spent as (
      select a.id as company_id, t.campaign_id,
        -coalesce(sum(e.amount) filter (where t.kind <> 'lead_return'), 0) as charged,
        coalesce(sum(e.amount) filter (where t.kind = 'lead_return'), 0) as refunded,
        -coalesce(sum(e.amount) filter (where e.account_code = any(${PREPAID}::smallint[])), 0) as prepaid
      from a join entry e on e.company_id = a.id and e.account_code = any(${RETAIL}::smallint[])
        and e.created_at >= a.since and e.created_at < a.before
      join transfer t on t.id = e.transfer_id and t.kind = any(${BILLED}) group by 1, 2
    ), charges as (
      select company_id, sum(charged)::bigint as charged, sum(refunded)::bigint as refunded from spent group by 1
    ), balances as (
      select k.company_id, c.id as campaign_id, c.name, c.state, b.balance
      from a join account k on k.company_id = a.id and k.kind = 'client_prepaid'
      join account_balance b on b.account_id = k.id join campaign c on c.id = k.campaign_id
    ), balance as (
      select company_id, sum(balance)::bigint as total from balances group by 1
    ), shortest as (
      select distinct on (b.company_id) b.company_id,
        json_build_object('name', b.name, 'days', floor(b.balance * 7 / s.prepaid)) as told
      from balances b join spent s on s.campaign_id = b.campaign_id and s.prepaid > 0
      where b.state = 'active' and b.balance > 0
      order by b.company_id, b.balance / s.prepaid, lower(b.name), b.campaign_id
    ), running as (
      select a.id as company_id, count(*) filter (where c.state = 'active')::int as active,
        coalesce(json_agg(json_build_object('name', c.name, 'since', s.since) order by s.since, lower(c.name), c.id)
          filter (where s.since is not null), '[]') as silent,
        coalesce(json_agg(c.name order by lower(c.name), c.id)
          filter (where c.state = 'paused' and c.state_reason = 'balance_empty'), '[]') as empty
      from a join campaign c on c.company_id = a.id and c.state in ('active', 'paused')
      left join lateral (select pixel_silence(c.id, ${now}) as since
        where c.state = 'active' and c.module = 'local') s on true group by 1
    ), failing as (
      select a.id as company_id, count(*)::int as invoices,
        sum(i.total_micros - i.paid_micros - i.credited_micros)::bigint as due
      from a join invoice i on i.company_id = a.id and i.status = 'open' and i.first_failed_at is not null group by 1
    ), broken as (
      select a.id as company_id, count(*)::int as connections
      from a join connection c on c.company_id = a.id and c.state = 'broken' group by 1
    )
    select a.id, coalesce(n.leads, 0) as leads, coalesce(n.prior, 0) as prior, n.average, coalesce(n.high, 0) as high,
      coalesce(n.campaigns, 0) as campaigns, best.told as best, pages.told as page, sources.told as source,
      coalesce(returns.people, 0) as returned, coalesce(undelivered.leads, 0) as undelivered,
      coalesce(charges.charged, 0)::bigint as charged, coalesce(charges.refunded, 0)::bigint as refunded,
      coalesce(balance.total, 0)::bigint as balance, shortest.told as shortest,
      coalesce(running.active, 0) as active, coalesce(running.silent, '[]') as silent,
      coalesce(running.empty, '[]') as empty, coalesce(failing.invoices, 0) as failing,
      coalesce(failing.due, 0)::bigint as due, coalesce(broken.connections, 0) as broken
    from a
    left join counted n on n.company_id = a.id left join best on best.company_id = a.id
    left join pages on pages.company_id = a.id left join sources on sources.company_id = a.id
    left join returns on returns.company_id = a.id left join undelivered on undelivered.company_id = a.id
    left join charges on charges.company_id = a.id left join balance on balance.company_id = a.id
    left join shortest on shortest.company_id = a.id left join running on running.company_id = a.id
    left join failing on failing.company_id = a.id left join broken on broken.company_id = a.id`.execute(tx);
  return new Map(rows.map(({ id, ...week }) => [id, week]));
}

/** The weeks of agencies, in numbers, each with those of its clients that there is anything to report on. */
export async function agencyWeeks(tx: Tx, of: readonly Asked[], now: Date): Promise<Map<string, AgencyWeek>> {
  const { rows } = await sql<AgencyWeek & { id: string; clients: (ClientOfAgency & { due: string })[] }>`
    with a as materialized (${asked(of)}),
    counted as materialized (
      select a.id as agency_id, l.company_id, count(*) filter (where l.created_at >= a.since)::int as leads,
        count(*) filter (where l.created_at < a.since)::int as prior
      from a join lead l on l.agency_id = a.id and l.created_at >= a.prior and l.created_at < a.before
      where not l.is_test group by 1, 2
    ), totals as (
      select agency_id, sum(leads)::int as leads, sum(prior)::int as prior from counted group by 1
    ), money as (
      select a.id as agency_id, -sum(x.retail)::bigint as price, -sum(x.wholesale)::bigint as cost
      from a join campaign c on c.agency_id = a.id
      join transfer t on t.campaign_id = c.id and t.kind = any(${BILLED}) and t.created_at >= a.since
        and t.created_at < a.before
      cross join lateral (
        select coalesce(sum(e.amount) filter (where e.account_code = any(${RETAIL}::smallint[])), 0) as retail,
          coalesce(sum(e.amount) filter (where e.account_code = any(${WHOLESALE}::smallint[])), 0) as wholesale
        from entry e where e.transfer_id = t.id) x
      group by 1
    ), running as (
      select c.company_id,
        count(*) filter (where c.created_at < a.since and coalesce(c.starts_on <= a.first_day, true)
          and coalesce(c.ends_on >= a.last_day, true))::int as active,
        count(*) filter (where c.module = 'local' and pixel_silence(c.id, ${now}) is not null)::int as silent
      from a join campaign c on c.agency_id = a.id and c.state = 'active' group by 1
    ), unpaid as (
      select i.company_id, count(*)::int as invoices,
        sum(i.total_micros - i.paid_micros - i.credited_micros)::bigint as due,
        bool_or(i.first_failed_at is not null) as failed
      from a join invoice i on i.agency_id = a.id and i.side = 'retail' and i.status = 'open'
        and i.total_micros - i.paid_micros - i.credited_micros > 0 group by 1
    ), clients as (
      select a.id as agency_id, json_agg(json_build_object('name', k.name, 'leads', coalesce(n.leads, 0),
          'prior', coalesce(n.prior, 0), 'active', coalesce(r.active, 0), 'silent', coalesce(r.silent, 0),
          'unpaid', coalesce(u.invoices, 0), 'due', coalesce(u.due, 0)::text, 'failed', coalesce(u.failed, false))
        order by lower(k.name), k.id) as told
      from a join company k on k.agency_id = a.id and k.kind = 'client' and k.removed_at is null
      left join counted n on n.company_id = k.id left join running r on r.company_id = k.id
      left join unpaid u on u.company_id = k.id
      where coalesce(n.leads, r.active, u.invoices) is not null group by 1
    )
    select a.id, coalesce(totals.leads, 0) as leads, coalesce(totals.prior, 0) as prior,
      coalesce(money.price, 0)::bigint as price, coalesce(money.cost, 0)::bigint as cost,
      coalesce(clients.told, '[]') as clients
    from a left join totals on totals.agency_id = a.id left join money on money.agency_id = a.id
    left join clients on clients.agency_id = a.id`.execute(tx);
  return new Map(
    rows.map(({ id, clients, ...week }) => [
      id,
      { ...week, clients: clients.map((one) => ({ ...one, due: BigInt(one.due) })) },
    ]),
  );
}
