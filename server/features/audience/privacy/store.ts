import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import {
  PRIVACY_EVENTS,
  type PrivacyKind,
  type PrivacyState,
} from '../../../../contract/audience/privacy-rules.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { recipientColumns, type Worker } from '../../accounts/users/index.ts';

export type RequestRow = Selectable<Schema['privacy_request']>;

export async function insertRequest(tx: Tx, row: Insertable<Schema['privacy_request']>): Promise<void> {
  await tx.insertInto('privacy_request').values(row).execute();
}

/** A request that the scope sees; `lock` prevents others from changing it in the meantime. */
export async function requestById(tx: Tx, id: string, lock = false): Promise<RequestRow | undefined> {
  const query = tx.selectFrom('privacy_request').selectAll().where('id', '=', id);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

export async function updateRequest(
  tx: Tx,
  id: string,
  set: Updateable<Schema['privacy_request']>,
): Promise<void> {
  await tx.updateTable('privacy_request').set(set).where('id', '=', id).execute();
}

/** Whether a request has the address of another; one without an address, its phone number. */
const sameAddress = ({ email, phone }: Pick<RequestRow, 'email' | 'phone'>) =>
  sql<boolean>`(email = ${email} and (email <> '' or phone = ${phone}))`;

/**
 * The earliest open request of a root that this one repeats, locked, so that it is not decided before this one is linked
 * to it. Both get the same decision, so both give the same name, since others may share the address. One that was proven
 * by a code follows only such a one: anyone can write a letter that names the address, and it is refused.
 */
export async function earlierOpen(
  tx: Tx,
  of: Pick<
    RequestRow,
    'id' | 'root_id' | 'email' | 'phone' | 'kind' | 'name' | 'asked_by' | 'received_at'
  > & { isProven: boolean },
): Promise<RequestRow | undefined> {
  return tx
    .selectFrom('privacy_request')
    .selectAll()
    .where('root_id', '=', of.root_id)
    .where(sameAddress(of))
    .where('kind', '=', of.kind)
    .where(sql<boolean>`lower(name) = lower(${of.name})`)
    .where('asked_by', '=', of.asked_by)
    .$if(of.isProven, (q) => q.where('came_by', '=', 'web'))
    .where('received_at', '<=', of.received_at)
    .where('id', '!=', of.id)
    .where('state', '=', 'open')
    .where('duplicate_of', 'is', null)
    .orderBy('received_at')
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
}

/** The open duplicates of a request, locked. */
export async function openDuplicates(tx: Tx, of: RequestRow): Promise<RequestRow[]> {
  return tx
    .selectFrom('privacy_request')
    .selectAll()
    .where('root_id', '=', of.root_id)
    .where(sameAddress(of))
    .where('kind', '=', of.kind)
    .where('duplicate_of', '=', of.id)
    .where('state', '=', 'open')
    .orderBy('id')
    .forUpdate()
    .execute();
}

export async function insertEvents(tx: Tx, rows: Insertable<Schema['privacy_event']>[]): Promise<void> {
  await tx.insertInto('privacy_event').values(rows).execute();
}

/** What happened to a request, in order. */
export const eventsOf = (tx: Tx, requestId: string) =>
  tx
    .selectFrom('privacy_event as e')
    .leftJoin('user_account as u', 'u.id', 'e.by_user')
    .select(['e.id', 'e.kind', 'e.words', 'e.at', 'u.name as by'])
    .where('e.request_id', '=', requestId)
    .orderBy('e.at')
    // What happens at the same time happens in this order.
    .orderBy(sql`array_position(${[...PRIVACY_EVENTS]}::text[], e.kind)`)
    .execute();

interface Filter {
  state?: PrivacyState | undefined;
  kind?: PrivacyKind | undefined;
  search?: string | undefined;
}

const NAMES = ['c.name as company_name', 'u.name as decided_by_name', 'e.name as entered_by_name'] as const;
const shown = (tx: Tx) =>
  tx
    .selectFrom('privacy_request as r')
    .innerJoin('company as c', 'c.id', 'r.company_id')
    .leftJoin('user_account as u', 'u.id', 'r.decided_by')
    .leftJoin('user_account as e', 'e.id', 'r.entered_by')
    .where('r.state', '!=', 'unproven');
const filtered = (tx: Tx, { kind, search }: Filter) => {
  let query = shown(tx);
  if (kind) query = query.where('r.kind', '=', kind);
  if (search) {
    const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
    query = query.where(
      sql<boolean>`(lower(r.name) like ${pattern} or r.email like ${pattern} or r.id::text like ${pattern})`,
    );
  }
  return query;
};

/** A page of the queue: what is open by its deadline, then the newest. With how many there are in each state. */
export async function pageOf(tx: Tx, filter: Filter, limit: number, offset: number) {
  const { state } = filter;
  const query = filtered(tx, filter);
  const rows = await (state ? query.where('r.state', '=', state) : query)
    .selectAll('r')
    .select(NAMES)
    .orderBy(sql`r.state <> 'open'`)
    // Receipt must be confirmed within ten business days.
    .orderBy(
      sql`case when r.state = 'open' then
        case when r.acknowledged_at is null then least(r.due_at, r.received_at + interval '14 days') else r.due_at end end`,
    )
    .orderBy('r.received_at', 'desc')
    .orderBy('r.id')
    .limit(limit)
    .offset(offset)
    .execute();
  const sums = await query
    .select(['r.state', sql<number>`count(*)::float8`.as('count')])
    .groupBy('r.state')
    .execute();
  return { rows, counts: new Map(sums.map((sum) => [sum.state as PrivacyState, sum.count])) };
}

/** A request as the queue shows it. */
export const shownById = (tx: Tx, id: string) =>
  shown(tx).selectAll('r').select(NAMES).where('r.id', '=', id).executeTakeFirst();

/** The certificate of a request; undefined: not made yet. */
export const certificateOf = (tx: Tx, requestId: string) =>
  tx.selectFrom('privacy_certificate').selectAll().where('request_id', '=', requestId).executeTakeFirst();

/** Adds the certificate of a request, unless another call was faster. */
export async function insertCertificate(
  tx: Tx,
  row: Insertable<Schema['privacy_certificate']>,
): Promise<void> {
  await tx
    .insertInto('privacy_certificate')
    .values(row)
    .onConflict((c) => c.column('request_id').doNothing())
    .execute();
}

/** The certificate with this hash that a company signed. */
export const certificateByHash = (tx: Tx, of: { rootId: string; companyId: string }, sha256: string) =>
  tx
    .selectFrom('privacy_certificate')
    .select(['request_id', 'made_at'])
    .where('root_id', '=', of.rootId)
    .where('company_id', '=', of.companyId)
    .where('sha256', '=', sha256)
    .executeTakeFirst();

/** Requests by the month they came in and their kind, the newest first. */
export async function byMonth(tx: Tx) {
  const { rows } = await sql<{
    month: string;
    kind: PrivacyKind;
    received: number;
    completed: number;
    refused: number;
    open: number;
    median_days: number | null;
  }>`
    select to_char(received_at at time zone 'UTC', 'YYYY-MM') as month, kind, count(*)::float8 as received,
      (count(*) filter (where state = 'completed'))::float8 as completed,
      (count(*) filter (where state = 'refused'))::float8 as refused,
      (count(*) filter (where state = 'open'))::float8 as open,
      percentile_cont(0.5) within group (order by extract(epoch from decided_at - received_at) / 86400)
        filter (where decided_at is not null) as median_days
    from privacy_request where state <> 'unproven' group by 1, 2 order by 1 desc, 2`.execute(tx);
  return rows;
}

/**
 * Open requests that are old enough for a deadline to be near, or whose answer is due by an instant and was not warned of
 * since: any number of requests that nobody decides must not hide those that are due after them.
 */
export const openBefore = (
  tx: Tx,
  rootId: string,
  { now, received, due }: { now: Date; received: Date; due: Date },
): Promise<RequestRow[]> =>
  tx
    .selectFrom('privacy_request as r')
    .selectAll('r')
    .where('root_id', '=', rootId)
    .where('state', '=', 'open')
    .where((eb) =>
      eb.or([
        eb.and([eb('acknowledged_at', 'is', null), eb('received_at', '<=', received)]),
        eb.and([
          eb('due_at', '<=', due),
          eb('duplicate_of', 'is', null),
          eb.not(
            eb.exists(
              eb
                .selectFrom('privacy_warning as w')
                .select('w.request_id')
                .whereRef('w.request_id', '=', 'r.id')
                .where('w.kind', '=', 'answer')
                .whereRef('w.due_at', '=', 'r.due_at')
                .where('w.is_late', '=', sql<boolean>`(r.due_at <= ${now})`),
            ),
          ),
        ]),
      ]),
    )
    .orderBy('due_at')
    .orderBy('id')
    .limit(1000)
    .execute();

type WarningRow = Insertable<Schema['privacy_warning']>;
const keyOf = (row: Pick<WarningRow, 'request_id' | 'kind' | 'is_late'> & { due_at: unknown }): string =>
  [row.request_id, row.kind, (row.due_at as Date).getTime(), row.is_late].join();

/** Notes warnings, and returns those that had not been given before. */
export async function takeWarnings<Row extends WarningRow>(tx: Tx, rows: readonly Row[]): Promise<Row[]> {
  if (rows.length === 0) return [];
  const taken = await tx
    .insertInto('privacy_warning')
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .returning(['request_id', 'kind', 'due_at', 'is_late'])
    .execute();
  const keys = new Set(taken.map(keyOf));
  return rows.filter((row) => keys.has(keyOf(row as never)));
}

/** Whether any of these warnings has not been given yet. */
export async function hasNewWarning(tx: Tx, rows: readonly WarningRow[]): Promise<boolean> {
  if (rows.length === 0) return false;
  const known = await tx
    .selectFrom('privacy_warning')
    .select(['request_id', 'kind', 'due_at', 'is_late'])
    .where('request_id', 'in', [...new Set(rows.map((row) => row.request_id))])
    .execute();
  const keys = new Set(known.map(keyOf));
  return rows.some((row) => !keys.has(keyOf(row as never)));
}

/** Owners and administrators of a root who can sign in and get emails. */
export async function handlers(tx: Tx, rootId: string): Promise<Worker[]> {
  const { rows } = await sql<Worker>`
    select ${recipientColumns} from user_account u join company c on c.id = u.company_id
    where c.id = ${rootId}::uuid and u.disabled_at is null and not u.mail_off and u.role in ('owner', 'administrator')
    order by u.created_at, u.id limit 50`.execute(tx);
  return rows;
}

/** Deletes what was never proven. */
export async function sweep(tx: Tx, rootId: string, unprovenBefore: Date): Promise<void> {
  await tx
    .deleteFrom('privacy_request')
    .where('root_id', '=', rootId)
    .where('state', '=', 'unproven')
    .where('received_at', '<', unprovenBefore)
    .execute();
}

/** Requests that were decided before an instant and still have a name or a certificate, up to `most`. */
const oldRequests = (rootId: string, before: Date, most: number) => sql<{ id: string }>`
  select r.id from privacy_request r where r.root_id = ${rootId}::uuid and r.decided_at < ${before}
    and (r.name <> '' or exists (select from privacy_certificate c where c.request_id = r.id)) limit ${most}`;

/** How many there are, counted up to `most`. */
export const countOld = async (tx: Tx, rootId: string, before: Date, most: number): Promise<number> =>
  (await oldRequests(rootId, before, most).execute(tx)).rows.length;

/** Empties the personal data of up to `most` of them, and deletes their certificates; returns how many. */
export async function forget(tx: Tx, rootId: string, before: Date, most: number): Promise<number> {
  const ids = (await oldRequests(rootId, before, most).execute(tx)).rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await tx.deleteFrom('privacy_certificate').where('request_id', 'in', ids).execute();
  await tx
    .updateTable('privacy_request')
    .set({
      name: '',
      email: '',
      phone: null,
      address: '',
      details: '',
      agent_name: '',
      answer: '',
      proof: '',
    })
    .where('id', 'in', ids)
    .execute();
  return ids.length;
}
