import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import {
  ALL_EVENTS,
  type HookEvent,
  type MESSAGE_STATES,
  MOST_HOOKS,
} from '../../../../contract/developer/hook-events.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';
import type { Place } from './cursor.policy.ts';

export type HookRow = Selectable<Schema['developer_hook']>;
export type MessageRow = Selectable<Schema['developer_message']>;
export type MessageState = (typeof MESSAGE_STATES)[number];

/** Messages that one request sends again. */
export const MOST_RECOVERED = 10_000;

/** Which of these agencies have an endpoint for an event, in whatever scope it happens. */
export const wanted = async (tx: Tx, agencyIds: readonly string[], type: HookEvent): Promise<Set<string>> =>
  new Set(
    (
      await sql<{ id: string }>`select hooks_wanted(${agencyIds}::uuid[], ${type}) as id`.execute(tx)
    ).rows.map(({ id }) => id),
  );

const present = (tx: Tx, companyId: string) =>
  tx
    .selectFrom('developer_hook')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('state', '<>', 'removed');

/** The endpoints of an agency, the newest first. */
export const list = (tx: Tx, companyId: string): Promise<HookRow[]> =>
  present(tx, companyId).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(MOST_HOOKS).execute();

export const one = (tx: Tx, companyId: string, id: string, lock = false): Promise<HookRow | undefined> => {
  const row = present(tx, companyId).where('id', '=', id);
  return (lock ? row.forUpdate() : row).executeTakeFirst();
};

/** An endpoint of a root, whatever its state. */
export const byId = (tx: Tx, id: string): Promise<HookRow | undefined> =>
  tx.selectFrom('developer_hook').selectAll().where('id', '=', id).executeTakeFirst();

/** The endpoints of an agency that receive an event. */
export const told = (tx: Tx, agencyId: string, type: HookEvent): Promise<HookRow[]> =>
  tx
    .selectFrom('developer_hook')
    .selectAll()
    .where('agency_id', '=', agencyId)
    .where('state', '=', 'enabled')
    .where(sql<boolean>`(types @> array[${type}] or types @> array[${ALL_EVENTS}])`)
    .execute();

export async function insert(tx: Tx, row: Insertable<Schema['developer_hook']>): Promise<void> {
  await tx.insertInto('developer_hook').values(row).execute();
}
export async function update(tx: Tx, id: string, set: Updateable<Schema['developer_hook']>): Promise<void> {
  await tx.updateTable('developer_hook').set(set).where('id', '=', id).execute();
}

/** Stops an endpoint; false if a person disabled or removed it meanwhile. */
export const stop = async (tx: Tx, id: string, reason: 'gone' | 'failing', at: Date): Promise<boolean> =>
  (
    await tx
      .updateTable('developer_hook')
      .set({ state: 'disabled', state_reason: reason, updated_at: at })
      .where('id', '=', id)
      .where('state', '=', 'enabled')
      .executeTakeFirst()
  ).numUpdatedRows > 0n;

/** Inserts messages; an endpoint that already received the event does not receive it again. Returns those that are new. */
export const insertMessages = (
  tx: Tx,
  rows: Insertable<Schema['developer_message']>[],
): Promise<MessageRow[]> =>
  tx
    .insertInto('developer_message')
    .values(rows)
    .onConflict((on) => on.columns(['hook_id', 'event_key']).doNothing())
    .returningAll()
    .execute();

export const message = (tx: Tx, id: string, lock = false): Promise<MessageRow | undefined> => {
  const row = tx.selectFrom('developer_message').selectAll().where('id', '=', id);
  return (lock ? row.forUpdate() : row).executeTakeFirst();
};

export interface MessageFilter {
  hookId: string;
  state?: MessageState | undefined;
  type?: string | undefined;
}
const filtered = (tx: Tx, { hookId, state, type }: MessageFilter) => {
  let rows = tx.selectFrom('developer_message as m').where('m.hook_id', '=', hookId);
  if (state) rows = rows.where('m.state', '=', state);
  if (type) rows = rows.where('m.type', '=', type);
  return rows;
};
const withLast = (rows: ReturnType<typeof filtered>) =>
  rows
    .leftJoin('developer_attempt as a', (join) =>
      join.onRef('a.message_id', '=', 'm.id').onRef('a.number', '=', 'm.attempts'),
    )
    .selectAll('m')
    .select(['a.started_at as last_at', 'a.status as last_status', 'a.error as last_error'])
    .orderBy('m.created_at', 'desc')
    .orderBy('m.id', 'desc');
export type ListedMessage = Awaited<ReturnType<ReturnType<typeof withLast>['execute']>>[number];

/** The next messages of an endpoint after a position, the newest first. */
export function nextMessages(
  tx: Tx,
  filter: MessageFilter,
  after: Place | null,
  limit: number,
): Promise<ListedMessage[]> {
  let rows = withLast(filtered(tx, filter));
  if (after) rows = rows.where(sql<boolean>`(m.created_at, m.id) < (${after.at}, ${after.id}::uuid)`);
  return rows.limit(limit).execute();
}

/** A page of the messages of an endpoint, and how many there are, up to `most`. */
export async function pageOfMessages(
  tx: Tx,
  filter: MessageFilter,
  { limit, offset, most }: { limit: number; offset: number; most: number },
) {
  const rows = await withLast(filtered(tx, filter)).limit(limit).offset(offset).execute();
  const { total } = await tx
    .selectFrom(filtered(tx, filter).select('m.id').limit(most).as('found'))
    .select((e) => e.fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** The attempts of a message, the newest first. */
export const attempts = (tx: Tx, messageId: string) =>
  tx
    .selectFrom('developer_attempt')
    .selectAll()
    .where('message_id', '=', messageId)
    .orderBy('number', 'desc')
    .execute();

/**
 * Records an attempt and what it came to. False if another run recorded it first.
 */
export async function settle(
  tx: Tx,
  row: MessageRow,
  to: { state: MessageState; next_at: Date | null; delivered_at: Date | null },
  attempt: Omit<Insertable<Schema['developer_attempt']>, 'message_id' | 'number' | keyof OwnerOf>,
): Promise<boolean> {
  const done = await tx
    .updateTable('developer_message')
    .set({ ...to, attempts: row.attempts + 1 })
    .where('id', '=', row.id)
    .where('attempts', '=', row.attempts)
    .executeTakeFirst();
  if (done.numUpdatedRows === 0n) return false;
  const { root_id, agency_id, company_id } = row;
  await tx
    .insertInto('developer_attempt')
    .values({ ...attempt, root_id, agency_id, company_id, message_id: row.id, number: row.attempts + 1 })
    .execute();
  return true;
}
type OwnerOf = { root_id: string; agency_id: string; company_id: string };

/** Makes messages pending again: one, or those of an endpoint that failed since an instant. Returns them. */
export const reopen = (
  tx: Tx,
  which: { id: string } | { hookId: string; since: Date },
  at: Date,
): Promise<MessageRow[]> =>
  tx
    .updateTable('developer_message')
    .set({ state: 'pending', next_at: at })
    .where('id', 'in', (e) => {
      const rows = e.selectFrom('developer_message').select('id').where('state', '<>', 'pending');
      return 'id' in which
        ? rows.where('id', '=', which.id)
        : rows
            .where('hook_id', '=', which.hookId)
            .where('state', '=', 'failed')
            .where('is_test', '=', false)
            .where('created_at', '>=', which.since)
            .orderBy('created_at', 'desc')
            .limit(MOST_RECOVERED);
    })
    .returningAll()
    .execute();

/** How many messages of each endpoint were sent and failed since an instant. */
export const counts = async (tx: Tx, hookIds: readonly string[], since: Date) =>
  new Map(
    (
      await sql<{ hook_id: string; total: bigint; failed: bigint }>`
        select hook_id, count(*) as total, count(*) filter (where state = 'failed') as failed from developer_message
        where hook_id = any(${hookIds}::uuid[]) and created_at >= ${since} and not is_test group by hook_id`.execute(
        tx,
      )
    ).rows.map((row) => [row.hook_id, { total: Number(row.total), failed: Number(row.failed) }]),
  );

/** When the last test of an endpoint was sent, if since an instant. */
export const lastTest = async (tx: Tx, hookId: string, since: Date): Promise<Date | undefined> =>
  (
    await tx
      .selectFrom('developer_message')
      .select('created_at')
      .where('hook_id', '=', hookId)
      .where('is_test', '=', true)
      .where('created_at', '>', since)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst()
  )?.created_at;

/** Deletes old messages, a part at a time; returns how many. */
export const forget = async (db: Db, before: Date, most: number): Promise<number> =>
  Number((await sql<{ n: bigint }>`select forget_messages(${before}, ${most}) as n`.execute(db)).rows[0]!.n);
