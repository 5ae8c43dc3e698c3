import { type Insertable, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';

/** A zone as its key tells, before a scope is known. */
export interface ZoneOfKey {
  id: string;
  root_id: string;
  agency_id: string;
  company_id: string;
  hosts: string[];
  width: number;
  height: number;
  cpm_micros: bigint;
}

export const zoneByKey = async (db: Db, key: string): Promise<ZoneOfKey | undefined> =>
  (await sql<ZoneOfKey>`select * from ad_zone_by_key(${key})`.execute(db)).rows[0];

export const creativeFile = async (
  db: Db,
  id: string,
): Promise<{ type: string; bytes: Buffer } | undefined> =>
  (await sql<{ type: string; bytes: Buffer }>`select * from creative_file(${id}::uuid)`.execute(db)).rows[0];

/** The roots of impressions, before a scope is known. */
export async function rootsOfImpressions(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; root_id: string }>`/* kept: ads_roots */
    select * from ad_impression_roots(${[...ids]}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row.root_id]));
}

/** The exchange of a key, before a scope is known. */
export const exchangeByKey = async (
  db: Db,
  hash: Buffer,
): Promise<{ id: string; root_id: string } | undefined> =>
  (await sql<{ id: string; root_id: string }>`select * from ad_exchange_by_key(${hash})`.execute(db)).rows[0];

/** The exchanges of a root that may ask for bids, newest first. */
export const exchangesOf = (tx: Tx, rootId: string) =>
  tx
    .selectFrom('ad_exchange')
    .select(['id', 'name', 'created_at'])
    .where('root_id', '=', rootId)
    .where('state', '=', 'active')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
export async function insertExchange(tx: Tx, row: Insertable<Schema['ad_exchange']>): Promise<void> {
  await tx.insertInto('ad_exchange').values(row).execute();
}
/** Ends the key of an exchange; its name, or undefined if the root has no such exchange. */
export async function removeExchange(
  tx: Tx,
  of: { rootId: string; id: string; at: Date },
): Promise<string | undefined> {
  const row = await tx
    .updateTable('ad_exchange')
    .set({ state: 'removed', updated_at: of.at })
    .where('root_id', '=', of.rootId)
    .where('id', '=', of.id)
    .where('state', '=', 'active')
    .returning('name')
    .executeTakeFirst();
  return row?.name;
}

export async function insertZone(tx: Tx, row: Insertable<Schema['ad_zone']>): Promise<void> {
  await tx.insertInto('ad_zone').values(row).execute();
}
export async function updateZone(tx: Tx, id: string, set: Updateable<Schema['ad_zone']>): Promise<void> {
  await tx.updateTable('ad_zone').set(set).where('id', '=', id).execute();
}

const MOST_LISTED = 1_000;

/** The zones that the scope may see, those of agencies before those of their clients, newest first; one of them by id. */
export const zonesOf = (tx: Tx, id?: string) =>
  tx
    .selectFrom('ad_zone as z')
    .innerJoin('company as k', 'k.id', 'z.company_id')
    .selectAll('z')
    .select('k.name as company_name')
    .where('z.state', '=', 'active')
    .$if(id !== undefined, (q) => q.where('z.id', '=', id!))
    .orderBy(sql`z.company_id = z.agency_id`, 'desc')
    .orderBy('z.created_at', 'desc')
    .orderBy('z.id')
    .limit(MOST_LISTED)
    .execute();

/** How many ads zones showed since an instant. */
export async function shownIn(tx: Tx, ids: readonly string[], since: Date): Promise<Map<string, number>> {
  const { rows } = await sql<{ zone_id: string; count: number }>`
    select zone_id, count(*)::int as count from ad_impression
    where zone_id = any(${[...ids]}::uuid[]) and state = 'billed' and at >= ${since} group by 1`.execute(tx);
  return new Map(rows.map(({ zone_id, count }) => [zone_id, count]));
}
