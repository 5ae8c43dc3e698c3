import { sql } from 'kysely';
import type { Db, Tx } from './scope.ts';

/** What is counted of one kind of job: no scrape reads more. */
const MOST_JOBS = 10_000;

/** How many jobs of each kind are due or wait for their time, and for how many seconds the oldest has been due. */
export interface QueueDepth {
  name: string;
  due: number;
  later: number;
  oldest: number;
}

/** Runs a statement that may take two seconds and no longer. */
const briefly = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 2000`.execute(tx);
    return work(tx);
  });

/** Returns how many jobs of these kinds wait, each counted up to ten thousand. */
export const queueDepths = (db: Db, names: string[]): Promise<QueueDepth[]> =>
  briefly(
    db,
    async (tx) =>
      (
        await sql<QueueDepth>`select q.name, j.due::int, j.later::int, j.oldest::float8
    from unnest(${names}::text[]) q (name) cross join lateral (
      select count(*) filter (where start_after <= now()) as due, count(*) filter (where start_after > now()) as later,
        coalesce(extract(epoch from now() - min(start_after) filter (where start_after <= now())), 0) as oldest
      from (select start_after from pgboss.job where name = q.name and state < 'active' and not blocked
        limit ${MOST_JOBS}) one) j`.execute(tx)
      ).rows,
  );

/** Returns counts and ages over all roots, without anything about one of them. */
export const platformGauges = (db: Db): Promise<{ gauge: string; label: string; value: number }[]> =>
  briefly(
    db,
    async (tx) =>
      (
        await sql<{ gauge: string; label: string; value: number }>`select * from platform_gauges()`.execute(
          tx,
        )
      ).rows,
  );

/** When PostgreSQL archived a file of its log last, and whether it has failed since. */
export const logArchived = (db: Db): Promise<{ at: Date | null; failing: boolean }> =>
  briefly(
    db,
    async (tx) =>
      (
        await sql<{ at: Date | null; failing: boolean }>`select last_archived_time as at,
          coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as failing
        from pg_stat_archiver`.execute(tx)
      ).rows[0]!,
  );
