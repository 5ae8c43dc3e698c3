import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../platform/db/schema.ts';
import type { Tx } from '../../platform/db/scope.ts';

/** Which of these (owner, kind, value) stand on a list; answers their positions. */
export async function hits(
  tx: Tx,
  keys: { owner: string; kind: number; value: Buffer }[],
): Promise<Set<number>> {
  if (keys.length === 0) return new Set();
  const { rows } = await sql<{ n: bigint }>`
    select k.n from unnest(${keys.map((k) => k.owner)}::uuid[], ${keys.map((k) => k.kind)}::smallint[], ${keys.map((k) => k.value)}::bytea[])
      with ordinality k (owner, kind, value, n)
    where exists (select from exclusion e where e.owner_id = k.owner and e.kind = k.kind and e.value = k.value)`.execute(
    tx,
  );
  return new Set(rows.map((row) => Number(row.n) - 1));
}

/** Owners whose lists hold rows known by one hash only. */
export async function oneSided(
  tx: Tx,
  owners: string[],
): Promise<Map<string, { md5Only: boolean; sha256Only: boolean }>> {
  if (owners.length === 0) return new Map();
  const { rows } = await sql<{ owner_id: string; md5: boolean; sha256: boolean }>`
    select owner_id, bool_or(md5_only > 0) as md5, bool_or(sha256_only > 0) as sha256
    from exclusion_list where owner_id = any(${owners}::uuid[]) group by owner_id`.execute(tx);
  return new Map(rows.map((row) => [row.owner_id, { md5Only: row.md5, sha256Only: row.sha256 }]));
}

export async function insertList(tx: Tx, row: Insertable<Schema['exclusion_list']>): Promise<void> {
  await tx.insertInto('exclusion_list').values(row).execute();
}

export async function insertExclusions(tx: Tx, rows: Insertable<Schema['exclusion']>[]): Promise<void> {
  await sql`
    insert into exclusion (owner_id, kind, value, list_id, root_id, agency_id, company_id)
    select * from unnest(${rows.map((r) => r.owner_id)}::uuid[], ${rows.map((r) => r.kind)}::smallint[], ${rows.map((r) => r.value)}::bytea[],
      ${rows.map((r) => r.list_id)}::uuid[], ${rows.map((r) => r.root_id)}::uuid[], ${rows.map((r) => r.agency_id ?? null)}::uuid[],
      ${rows.map((r) => r.company_id)}::uuid[])
    on conflict do nothing`.execute(tx);
}
