import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import {
  PRIVACY_EVENTS,
  type PrivacyKind,
  type PrivacyState,
} from '../../../../contract/audience/privacy-rules.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

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

/** The earliest open request of a root with this address and kind, besides one. */
export async function earlierOpen(
  tx: Tx,
  of: { id: string; root_id: string; email: string; kind: PrivacyKind },
): Promise<RequestRow | undefined> {
  return tx
    .selectFrom('privacy_request')
    .selectAll()
    .where('root_id', '=', of.root_id)
    .where('email', '=', of.email)
    .where('kind', '=', of.kind)
    .where('id', '!=', of.id)
    .where('state', '=', 'open')
    .where('duplicate_of', 'is', null)
    .orderBy('received_at')
    .orderBy('id')
    .executeTakeFirst();
}

/** The open duplicates of a request, locked. */
export async function openDuplicates(tx: Tx, of: RequestRow): Promise<RequestRow[]> {
  return tx
    .selectFrom('privacy_request')
    .selectAll()
    .where('root_id', '=', of.root_id)
    .where('email', '=', of.email)
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

const shown = (tx: Tx) =>
  tx
    .selectFrom('privacy_request as r')
    .innerJoin('company as c', 'c.id', 'r.company_id')
    .leftJoin('user_account as u', 'u.id', 'r.decided_by')
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
    .select(['c.name as company_name', 'u.name as decided_by_name'])
    .orderBy(sql`r.state <> 'open'`)
    .orderBy(sql`case when r.state = 'open' then r.due_at end`)
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
  shown(tx)
    .selectAll('r')
    .select(['c.name as company_name', 'u.name as decided_by_name'])
    .where('r.id', '=', id)
    .executeTakeFirst();

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

/** Deletes what was never proven, and the personal data of what was decided long ago. */
export async function sweep(
  tx: Tx,
  rootId: string,
  unprovenBefore: Date,
  decidedBefore: Date,
): Promise<void> {
  await tx
    .deleteFrom('privacy_request')
    .where('root_id', '=', rootId)
    .where('state', '=', 'unproven')
    .where('received_at', '<', unprovenBefore)
    .execute();
  await sql`delete from privacy_certificate c using privacy_request r
    where c.request_id = r.id and r.root_id = ${rootId}::uuid and r.decided_at < ${decidedBefore}`.execute(
    tx,
  );
  await tx
    .updateTable('privacy_request')
    .set({ name: '', email: '', phone: null, address: '', details: '', agent_name: '', answer: '' })
    .where('root_id', '=', rootId)
    .where('decided_at', '<', decidedBefore)
    .where('email', '!=', '')
    .execute();
}
