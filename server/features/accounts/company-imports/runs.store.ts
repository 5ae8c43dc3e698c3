import { type Insertable, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

type Row = Schema['company_import_run'];

export async function insertRun(tx: Tx, row: Insertable<Row>): Promise<void> {
  await tx.insertInto('company_import_run').values(row).execute();
}

export const runById = (tx: Tx, id: string, lock = false) =>
  tx
    .selectFrom('company_import_run')
    .selectAll()
    .where('id', '=', id)
    .where('state', '<>', 'removed')
    .$if(lock, (q) => q.forUpdate())
    .executeTakeFirst();

export async function updateRun(tx: Tx, id: string, set: Updateable<Row>): Promise<void> {
  await tx.updateTable('company_import_run').set(set).where('id', '=', id).execute();
}

/** Records how far a run is, while it runs. */
export async function moveRun(
  tx: Tx,
  id: string,
  at: { step: string; step_done: number; step_of: number },
): Promise<void> {
  await tx
    .updateTable('company_import_run')
    .set(at)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute();
}

const shown = (tx: Tx) =>
  tx
    .selectFrom('company_import_run as r')
    .leftJoin('user_account as u', 'u.id', 'r.asked_by')
    .leftJoin('company as c', 'c.id', 'r.receiver_id')
    .select(['r.id', 'r.file_name', 'r.bytes', 'r.phase', 'r.state', 'r.step', 'r.step_done', 'r.step_of'])
    .select(['r.error', 'r.created_at', 'r.finished_at', 'r.new_ids', 'r.file_path', 'r.made_id'])
    .select([
      'u.name as asked_by_name',
      'c.name as receiver_name',
      sql<string | null>`r.result ->> 'name'`.as('name'),
      sql<'agency' | 'client' | null>`r.result ->> 'kind'`.as('kind'),
    ])
    .where('r.state', '<>', 'removed');
export type ShownRun = NonNullable<Awaited<ReturnType<typeof shownRun>>>;

/** A run with its names. */
export const shownRun = (tx: Tx, id: string) => shown(tx).where('r.id', '=', id).executeTakeFirst();

/** What a run would make, or has made. */
export const resultOf = (tx: Tx, id: string) =>
  tx.selectFrom('company_import_run').select('result').where('id', '=', id).executeTakeFirst();

export async function pageOf(tx: Tx, search: string | undefined, limit: number, offset: number) {
  let query = shown(tx);
  if (search)
    query = query.where(
      sql<boolean>`concat_ws(' ', r.file_name, r.result ->> 'name') ilike ${`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`}`,
    );
  const rows = await query
    .orderBy('r.created_at', 'desc')
    .orderBy('r.id')
    .limit(limit)
    .offset(offset)
    .execute();
  const { count } = await query
    .clearSelect()
    .select(sql<number>`count(*)::float8`.as('count'))
    .executeTakeFirstOrThrow();
  return { rows, total: count };
}

/** Full exports of a root whose file is there. */
export const readyExports = (tx: Tx, at: Date, limit: number, id?: string) =>
  tx
    .selectFrom('company_export as e')
    .innerJoin('company as c', 'c.id', 'e.company_id')
    .select(['e.id', 'e.company_kind as kind', 'e.created_at', 'e.file_path', 'e.bytes', 'c.name'])
    .where('e.state', '=', 'ready')
    .where('e.expires_at', '>', at)
    .$if(id !== undefined, (q) => q.where('e.id', '=', id!))
    .orderBy('e.created_at', 'desc')
    .orderBy('e.id')
    .limit(limit)
    .execute();

/** Runs whose archive has been kept for long enough, and which do not need it right now. */
export const endedRuns = (tx: Tx, rootId: string, before: Date, limit: number) =>
  tx
    .selectFrom('company_import_run')
    .select(['id', 'file_path', 'is_export'])
    .where('root_id', '=', rootId)
    .where('file_path', 'is not', null)
    .where('state', 'in', ['ready', 'refused'])
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(limit)
    .execute();

/** Users of an imported company, and of its clients, who have no password and were never invited. */
const waiting = (tx: Tx, companyId: string) =>
  tx
    .selectFrom('user_account as u')
    .innerJoin('company as c', 'c.id', 'u.company_id')
    .where((w) => w.or([w('c.id', '=', companyId), w('c.agency_id', '=', companyId)]))
    .where('c.removed_at', 'is', null)
    .where('u.disabled_at', 'is', null)
    .where('u.password_hash', 'is', null)
    .where((w) =>
      w.not(
        w.exists(
          w.selectFrom('password_reset as p').select(sql`1`.as('one')).whereRef('p.user_id', '=', 'u.id'),
        ),
      ),
    );

export const uninvited = (tx: Tx, companyId: string, limit: number) =>
  waiting(tx, companyId)
    .select(['u.id', 'u.root_id', 'u.company_id', 'u.name', 'u.email', 'c.kind as company_kind'])
    .select('u.agency_id')
    .orderBy('u.created_at')
    .orderBy('u.id')
    .limit(limit)
    .forUpdate('u')
    .execute();

export async function uninvitedCount(tx: Tx, companyId: string): Promise<number> {
  const { count } = await waiting(tx, companyId)
    .select(sql<number>`count(*)::float8`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
