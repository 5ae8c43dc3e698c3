import { setTimeout as sleep } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { loadJob } from '../../features/audience/exclusions/load.ts';
import { peopleImport } from '../../features/audience/people/import.service.ts';
import { countJob } from '../../features/audience/signals/queue.ts';
import { systemClock } from '../../platform/clock.ts';
import { inScope } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import type { Company } from '../factories.ts';
import { openStage, type Running, type Stage } from '../stage.ts';
import { type FaultRun, randomFrom, until } from './harness.ts';

/**
 * What can be killed, ordered so that each comes after the ones it depends on. `exclusions` has its own short test
 * (exclusions.test.ts).
 */
export const IMPORTS = ['people', 'csv', 'parquet', 'count', 'exclusions'] as const;
type Kind = (typeof IMPORTS)[number];

/**
 * The state after the kills; `cut` counts those that hit in the middle, `broken` names what differs from an undisturbed
 * run.
 */
export interface ImportReport {
  cut: Record<string, number>;
  broken: string[];
}

/**
 * A piece of work for the worker: its progress (in rows; for a count, 0 or 1), whether it has ended, and what it
 * produced.
 */
interface Task {
  rows: number;
  at(): Promise<number>;
  ended(): Promise<boolean>;
  outcome(): Promise<unknown>;
}

/**
 * Runs kill -9 on the worker while it imports people, signals (CSV and Parquet) and an exclusion list, and while it
 * does a count; the next worker continues each. The end result must match a single uninterrupted run over the same
 * files.
 * @param run.rows of each file; a batch has 20,000
 */
export async function killInImports(
  databaseUrl: string,
  { kills, seed, log, rows, kinds = IMPORTS }: FaultRun & { rows: number; kinds?: readonly Kind[] },
): Promise<ImportReport> {
  const random = randomFrom(seed);
  const stage = await openStage({ databaseUrl });
  const cut: Record<string, number> = {};
  const broken: string[] = [];
  let worker: Running | undefined;
  try {
    const files = filesOf(rows, systemClock.now());
    const calm = await homeOf(stage);
    const hit = await homeOf(stage);
    // The same work, done by this process without interruption.
    const expected = new Map<Kind, unknown>();
    for (const kind of kinds) {
      const task = await begin(stage, calm, kind, files, true);
      expected.set(kind, await task.outcome());
      log?.(`${kind} made without a kill`);
    }
    for (const kind of kinds) {
      cut[kind] = 0;
      const task = await begin(stage, hit, kind, files, false);
      const points = Array.from({ length: kills }, () => random() * 0.6 * task.rows).sort((a, b) => a - b);
      for (const [n, point] of points.entries()) {
        worker ??= await stage.start('app', { ROLES: 'worker' });
        await until(
          `${kind}, row ${Math.round(point)}`,
          async () => (await task.at()) >= point || task.ended(),
        );
        await sleep(random() * 200);
        await worker.kill();
        worker = undefined;
        if (!(await task.ended())) cut[kind]++;
        log?.(`${kind}, kill ${n + 1} of ${kills}: at ${await task.at()} of ${task.rows}`);
        // What the queue does by itself once the dead worker has been silent for 30 s (worker.test.ts waits for that).
        await stage.admin.query(
          `update pgboss.job set state = 'retry', start_after = now(), heartbeat_on = null where state = 'active'`,
        );
      }
      worker ??= await stage.start('app', { ROLES: 'worker' });
      await until(`the end of ${kind}`, () => task.ended(), 180);
      const [found, meant] = [await task.outcome(), expected.get(kind)];
      if (!isDeepStrictEqual(found, meant))
        broken.push(`${kind}: ${inspect(found, { depth: 5 })} instead of ${inspect(meant, { depth: 5 })}`);
    }
    return { cut, broken };
  } finally {
    await worker?.kill();
    await stage.close();
  }
}

type Files = Record<'people' | 'csv' | 'parquet' | 'exclusions', Uint8Array>;

/** A file for each import. Some rows are bad, some are duplicates, some match no one. */
function filesOf(rows: number, now: Date): Files {
  const email = (i: number) => (i % 97 === 5 ? 'no address' : `p${i % 41 === 7 ? i - 1 : i}@kill.example`);
  const numbers = Array.from({ length: rows }, (_, i) => i);
  const at = (i: number) => new Date(now.getTime() - 3_600_000 - ((i * 7919) % 500_000) * 1000);
  const keyword = (i: number) => `word${(i * 17) % 900} boots`;
  const lines = (header: string, line: (i: number) => string) =>
    Buffer.from(`${header}\n${numbers.map(line).join('\n')}\n`);
  return {
    people: lines('email,first_name,phone,state', (i) => `${email(i)},Name ${i},,TX`),
    csv: lines('email,keyword,state,time', (i) => `${email(i * 3)},${keyword(i)},TX,${at(i).toISOString()}`),
    parquet: new Uint8Array(
      parquetWriteBuffer({
        rowGroupSize: 30_000,
        columnData: [
          { name: 'email', data: numbers.map((i) => email(i * 5)), type: 'STRING' },
          { name: 'keyword', data: numbers.map((i) => `${keyword(i)} sale`), type: 'STRING' },
          { name: 'time', data: numbers.map(at), type: 'TIMESTAMP' },
        ],
      }),
    ),
    exclusions: lines('email', (i) => email(i * 2)),
  };
}

interface Home {
  root: Company;
  client: Company;
  userId: string;
}

async function homeOf({ make }: Stage): Promise<Home> {
  const root = await make.root();
  const client = await make.client(await make.agency(root));
  const { id } = await make.user(client);
  return { root, client, userId: id };
}

/** Starts a piece of work: with `whole` it runs to its end here, otherwise its job waits for a worker. */
async function begin(stage: Stage, home: Home, kind: Kind, files: Files, whole: boolean): Promise<Task> {
  if (kind === 'exclusions') return beginList(stage, home, files.exclusions, whole);
  if (kind === 'count') return beginCount(stage, home, whole);
  const rootId = home.root.id;
  const { people } = stage.features;
  const name = `x.${kind === 'parquet' ? 'parquet' : 'csv'}`;
  const { id } = await people.files.add(rootId, name, once(files[kind]), {
    kind: kind === 'people' ? 'people' : 'signals',
  });
  await people.files.queue(rootId, id, {}, async (tx) => {
    if (!whole) await people.jobs.send(tx, peopleImport, [{ rootId, importId: id }]);
  });
  if (whole) await people.files.run(rootId, id);
  const row = async (columns: string) =>
    (await stage.admin.query(`select ${columns} from import_job where id = $1`, [id])).rows[0];
  return {
    rows: rowsIn(files.exclusions),
    at: async () => Number((await row('rows_read')).rows_read),
    ended: async () => (await row('finished_at')).finished_at !== null,
    outcome: async () => [
      await row('state, rows_read, rows_added, rows_changed, rows_same, rows_bad, keys_added'),
      await told(stage, 'select count(*), sum(line) from import_error where import_id = $1', id),
      ...(kind === 'people'
        ? [
            await told(
              stage,
              'select count(*), sum(hashtext(email)), sum(hashtext(first_name)) from person where root_id = $1',
              rootId,
            ),
            await told(
              stage,
              `select count(*), sum(hashtext(kind || encode(value, 'hex'))) from identity_key where root_id = $1`,
              rootId,
            ),
          ]
        : [
            await told(
              stage,
              `select count(*), sum(hashtext(concat_ws('|', t.words, p.email, s.at, s.state, s.strength))) from signal s
                 join intent_term t on t.id = s.term_id join person p on p.root_id = s.root_id and p.id = s.person_id where s.root_id = $1`,
              rootId,
            ),
            await told(stage, 'select sum(signals) from signal_batch where root_id = $1', rootId),
          ]),
    ],
  };
}

async function beginList(stage: Stage, home: Home, file: Uint8Array, whole: boolean): Promise<Task> {
  const rootId = home.root.id;
  const { loads, jobs } = stage.features.exclusions;
  const id = newId(systemClock.now());
  const path = `exclusions/${id}.csv`;
  const { rows } = await loads.take(once(file), path, { mostBytes: 2 ** 30 });
  await stage.admin.query(
    `insert into exclusion_list (id, root_id, company_id, owner_id, level, name, state, file_path, total_rows, created_at)
     values ($1, $2, $2, $2, 'root', 'kill.csv', 'queued', $3, $4, now())`,
    [id, rootId, path, rows],
  );
  if (whole) await loads.load({ rootId, listId: id });
  else
    await inScope(stage.platform.db.app, { rootId }, (tx) =>
      jobs.send(tx, loadJob, [{ rootId, listId: id }]),
    );
  const row = async (columns: string) =>
    (await stage.admin.query(`select ${columns} from exclusion_list where id = $1`, [id])).rows[0];
  return {
    rows,
    at: async () => Number((await row('rows_read')).rows_read),
    ended: async () => ['active', 'failed'].includes((await row('state')).state),
    outcome: async () => [
      await row('state, rows_read, rows_added, rows_bad'),
      await told(
        stage,
        `select count(*), sum(hashtext(kind || encode(value, 'hex'))) from exclusion where list_id = $1`,
        id,
      ),
    ],
  };
}

async function beginCount(stage: Stage, home: Home, whole: boolean): Promise<Task> {
  const rootId = home.root.id;
  const id = newId(systemClock.now());
  await stage.admin.query(
    `insert into intent_count (id, root_id, agency_id, company_id, location, keywords, state, asked_by, asked_at, created_at)
     values ($1, $2, $3, $4, 'national', '{boots}', 'pending', $5, now(), now())`,
    [id, rootId, home.client.agency_id, home.client.id, home.userId],
  );
  if (whole) await stage.features.signals.counts.run(rootId, id);
  else
    await inScope(stage.platform.db.app, { rootId }, (tx) =>
      stage.platform.jobs.send(tx, countJob, [{ rootId, countId: id }]),
    );
  const row = async (columns: string) =>
    (await stage.admin.query(`select ${columns} from intent_count where id = $1`, [id])).rows[0];
  return {
    rows: 1,
    at: async () => Math.min(1, (await row('attempts')).attempts),
    ended: async () => (await row('state')).state !== 'pending',
    outcome: async () => [
      await row('state, error, people, placed, waterfall'),
      await told(stage, `select count(*) from mail where kind = 'count.done' and root_id = $1`, rootId),
    ],
  };
}

const told = async (stage: Stage, text: string, id: string): Promise<unknown> =>
  (await stage.admin.query(text, [id])).rows[0];

const rowsIn = (file: Uint8Array): number => file.reduce((sum, byte) => sum + (byte === 10 ? 1 : 0), 0) - 1;

async function* once(file: Uint8Array): AsyncGenerator<Uint8Array> {
  yield file;
}
