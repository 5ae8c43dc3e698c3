import pg from 'pg';
import { findMatches } from '../server/features/audience/drop/store.ts';
import { inScope } from '../server/platform/db/scope.ts';
import { newId } from '../server/platform/ids.ts';
import type { Result } from './import.ts';
import { median, openStage } from './stage.ts';

const ROUNDS = 3;
const TARGET = 0.3;
/** Of a hundred entries, so many are somebody's in the graph. */
const KNOWN_SHARE = 10;

/**
 * Measures how fast a list of California is matched with the graph: entries per second, half addresses and half numbers,
 * with the people found written down, compared with a bare join of as many hashes with as many keys that are hashed
 * already, which only counts.
 */
export async function benchDrop({ full, entries }: { full: boolean; entries?: number }): Promise<Result> {
  const stage = await openStage();
  const admin = new pg.Client({ connectionString: stage.adminUrl });
  await admin.connect();
  try {
    const rows = entries ?? (full ? 1_000_000 : 100_000);
    const root = await stage.make.root({ host: 'drop.test', isMaster: true });
    const half = Math.floor(rows / 2);
    // Every person has an address and a number. An entry of the list is one of theirs, or nobody's.
    await admin.query(
      `insert into identity_key (root_id, company_id, kind, value, person_id, source, seen_at)
       select $1, $1, 1, sha256(('person' || i || '@example.com')::bytea), gen_random_uuid(), 'bench', now()
       from generate_series(1, $2::int) i order by 4`,
      [root.id, rows],
    );
    await admin.query(
      `insert into identity_key (root_id, company_id, kind, value, person_id, source, seen_at)
       select $1, $1, 6, ('+1' || (2000000000 + i))::bytea, gen_random_uuid(), 'bench', now()
       from generate_series(1, $2::int) i order by 4`,
      [root.id, rows],
    );
    const batch = newId(new Date());
    for (const [list, text] of [
      [2, "'person' || n || '@example.com'"],
      [3, '(2000000000 + n)::text'],
    ] as const)
      await admin.query(
        `insert into drop_entry (root_id, company_id, list, drop_id, hash, batch_id)
         select $1, $1, ${list}, lpad(i::text, 12, '0'), sha256((${text})::bytea), $2
         from (select i, case when i % 100 < ${KNOWN_SHARE} then i else i + 10 * $3::bigint end as n from generate_series(1, $4::int) i) e`,
        [root.id, batch, rows, half],
      );
    await admin.query(`create table bare_entry as select list, drop_id, hash from drop_entry`);
    await admin.query(
      `create table bare_key as select kind, case kind when 1 then value else sha256(substr(value, 3)) end as value, person_id
       from identity_key`,
    );
    await admin.query('vacuum analyze');
    const known = Number(
      (
        await admin.query('select count(*) as n from drop_entry where (drop_id::bigint % 100) < $1', [
          KNOWN_SHARE,
        ])
      ).rows[0].n,
    );
    const seconds = async (work: () => Promise<number>): Promise<number> => {
      const began = performance.now();
      const found = await work();
      if (found !== known) throw new Error(`${found} entries found instead of ${known}`);
      return (performance.now() - began) / 1000;
    };
    const limits: number[] = [];
    const rates: number[] = [];
    const bare = async () => {
      const took = await seconds(async () =>
        Number(
          (
            await admin.query(
              `select count(*) as n from bare_entry e join bare_key k
                 on k.kind = case e.list when 2 then 1 else 6 end and k.value = e.hash`,
            )
          ).rows[0].n,
        ),
      );
      limits.push((2 * half) / took);
    };
    const ours = async () => {
      await admin.query('truncate drop_match');
      const took = await seconds(() =>
        inScope(stage.platform.db.app, { rootId: root.id }, (tx) => findMatches(tx, root.id)),
      );
      rates.push((2 * half) / took);
    };
    await bare();
    limits.length = 0;
    for (let round = 1; round <= ROUNDS; round++) {
      await bare();
      await ours();
      await bare();
    }
    const [limit, rate] = [median(limits), median(rates)];
    console.log(
      `drop: ${Math.round(rate)} of ${Math.round(limit)} entries per second, ratio ${(rate / limit).toFixed(3)}`,
    );
    return {
      name: `entries of California's lists matched per second (${2 * half})`,
      limit,
      ours: rate,
      ratio: rate / limit,
      target: TARGET,
    };
  } finally {
    await admin.end();
    await stage.close();
  }
}
