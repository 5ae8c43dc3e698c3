import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { ownerOf } from './graph.store.ts';
import type { LineFault } from './model.ts';

export type ImportRow = Selectable<Schema['import_job']>;

/** Adds an import. */
export async function insertImport(tx: Tx, row: Insertable<Schema['import_job']>): Promise<void> {
  await tx.insertInto('import_job').values(row).execute();
}

/** Returns one import, or undefined. `lock` locks it until the transaction ends. */
export async function importById(tx: Tx, id: string, lock = false): Promise<ImportRow | undefined> {
  const query = tx.selectFrom('import_job').selectAll().where('id', '=', id);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

/** How many bytes the files of a root's imports that have not ended take. */
export async function waitingBytes(tx: Tx, rootId: string): Promise<number> {
  const { bytes } = await tx
    .selectFrom('import_job')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<bigint>('file_bytes'), sql<bigint>`0`).as('bytes'))
    .where('root_id', '=', rootId)
    .where('state', 'not in', ['done', 'failed', 'cancelled'])
    .executeTakeFirstOrThrow();
  return Number(bytes);
}

/** Returns the newest import of a file that has started and not ended, or undefined. */
export async function unfinishedImport(
  tx: Tx,
  kind: ImportRow['kind'],
  sha256: Buffer,
): Promise<ImportRow | undefined> {
  return tx
    .selectFrom('import_job')
    .selectAll()
    .where('kind', '=', kind)
    .where('file_sha256', '=', sha256)
    .where('state', 'in', ['queued', 'running'])
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns a page of imports of a kind, newest first, whose file name contains `search`, and the total count. */
export async function pageOfImports(
  tx: Tx,
  kind: ImportRow['kind'],
  search: string,
  limit: number,
  offset: number,
): Promise<{ rows: ImportRow[]; total: number }> {
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const query = tx.selectFrom('import_job').where('kind', '=', kind).where('file_name', 'ilike', pattern);
  const rows = await query
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await query
    .select((eb) => eb.fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** Changes an import. */
export async function updateImport(
  tx: Tx,
  id: string,
  change: Updateable<Schema['import_job']>,
): Promise<void> {
  await tx.updateTable('import_job').set(change).where('id', '=', id).execute();
}

/** Records bad rows, and values left out of other rows (each once). */
export async function insertErrors(
  tx: Tx,
  rootId: string,
  importId: string,
  errors: readonly LineFault[],
): Promise<void> {
  const { company_id } = ownerOf(rootId);
  await sql`insert into import_error (import_id, line, place, root_id, agency_id, company_id, field, reason, value)
    select ${importId}::uuid, e.line, e.place, ${rootId}::uuid, null, ${company_id}::uuid, e.field, e.reason, left(e.value, 200)
    from unnest(${errors.map((e) => e.line)}::bigint[], ${errors.map((e) => e.place)}::smallint[], ${errors.map((e) => e.field)}::text[], ${errors.map((e) => e.reason)}::text[],
                ${errors.map((e) => e.value)}::text[]) e (line, place, field, reason, value)
    on conflict (import_id, line, place) do nothing`.execute(tx);
}

/** Returns bad rows and left-out values after a place in a line, in order. */
export async function errorsAfter(
  tx: Tx,
  importId: string,
  after: { line: bigint; place: number },
  limit: number,
): Promise<Pick<Selectable<Schema['import_error']>, 'line' | 'place' | 'field' | 'reason' | 'value'>[]> {
  return tx
    .selectFrom('import_error')
    .select(['line', 'place', 'field', 'reason', 'value'])
    .where('import_id', '=', importId)
    .where(sql<boolean>`(line, place) > (${after.line}, ${after.place})`)
    .orderBy('line')
    .orderBy('place')
    .limit(limit)
    .execute();
}
