import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { JOB_TITLES } from '../../contract/operations/jobs.ts';
import { type TestApp, testApp } from '../test/app.ts';
import { poison } from '../test/faults/poison-process.ts';
import { inScope } from './db/scope.ts';
import { defineJob, jobNames, setUpJobs } from './jobs.ts';

const fair = defineJob('test.fair', z.object({ turn: z.string() }));
const grouped = defineJob('test.grouped', z.object({ at: z.int() }), { retryDelay: 1, retryBackoff: false });
const late = defineJob('test.late', z.object({}));
const daily = defineJob('test.daily', z.object({ rootId: z.uuid().optional() }));

let app: TestApp;
let rootId: string;
beforeAll(async () => {
  app = await testApp();
  rootId = (await app.make.root()).id;
  await setUpJobs(app.databaseUrl);
});
afterAll(() => app?.close());

const send = (payload: { name: string; deadly: boolean }) =>
  inScope(app.platform.db.app, { rootId }, (tx) => app.platform.jobs.send(tx, poison, [payload]));
const rows = async (text: string, values: unknown[] = []) => (await app.admin.query(text, values)).rows;
/** Asks repeatedly until the answer is the expected one. */
async function until<T>(ask: () => Promise<T>, isIt: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isIt(answer)) return answer;
    await new Promise((done) => setTimeout(done, 100));
  }
}

test('[BEY-31] anyone who enqueues many jobs is behind everyone who enqueues one', async () => {
  const { jobs, db } = app.platform;
  const sendAs = (turn: string, count: number) =>
    inScope(db.app, { rootId }, (tx) =>
      jobs.send(
        tx,
        fair,
        Array.from({ length: count }, () => ({ turn })),
        { turn },
      ),
    );
  await sendAs('greedy', 30);
  await sendAs('greedy', 20);
  await sendAs('modest', 1);
  const waiting = await rows(
    `select data ->> 'turn' as turn from pgboss.job where name = 'test.fair' order by priority desc, created_on`,
  );
  expect(waiting).toHaveLength(51);
  expect(waiting.findIndex(({ turn }) => turn === 'modest')).toBe(1);
});

test('[BEY-31] jobs that are sent at once for several have turns of their own', async () => {
  const { jobs, db } = app.platform;
  const of = (whose: string, count: number) => Array.from({ length: count }, () => ({ turn: whose }));
  for (const given of [of('first', 2), [...of('first', 2), ...of('second', 2)]])
    await inScope(db.app, { rootId }, (tx) => jobs.send(tx, fair, given, { turn: ({ turn }) => turn }));
  expect(
    await rows(
      `select group_id as turn, array_agg(priority order by priority desc) as priorities from pgboss.job
       where name = 'test.fair' and group_id in ('first', 'second') group by 1 order by 1`,
    ),
  ).toEqual([
    { turn: 'first', priorities: [0, -1, -2, -3] },
    { turn: 'second', priorities: [0, -1] },
  ]);
});

test('[BEY-31] a job that waits is not sent again, and not taken before what it is to see is there', async () => {
  const { jobs, db } = app.platform;
  const send = (turns: string[]) =>
    inScope(db.app, { rootId }, async (tx) => {
      await jobs.send(
        tx,
        fair,
        turns.map((turn) => ({ turn })),
        { turn: 'once', unlessWaiting: true },
      );
      // As the queue takes jobs.
      return rows(
        `select data ->> 'turn' as turn from pgboss.job where name = 'test.fair' and group_id = 'once' for update skip locked`,
      );
    });
  expect(await send(['a', 'b'])).toEqual([]); // not yet there for others
  expect(await send(['b', 'c'])).toEqual([{ turn: 'a' }]);
  expect(await send(['d'])).toHaveLength(3);
  const all = await rows(`select data ->> 'turn' as turn from pgboss.job where group_id = 'once' order by 1`);
  expect(all.map(({ turn }) => turn)).toEqual(['a', 'b', 'c', 'd']);
});

test('a process that is told to stop takes no more of the jobs that run together', async () => {
  const other = await testApp();
  await setUpJobs(other.databaseUrl);
  const { jobs, db } = other.platform;
  const { id } = await other.make.root();
  let ran = 0;
  await jobs.workTogether(late, { atOnce: 2 }, async () => void ran++);
  const startAfter = new Date(Date.now() + 3_600_000);
  await inScope(db.app, { rootId: id }, (tx) => jobs.send(tx, late, [{}], { startAfter }));
  // Whoever takes jobs now waits, and finds one when this is committed.
  await other.admin.query('begin');
  await other.admin.query('lock table pgboss.job_common in access exclusive mode');
  await other.admin.query(`update pgboss.job_common set start_after = now() where name = 'test.late'`);
  const stopped = jobs.stop();
  await new Promise((done) => setTimeout(done, 200));
  await other.admin.query('commit');
  await stopped;
  const { rows } = await other.admin.query(`select state from pgboss.job_common where name = 'test.late'`);
  expect({ ran, rows }).toEqual({ ran: 0, rows: [{ state: 'created' }] });
  await other.close();
});

test('[BEY-31] jobs that run together end one by one, one of each group at a time and in order, and one that fails is retried alone', async () => {
  const { jobs, db } = app.platform;
  const ran: number[] = [];
  const running: string[] = [];
  let failures = 1;
  const groupOf = ({ at }: { at: number }) => `group ${at % 3}`;
  let hold = () => {};
  const held = new Promise<void>((done) => {
    hold = done;
  });
  await jobs.workTogether(grouped, { atOnce: 8 }, async (payload) => {
    const group = groupOf(payload);
    expect(running).not.toContain(group);
    running.push(group);
    // The first of a group hangs until all others are done.
    if (payload.at === 0) await held;
    running.splice(running.indexOf(group), 1);
    if (payload.at === 4 && failures-- > 0) throw new Error('once');
    ran.push(payload.at);
  });
  await inScope(db.app, { rootId }, (tx) =>
    jobs.send(
      tx,
      grouped,
      Array.from({ length: 9 }, (_, at) => ({ at })),
      { group: groupOf },
    ),
  );
  await until(
    async () => ran.length,
    (count) => count === 6,
  );
  expect(ran.filter((at) => at % 3 === 2)).toEqual([2, 5, 8]);
  expect(ran.toSorted()).toEqual([1, 2, 4, 5, 7, 8]);
  hold();
  await until(
    () =>
      rows(`select count(*)::int as n from pgboss.job where name = 'test.grouped' and state = 'completed'`),
    ([{ n }]) => n === 9,
  );
  expect(ran.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  await until(
    () => rows(`select 1 from job_run where kind = 'test.grouped'`),
    (left) => left.length === 0,
  );
});

/** Runs a process that does the jobs until it exits or has logged `last`; returns what it logged. */
async function work(last?: string): Promise<{ said: string[]; signal: string | null }> {
  const script = join(import.meta.dirname, '../test/faults/poison-process.ts');
  const child = spawn(process.execPath, [script, app.urls.appUrl], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (part) => {
    said += part;
    if (last && said.includes(last)) child.kill('SIGTERM');
  });
  const signal = await new Promise<string | null>((done) => child.once('close', (_, by) => done(by)));
  // As if the process had not been heard from for a while: the queue gives its jobs to another.
  await app.admin.query(`update job_run set alive_at = now() - interval '1 minute'`);
  await app.admin.query(`update pgboss.job set state = 'retry', start_after = now() where state = 'active'`);
  return { said: said.trim().split('\n').sort(), signal };
}

describe('[BEY-31] a job that ends its process', () => {
  test('is set aside when it has done so twice; what ran beside it is not', async () => {
    await send({ name: 'good', deadly: false });
    await send({ name: 'bad', deadly: true });
    await send({ name: 'fine', deadly: false });
    const first = await work();
    expect(first.signal).toBe('SIGKILL');
    expect(first.said).toContain('start bad');
    const between = await work();
    expect(between.signal).toBe('SIGKILL');
    expect(await rows(`select starts from job_run where payload->>'name' = 'bad'`)).toEqual([{ starts: 2 }]);
    const last = await work('set aside bad');
    expect(last.said).toContain('set aside bad');
    expect(last.said).not.toContain('start bad');
    expect(last.signal).toBeNull();
    await send({ name: 'last', deadly: false });
    expect((await work('end last')).said).not.toContain('start bad');
    // A job that ended just before its process was killed may have left a row that is no longer needed.
    const aside = await rows(`select payload->>'name' as name from job_run where set_aside_at is not null`);
    expect(aside).toEqual([{ name: 'bad' }]);
    const all = [first, between, last].flatMap((one) => one.said);
    for (const name of ['good', 'fine']) expect(all).toContain(`end ${name}`);
  });

  test('of a kind that runs by schedule it is the kind that is set aside, for a day', async () => {
    const { jobs } = app.platform;
    let ran = 0;
    await jobs.schedule(daily, '0 0 1 1 *', {});
    await jobs.work(daily, { pollingIntervalSeconds: 0.5 }, async () => {
      ran++;
    });
    const again = async () => {
      const [{ n }] = await rows(
        `select count(*) as n from pgboss.job where name = 'test.daily' and state = 'completed'`,
      );
      await inScope(app.platform.db.app, { rootId }, (tx) => jobs.send(tx, daily, [{ rootId }]));
      await until(
        () => rows(`select count(*) as n from pgboss.job where name = 'test.daily' and state = 'completed'`),
        ([now]) => Number(now.n) > Number(n),
      );
    };
    const cutOff = (starts: number) =>
      app.admin.query(
        `insert into job_run (key, kind, payload, root_id, worker, starts, alive_at)
         values ('test.daily', 'test.daily', $1, $2, gen_random_uuid(), $3, now() - interval '1 minute')
         on conflict (key) do update set starts = $3, worker = gen_random_uuid(), alive_at = now() - interval '1 minute'`,
        [JSON.stringify({ rootId }), rootId, starts],
      );
    await again();
    expect(ran).toBe(1);
    await until(
      () => rows(`select 1 from job_run where key = 'test.daily'`),
      (found) => found.length === 0,
    );
    await cutOff(1);
    await again();
    expect(ran).toBe(2);
    await until(
      () => rows(`select 1 from job_run where key = 'test.daily'`),
      (found) => found.length === 0,
    );
    await cutOff(2);
    await again();
    await again();
    expect(ran).toBe(2);
    expect(await rows(`select action from user_log where action = 'job.set_aside'`)).toHaveLength(1);
    await app.admin.query(
      `update job_run set set_aside_at = now() - interval '25 hours' where key = 'test.daily'`,
    );
    await again();
    expect(ran).toBe(3);
    // An admin has it retried earlier.
    await cutOff(2);
    await again();
    expect(ran).toBe(3);
    await inScope(app.platform.db.app, { rootId }, (tx) => jobs.again(tx, 'test.daily', { rootId }));
    await until(
      async () => ran,
      (now) => now === 4,
    );
    expect(
      await rows(`select 1 from job_run where set_aside_at is not null and kind = 'test.daily'`),
    ).toEqual([]);
  });

  test('every kind of job has a title for people', () => {
    const names = jobNames().filter((name) => !name.startsWith('test.'));
    expect(names.filter((name) => !JOB_TITLES[name])).toEqual([]);
    expect(Object.keys(JOB_TITLES).filter((name) => !names.includes(name))).toEqual([]);
  });
});
