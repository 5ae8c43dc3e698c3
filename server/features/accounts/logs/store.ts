import { type RawBuilder, sql } from 'kysely';
import { LOG_CATEGORIES, type LogCategory, type LogUserType } from '../../../../contract/accounts/logs.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** The company whose log is read: that of an agency includes its clients'. */
export interface LogOf {
  id: string;
  kind: 'root' | 'agency' | 'client';
}

/** What narrows a log. */
export interface LogAsked {
  category?: LogCategory | undefined;
  user_type?: LogUserType | undefined;
  user_id?: string | undefined;
  campaign_id?: string | undefined;
  from?: Date | undefined;
  before?: Date | undefined;
}

export interface LogEntry {
  id: string;
  action: string;
  created_at: Date;
  name: string | null;
  type_user: string | null;
  location: string | null;
  description: string | null;
  company_name: string | null;
  ip: string | null;
}

/** The grades of each type of users, by their first word. */
const GRADES: Record<LogUserType, string> = { root: 'root', admin: 'agency', client: 'client' };
const KNOWN = Object.values(LOG_CATEGORIES).flatMap(({ actions }) => [...actions]);

const placeOf = ({ id, kind }: LogOf, table: 'l' | 'd' | 'u' | 'c') =>
  kind === 'agency'
    ? sql`${sql.ref(`${table}.agency_id`)} = ${id}`
    : sql`${sql.ref(`${table}.company_id`)} = ${id}`;

const inCategory = (category: LogCategory): RawBuilder<unknown> =>
  category === 'other'
    ? sql`l.category <> all(${KNOWN})`
    : sql`l.category = any(${[...LOG_CATEGORIES[category].actions]})`;

/** The tables and conditions of a log; the detail is needed where the user type narrows it. */
function rowsOf(of: LogOf, asked: LogAsked): RawBuilder<unknown> {
  const { category, user_type, user_id, campaign_id } = asked;
  return sql`
    from user_log l ${user_type ? sql`join user_log_detail d on d.log_id = l.id` : sql``}
    where ${placeOf(of, 'l')}
      ${category ? sql`and ${inCategory(category)}` : sql``}
      ${user_type ? sql`and ${placeOf(of, 'd')} and d.grade_kind = ${GRADES[user_type]}` : sql``}
      ${user_id ? sql`and l.actor_id = ${user_id}` : sql``}
      ${campaign_id ? sql`and l.object_kind = 'campaign' and l.object_id = ${campaign_id}` : sql``}
      ${asked.from ? sql`and l.created_at >= ${asked.from}` : sql``}
      ${asked.before ? sql`and l.created_at < ${asked.before}` : sql``}`;
}

/** By type of user a log is read in the order of its details, which are by id: ids are in the order of time. */
const orderOf = ({ user_type }: LogAsked) => (user_type ? sql`d.log_id desc` : sql`l.created_at desc, l.id`);

/** A part of a log, newest first: from an offset on, or after a row. */
export async function logPart(
  tx: Tx,
  of: LogOf,
  asked: LogAsked,
  limit: number,
  from: { offset: number } | { after: { created_at: Date; id: string } },
): Promise<LogEntry[]> {
  const after = 'after' in from ? from.after : undefined;
  const beyond = !after
    ? sql``
    : asked.user_type
      ? sql`and d.log_id < ${after.id}`
      : sql`and l.created_at <= ${after.created_at} and (l.created_at < ${after.created_at} or l.id > ${after.id})`;
  const { rows } = await sql<LogEntry>`
    with page as (
      select l.id, l.action, l.created_at, row_number() over () as place from (
        select l.id, l.action, l.created_at ${rowsOf(of, asked)} ${beyond}
        order by ${orderOf(asked)} limit ${limit} offset ${'offset' in from ? from.offset : 0}) l)
    select p.id, p.action, p.created_at, d.name, d.type_user, d.location, d.description, d.company_name,
      host(d.user_ip) as ip
    from page p left join user_log_detail d on d.log_id = p.id
    order by p.place`.execute(tx);
  return rows;
}

/** How many rows a log has, counted up to `most`. */
export async function logCount(tx: Tx, of: LogOf, asked: LogAsked, most: number): Promise<number> {
  const { rows } = await sql<{ total: bigint }>`
    select count(*) as total from (select ${rowsOf(of, asked)} limit ${most}) t`.execute(tx);
  return Number(rows[0]!.total);
}

export interface FoundUser {
  id: string;
  name: string;
  company_name: string;
  kind: 'root' | 'agency' | 'client';
}

/**
 * Users whose actions can be in a company's log, by name or email: its own, those of an agency's clients, and those of
 * the companies above, as far as the scope sees them.
 */
export async function users(
  tx: Tx,
  { id, kind }: LogOf,
  asked: { search: string; user_type?: LogUserType | undefined },
  most: number,
): Promise<FoundUser[]> {
  const pattern = `%${asked.search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const { rows } = await sql<FoundUser>`
    with home as (select root_id, agency_id from company where id = ${id})
    select u.id, u.name, c.name as company_name, c.kind
    from home h join company c on c.root_id = h.root_id and (c.id = h.root_id or c.id = h.agency_id
      ${kind === 'client' ? sql`or c.id = ${id}` : kind === 'agency' ? sql`or c.agency_id = ${id}` : sql``})
    join user_account u on u.company_id = c.id
    where (lower(u.name) like ${pattern} or lower(u.email) like ${pattern})
      ${asked.user_type ? sql`and c.kind = ${GRADES[asked.user_type]}` : sql``}
    order by lower(u.name), u.id limit ${most}`.execute(tx);
  return rows;
}

/** The campaigns of a client, or of an agency's clients, by name. */
export async function campaigns(
  tx: Tx,
  of: LogOf,
  search: string,
  most: number,
): Promise<{ id: string; name: string; number: bigint }[]> {
  const pattern = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const { rows } = await sql<{ id: string; name: string; number: bigint }>`
    select c.id, c.name, c.number from campaign c
    where ${placeOf(of, 'c')} and c.state <> 'removed' ${search ? sql`and lower(c.name) like ${pattern}` : sql``}
    order by lower(c.name), c.id limit ${most}`.execute(tx);
  return rows;
}

/** Whose a campaign or an API key is, if the scope sees it. */
export async function ownerOfThing(
  tx: Tx,
  kind: 'campaign' | 'apikey',
  id: string,
): Promise<{ root_id: string; agency_id: string | null; company_id: string; name: string } | undefined> {
  return kind === 'campaign'
    ? tx
        .selectFrom('campaign')
        .select(['root_id', 'agency_id', 'company_id', 'name'])
        .where('id', '=', id)
        .where('state', '<>', 'removed')
        .executeTakeFirst()
    : tx
        .selectFrom('developer_key')
        .select(['root_id', 'agency_id', 'company_id', 'name'])
        .where('id', '=', id)
        .executeTakeFirst();
}
