import { type Insertable, sql } from 'kysely';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';

export type RequestRow = Insertable<Schema['developer_request']>;

export async function insert(tx: Tx, rows: RequestRow[]): Promise<void> {
  await tx
    .insertInto('developer_request')
    .values(rows)
    .onConflict((on) => on.doNothing())
    .execute();
}

/** Adds to the days' counts of a company. */
export async function count(
  tx: Tx,
  rows: (Owner & { agency_id: string; day: string; requests: bigint; refused: bigint })[],
): Promise<void> {
  await tx
    .insertInto('developer_usage')
    .values(rows)
    .onConflict((on) =>
      on.columns(['company_id', 'day']).doUpdateSet({
        requests: sql`developer_usage.requests + excluded.requests`,
        refused: sql`developer_usage.refused + excluded.refused`,
      }),
    )
    .execute();
}

/** What a list of requests shows. */
export interface Wanted {
  id?: string | undefined;
  keyId?: string | undefined;
  method?: string | undefined;
  route?: string | undefined;
  status?: 'ok' | 'refused' | 'failed' | undefined;
}

const wanted = (tx: Tx, companyId: string, asked: Wanted) => {
  let rows = tx.selectFrom('developer_request as r').where('r.company_id', '=', companyId);
  if (asked.id) rows = rows.where('r.id', '=', asked.id);
  if (asked.keyId) rows = rows.where('r.key_id', '=', asked.keyId);
  if (asked.method) rows = rows.where('r.method', '=', asked.method);
  if (asked.route) rows = rows.where('r.route', '=', asked.route);
  if (asked.status === 'ok') rows = rows.where('r.status', '<', 400);
  if (asked.status === 'refused') rows = rows.where('r.status', '>=', 400).where('r.status', '<', 500);
  if (asked.status === 'failed') rows = rows.where('r.status', '>=', 500);
  return rows;
};

/** A page of a company's requests, the newest first, and how many there are, up to `most`. */
export async function page(
  tx: Tx,
  companyId: string,
  asked: Wanted,
  { limit, offset, most }: { limit: number; offset: number; most: number },
) {
  const rows = await wanted(tx, companyId, asked)
    .innerJoin('developer_key as k', 'k.id', 'r.key_id')
    .selectAll('r')
    .select(['k.name as key_name', 'k.client_id'])
    .orderBy('r.at', 'desc')
    .orderBy('r.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await tx
    .selectFrom(wanted(tx, companyId, asked).select('r.id').limit(most).as('found'))
    .select((e) => e.fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** How many requests and webhook messages of all systems are from before an instant, counted up to about `most`. */
export const countOld = async (tx: Tx, before: Date, most: number): Promise<number> =>
  Number((await sql<{ n: bigint }>`select count_developer(${before}, ${most}) as n`.execute(tx)).rows[0]!.n);

/** Deletes old requests and answers, a part at a time; returns how many. */
export const forget = async (
  db: Db,
  before: { requests: Date; writes: Date },
  most: number,
): Promise<number> =>
  Number(
    (
      await sql<{
        n: bigint;
      }>`select forget_developer(${before.requests}, ${before.writes}, ${most}) as n`.execute(db)
    ).rows[0]!.n,
  );

/** What a company's keys did, and what its campaigns found and spent, by day (UTC), the newest first. */
export const usage = async (tx: Tx, agencyId: string, from: string, to: string) =>
  (
    await sql<{ day: string; requests: bigint; refused: bigint; leads: bigint; spend: bigint }>`
      select d.day::date as day, coalesce(u.requests, 0) as requests, coalesce(u.refused, 0) as refused,
        coalesce(h.leads, 0)::bigint as leads, coalesce(h.spend, 0)::bigint as spend
      from generate_series(${from}::date, ${to}::date, interval '1 day') d (day)
      left join developer_usage u on u.company_id = ${agencyId} and u.day = d.day::date
      left join (select (hour at time zone 'UTC')::date as day, sum(leads) as leads, sum(spend_micros) as spend
                 from campaign_hour where agency_id = ${agencyId} and hour >= ${from}::date::timestamp at time zone 'UTC'
                   and hour < (${to}::date + 1)::timestamp at time zone 'UTC' group by 1) h on h.day = d.day::date
      order by 1 desc`.execute(tx)
  ).rows;
