import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/scope.ts';

/** How many days each kind is kept whose period was changed. */
export async function changedDays(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ kind: string; days: number }>`select kind, days from retention_days()`.execute(
    db,
  );
  return new Map(rows.map(({ kind, days }) => [kind, days]));
}

/** What the last run of each kind did; in the master root's scope. */
export const runs = (tx: Tx) => tx.selectFrom('retention').selectAll().execute();

/** Keeps a kind for so many days; null: the default. In the master root's scope. */
export async function setDays(tx: Tx, kind: string, days: number | null): Promise<void> {
  await tx
    .insertInto('retention')
    .values({ kind, days })
    .onConflict((row) => row.column('kind').doUpdateSet({ days }))
    .execute();
}

/** Begins a run, or goes on with one that was cut off. In the master root's scope. */
export async function beginRun(tx: Tx, kind: string, at: Date): Promise<void> {
  await sql`
    insert into retention (kind, started_at) values (${kind}, ${at})
    on conflict (kind) do update set finished_at = null,
      removed = case when retention.started_at is not null and retention.finished_at is null then retention.removed else 0 end,
      started_at = case when retention.started_at is not null and retention.finished_at is null
        then retention.started_at else excluded.started_at end`.execute(tx);
}

/** Counts what was removed, in the transaction and the scope that removed it. */
export async function countRemoved(tx: Tx, kind: string, removed: number): Promise<void> {
  await sql`call count_removed(${kind}, ${removed}::bigint)`.execute(tx);
}

export async function endRun(tx: Tx, kind: string, at: Date): Promise<void> {
  await tx.updateTable('retention').set({ finished_at: at }).where('kind', '=', kind).execute();
}
