import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { inScope } from '../server/platform/db/scope.ts';
import { newId } from '../server/platform/ids.ts';
import type { Result } from './import.ts';
import { median, openStage, type Stage } from './stage.ts';

const ROUNDS = 3;
/** Visits of one batch of the resolver. */
const BATCH = 1000;
const BATCHES = 40;

/**
 * Measures two things about a root's lists: how fast a file of addresses is imported, compared with a bare COPY of the
 * hashes of the same addresses (two each) into one keyed table; and how fast batches of visits are checked against a
 * large list, by every key that a person may be listed under, compared with a bare lookup of as many keys in the same
 * index.
 */
export async function benchExclusions({ full }: { full: boolean }): Promise<Result[]> {
  const stage = await openStage();
  const admin = new pg.Client({ connectionString: stage.adminUrl });
  await admin.connect();
  try {
    return [
      await loading(stage, admin, full ? 1_000_000 : 200_000),
      await checking(stage, admin, full ? 5_000_000 : 1_000_000),
    ];
  } finally {
    await admin.end();
    await stage.close();
  }
}

const digest = (algorithm: string, text: string): Buffer => createHash(algorithm).update(text).digest();
const address = (i: number): string => `person${i}@example.com`;

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

async function loading(stage: Stage, admin: pg.Client, rows: number): Promise<Result> {
  const lines = Array.from({ length: rows }, (_, i) => address(i));
  const owner = newId(new Date());
  const entries = Buffer.from(
    lines
      .flatMap((line) => [
        `${owner}\t1\t\\\\x${digest('sha256', line).toString('hex')}\n`,
        `${owner}\t3\t\\\\x${digest('md5', line).toString('hex')}\n`,
      ])
      .join(''),
  );
  const file = Buffer.from(`${lines.join('\n')}\n`);
  const limits: number[] = [];
  const rates: number[] = [];
  const copy = async () => {
    await admin.query(
      'drop table if exists bare; create table bare (owner uuid, kind smallint, value bytea, primary key (owner, kind, value))',
    );
    limits.push(
      rows / (await seconds(() => pipeline([entries], admin.query(copyFrom('copy bare from stdin'))))),
    );
  };
  const { loads } = stage.features.exclusions;
  for (let round = 1; round <= ROUNDS; round++) {
    const root = await stage.make.root();
    const id = newId(new Date());
    await copy();
    const took = await seconds(async () => {
      const path = `exclusions/${id}.csv`;
      const taken = await loads.take(chunks(file), path, { mostBytes: 2 ** 31 });
      await admin.query(
        `insert into exclusion_list (id, root_id, company_id, owner_id, level, name, state, file_path, total_rows, created_at)
           values ($1, $2, $2, $2, 'root', 'bench.csv', 'queued', $3, $4, now())`,
        [id, root.id, path, taken.rows],
      );
      const done = await loads.load({ rootId: root.id, listId: id });
      if (Number(done?.rows_added) !== rows)
        throw new Error(`${done?.rows_added} entries instead of ${rows}`);
    });
    rates.push(rows / took);
    await copy();
    const around = limits.slice(-2).map(Math.round).join(' and ');
    console.log(`exclusions round ${round}: ${Math.round(rows / took)} addresses/s of ${around} copied bare`);
    await admin.query('truncate exclusion');
  }
  return result('addresses of a root list loaded per second', median(limits), median(rates), 0.25);
}

async function* chunks(file: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += 65_536) yield file.subarray(at, at + 65_536);
}

async function checking(stage: Stage, admin: pg.Client, keys: number): Promise<Result> {
  const root = await stage.make.root();
  const agency = await stage.make.agency(root);
  const client = await stage.make.client(agency);
  const campaign = await stage.make.campaign(client);
  const list = newId(new Date());
  await admin.query(
    `insert into exclusion_list (id, root_id, company_id, owner_id, level, name, emails, phones, domains, created_at)
     values ($1, $2, $2, $2, 'root', 'bench', $3, 1, 1, now())`,
    [list, root.id, keys / 2],
  );
  await admin.query(
    `insert into exclusion (owner_id, kind, value, list_id, root_id, company_id)
     select $1, 1, sha256(('person' || i || '@example.com')::bytea), $2, $1, $1 from generate_series(1, $3::int) i order by 3`,
    [root.id, list, keys / 2],
  );
  await admin.query(
    `insert into exclusion (owner_id, kind, value, list_id, root_id, company_id)
     select $1, 3, decode(md5('person' || i || '@example.com'), 'hex'), $2, $1, $1 from generate_series(1, $3::int) i order by 3`,
    [root.id, list, keys / 2],
  );
  await admin.query('vacuum analyze exclusion');
  const owners = [root.id, agency.id, client.id, campaign.id];
  // One visitor in ten is on the list.
  const batchOf = (n: number) =>
    Array.from({ length: BATCH }, (_, i) => {
      const k = (n * BATCH + i) * 37 + 1;
      const email = i % 10 === 0 ? address(1 + (k % (keys / 2))) : `visitor${k}@shop${k}.example`;
      return {
        owners,
        sha256: [digest('sha256', email)],
        md5: [digest('md5', email)],
        phones: [`+1504${String(2_000_000 + (k % 7_000_000))}`],
        emails: [email],
      };
    });
  const batches = Array.from({ length: BATCHES }, (_, n) => batchOf(n));
  const limits: number[] = [];
  const rates: number[] = [];
  const bare = async () => {
    const took = await seconds(async () => {
      for (const batch of batches) {
        const kinds = batch.flatMap(() => [1, 3, 6, 8]);
        const values = batch.flatMap((one) => [
          one.sha256[0],
          one.md5[0],
          Buffer.from(one.phones[0]!),
          Buffer.from(one.emails[0]!),
        ]);
        await admin.query(
          `select k.n from unnest($2::smallint[], $3::bytea[]) with ordinality k (kind, value, n)
           cross join lateral (select from exclusion e where e.owner_id = $1 and e.kind = k.kind and e.value = k.value limit 1) hit`,
          [root.id, kinds, values],
        );
      }
    });
    limits.push((BATCH * BATCHES) / took);
  };
  const ours = async () => {
    let excluded = 0;
    const took = await seconds(async () => {
      for (const batch of batches) {
        const verdicts = await inScope(stage.platform.db.app, { rootId: root.id }, (tx) =>
          stage.features.exclusions.check(tx, batch),
        );
        excluded += verdicts.filter((verdict) => verdict === 'excluded').length;
      }
    });
    if (excluded !== (BATCH * BATCHES) / 10) throw new Error(`${excluded} excluded instead of a tenth`);
    rates.push((BATCH * BATCHES) / took);
  };
  await bare();
  limits.length = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    await bare();
    await ours();
    await bare();
  }
  return result(`visits checked per second against ${keys} keys`, median(limits), median(rates), 0.3);
}

function result(name: string, limit: number, ours: number, target: number): Result {
  const ratio = ours / limit;
  console.log(
    `exclusions: ${Math.round(ours)} ${name} of ${Math.round(limit)} bare, ratio ${ratio.toFixed(3)}`,
  );
  return { name, limit, ours, ratio, target };
}
