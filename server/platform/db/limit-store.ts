import { sql } from 'kysely';
import type { Db } from './scope.ts';

/** What `take` needs from a rule (platform/limits.ts), in seconds. */
export interface Pacing {
  max: number;
  base: number;
  cap: number;
  window: number;
}

/**
 * Counts one attempt unless the key is paused. Returns the attempts so far, or until when it is paused. One statement,
 * so parallel attempts queue up.
 */
export async function takeTry(
  db: Db,
  key: Buffer,
  at: Date,
  { max, base, cap, window }: Pacing,
): Promise<{ tries: number } | { until: Date }> {
  const pause = (tries: ReturnType<typeof sql>) => sql`case when ${tries} >= ${max}::int
    then ${at}::timestamptz + make_interval(secs => least(${cap}::float8, ${base}::float8 * power(2, least(${tries} - ${max}::int, 20)))) end`;
  const next = sql`case when attempt.last_at < ${at}::timestamptz - make_interval(secs => ${window}::float8) then 1 else attempt.tries + 1 end`;
  const { rows } = await sql<{ tries: number }>`
    insert into attempt (key, tries, last_at, blocked_until) values (${key}, 1, ${at}, ${pause(sql`1`)})
    on conflict (key) do update set tries = ${next}, last_at = ${at}, blocked_until = ${pause(sql`(${next})`)}
    where attempt.blocked_until is null or attempt.blocked_until <= ${at}
    returning tries`.execute(db);
  if (rows[0]) return rows[0];
  const row = await db
    .selectFrom('attempt')
    .select('blocked_until')
    .where('key', '=', key)
    .executeTakeFirst();
  return { until: row?.blocked_until ?? new Date(at.getTime() + 1000) };
}

/** Undoes one counted attempt, and the pause it may have caused. */
export async function giveBackTry(db: Db, key: Buffer, max: number): Promise<void> {
  await sql`update attempt set tries = greatest(0, tries - 1), blocked_until = case when tries - 1 >= ${max}::int then blocked_until end
    where key = ${key}`.execute(db);
}

export async function forgetTries(db: Db, keys: Buffer[]): Promise<void> {
  await db.deleteFrom('attempt').where('key', 'in', keys).execute();
}

/** Deletes attempts that are outside every window. */
export async function deleteTries(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('attempt').where('last_at', '<', before).execute();
}
