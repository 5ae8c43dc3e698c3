import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { type Job as BossJob, fromKysely, PgBoss, type QueueOptions, type WorkOptions } from 'pg-boss';
import type { z } from 'zod';
import { activity } from './activity.ts';
import { connectionOf } from './db/hosts.ts';
import type { Tx } from './db/scope.ts';
import { newId } from './ids.ts';
import type { Metrics } from './metrics.ts';
import { together } from './together.ts';
import type { Tracing } from './tracing.ts';

/** A kind of background work: its queue, what its payload holds (ids only), and how it is retried. */
export interface JobKind<P extends object = object> {
  name: string;
  payload: z.ZodType<P>;
  options: QueueOptions & { notify?: boolean };
}

const kinds = new Map<string, JobKind<never>>();

/**
 * Declares a kind of job. Defaults: retried 5 times with growing pauses; a job whose worker died is taken over after
 * 30 s without a heartbeat.
 */
export function defineJob<P extends object>(
  name: string,
  payload: z.ZodType<P>,
  options: JobKind['options'] = {},
): JobKind<P> {
  const kind: JobKind<P> = {
    name,
    payload,
    options: {
      retryLimit: 5,
      retryDelay: 2,
      retryBackoff: true,
      heartbeatSeconds: 30,
      expireInSeconds: 900,
      deleteAfterSeconds: 86_400,
      // What is not taken for so long after it is due is deleted: longer than any outage.
      retentionSeconds: 400 * 86_400,
      notify: true,
      ...options,
    },
  };
  kinds.set(name, kind as never);
  return kind;
}

const schema = 'pgboss';

/**
 * Creates or upgrades the queues as the owner; the application itself may only use them. Only one process does this at
 * a time.
 */
export async function setUpJobs(adminUrl: string): Promise<void> {
  const client = new pg.Client(connectionOf(adminUrl));
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtext('lead_migrate'))`);
    const boss = new PgBoss({
      ...connectionOf(adminUrl),
      schema,
      options: '-c role=lead_owner',
      supervise: false,
      schedule: false,
    });
    boss.on('error', () => {});
    await boss.start();
    for (const { name, options } of kinds.values()) {
      if (await boss.getQueue(name)) await boss.updateQueue(name, options);
      else await boss.createQueue(name, options);
    }
    await boss.stop({ graceful: false });
    await client.query(`set role lead_owner;
      grant usage on schema ${schema} to lead_app;
      grant select, insert, update, delete on all tables in schema ${schema} to lead_app;
      grant usage on all sequences in schema ${schema} to lead_app;
      grant execute on all functions in schema ${schema} to lead_app`);
  } finally {
    await client.end();
  }
}

/** The names of all kinds of jobs that this process knows. */
export const jobNames = (): string[] => [...kinds.keys()];

/** How many times a job may be started without making progress before it is set aside. */
const MOST_STARTS = 2;
/** How often a process reports that it is alive; the database treats one that has been silent for 25 s as gone. */
const ALIVE_MS = 8_000;
/** A scheduled kind is retried automatically after this long. */
const AGAIN_MS = 86_400_000;
/** A job that was cut off and is no longer sent is forgotten after this long. */
const FORGET_MS = 30 * 86_400_000;

/** How often jobs that run together are taken, while there are any, and how often it is asked whether any is due. */
const TAKE_EVERY_MS = 20;
const ASK_EVERY_MS = 200;
/** How often the queue is told that jobs which were taken together are still running. */
const HEARTBEAT_MS = 10_000;

/** A job that was begun, and how the run before stands if it is not new. */
interface Begun {
  key: string;
  is_new: boolean;
  starts: number;
  is_alive: boolean;
  set_aside_at: Date | null;
}

/** What a job's data may carry besides its payload: what it is traced below. */
const parentOf = (data: object): unknown => (data as { traceparent?: unknown }).traceparent;
const rootOf = (payload: object): string | null => (payload as { rootId?: string }).rootId ?? null;

/** How far behind others a job is that no one waits for: further than anyone's jobs wait. */
const NO_HURRY = 1_000_000;

/** What a kind of job reports where users look for its outcome. */
export interface JobHooks<P extends object> {
  /** Called when a process died twice while running the job: records that where users see it. Safe to run twice. */
  setAside: (payload: P) => Promise<void>;
  /**
   * Called when someone has the job retried, in the same transaction: undoes what `setAside` recorded. Throws a Refusal
   * if a retry no longer makes sense.
   */
  again?: (tx: Tx, payload: P) => Promise<void>;
}

/** A job that is running. */
export interface RunningJob {
  /** Aborted when the job is given to another worker or the process stops. */
  signal: AbortSignal;
  /** Reports that the job made progress, so it is not blamed if the process dies later. */
  advanced: () => void;
}

/** Notified of each job that is set aside. */
export type OnSetAside = (job: { id: string; kind: string; rootId: string | null }) => Promise<void>;

/** Clears the record that a job was set aside, in any scope. */
const forget = (tx: Tx, name: string, payload: object) =>
  sql`select job_resume(${name}, ${JSON.stringify(payload)}::jsonb)`.execute(tx);

/** How many jobs of a kind wait, by whose they are. */
async function waitingOf(tx: Tx, name: string, turns: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ turn: string; count: number }>`
    select group_id as turn, count(*)::int as count from ${sql.table(`${schema}.job`)}
    where name = ${name} and state < 'active' and not blocked and group_id = any(${turns}::text[]) group by 1`.execute(
    tx,
  );
  return new Map(rows.map((row) => [row.turn, row.count]));
}

/**
 * Those of some payloads for which no job of a kind waits. The jobs that do are kept from being taken before the
 * transaction ends: they will see what it has changed.
 */
async function notWaiting<P extends object>(tx: Tx, name: string, payloads: P[]): Promise<P[]> {
  const { rows } = await sql<{ n: string }>`
    with given as materialized (
      select n, data from unnest(${payloads.map((one) => JSON.stringify(one))}::jsonb[]) with ordinality w (data, n)
    ), waiting as materialized (
      select data - 'traceparent' as data from ${sql.table(`${schema}.job`)}
      where name = ${name} and state < 'active' and not blocked and data - 'traceparent' in (select data from given)
      for update skip locked
    ) select g.n from given g join waiting w on w.data = g.data`.execute(tx);
  const waiting = new Set(rows.map((row) => Number(row.n)));
  return payloads.filter((_, i) => !waiting.has(i + 1));
}

/** Enqueues work to run after the transaction, and runs it. */
export class Jobs {
  readonly #boss: PgBoss;
  readonly #worker = randomUUID();
  #stopping = false;
  readonly #onError: (error: unknown, name?: string) => void;
  #onSetAside: OnSetAside = async () => {};
  readonly #hooks = new Map<string, JobHooks<never>>();
  /** Kinds that run on a schedule: each run is its own job, so they are identified by name. */
  readonly #scheduled = new Set<string>();
  readonly #advanced = new Set<string>();
  /** Jobs that have ended but that the database has not been told about yet. */
  #ended: string[] = [];
  #forgetting: Promise<void> = Promise.resolve();
  #timers: NodeJS.Timeout[] = [];
  #asking = false;
  /** What takes jobs together, and those that it has taken, by kind. */
  readonly #loops: Promise<void>[] = [];
  readonly #wakes = new Map<string, () => void>();
  readonly #taken = new Map<string, Map<string, BossJob>>();
  /** Jobs that were cut off run one at a time, so that if the process dies again, only one of them can be to blame. */
  #alone: Promise<unknown> = Promise.resolve();

  readonly #tracing: Tracing | undefined;
  /** Runs of jobs, and how long they took. */
  readonly #runs;
  readonly #durations;

  /** `works`: whether this process also runs jobs and maintains the queues. */
  constructor(
    appUrl: string,
    works: boolean,
    onError: (error: unknown, name?: string) => void,
    { metrics, tracing }: { metrics: Metrics; tracing?: Tracing | undefined },
  ) {
    this.#onError = onError;
    this.#tracing = tracing;
    this.#runs = metrics.counter('platform_jobs_total', 'Runs of background jobs that ended, by outcome', [
      'queue',
      'outcome',
    ]);
    this.#durations = metrics.histogram('platform_job_duration_seconds', 'How long runs of jobs took', [
      'queue',
    ]);
    this.#boss = new PgBoss({
      ...connectionOf(appUrl),
      schema,
      migrate: false,
      createSchema: false,
      supervise: works,
      schedule: works,
      useListenNotify: works,
      superviseIntervalSeconds: 15,
      monitorIntervalSeconds: 15,
      reindex: false,
      max: 6,
      connectionTimeoutMillis: 30_000,
      // Taking and ending a job need not be on disk at once: if the database's machine dies, jobs are run again, which
      // they are made for. Jobs themselves are enqueued in the transactions that cause them, durably.
      options: '-c synchronous_commit=off',
    });
    // While stopping, dropped connections are expected.
    this.#boss.on('error', (error) => this.#stopping || this.#onError(error));
  }

  async start(): Promise<void> {
    await this.#boss.start();
  }

  /**
   * Stops taking jobs and waits up to `limitMs` (at least a second) for the running ones; then aborts their signals.
   */
  async stop(limitMs = 20_000): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const wake of this.#wakes.values()) wake();
    const limit = Math.max(limitMs, 1000);
    await Promise.all([
      this.#boss.stop({ graceful: true, timeout: limit, close: false }),
      this.#giveBack(Date.now() + limit),
    ]);
    // Jobs that were stopped cleanly did not kill the process.
    await this.#sql('select job_end(null, $1)', [this.#worker]).catch(() => {});
    await this.#boss.stop({ graceful: false });
  }

  /** Sets the listener that is notified of jobs that are set aside, whatever their kind. */
  onSetAside(tell: OnSetAside): void {
    this.#onSetAside = tell;
  }

  /** Sets what a kind does when one of its jobs is set aside or retried. */
  hook<P extends object>(kind: JobKind<P>, hooks: JobHooks<P>): void {
    this.#hooks.set(kind.name, hooks);
  }

  /**
   * Enqueues jobs inside the causing transaction: they exist if and only if it commits. `turn`: whose jobs they are.
   * Each waiting job of the same kind and `turn` puts a new one further back, so that anyone who enqueues many makes
   * mostly themselves wait. `noHurry`: behind all jobs of the kind that someone waits for. `unlessWaiting`: payloads for
   * which a job of this kind waits are not sent again. For jobs that read what they work on when they run.
   */
  async send<P extends object>(
    tx: Tx,
    kind: JobKind<P>,
    given: P[],
    options: {
      startAfter?: Date | ((payload: P) => Date | undefined);
      group?: (payload: P) => string;
      turn?: string | ((payload: P) => string);
      noHurry?: boolean;
      unlessWaiting?: boolean;
    } = {},
  ): Promise<void> {
    if (given.length === 0) return;
    const payloads = options.unlessWaiting ? await notWaiting(tx, kind.name, given) : given;
    if (payloads.length === 0) return;
    const { turn, startAfter } = options;
    const starts = typeof startAfter === 'function' ? startAfter : () => startAfter;
    // Of jobs of one group that are due, the one with the lowest id is taken first.
    const now = new Date();
    const ids = payloads.map(() => newId(now));
    const turns = turn ? payloads.map((data) => (typeof turn === 'function' ? turn(data) : turn)) : null;
    const ahead = turns ? await waitingOf(tx, kind.name, [...new Set(turns)]) : new Map<string, number>();
    const inTurn = (i: number) => {
      if (!turns) return {};
      const id = turns[i]!;
      const place = ahead.get(id) ?? 0;
      ahead.set(id, place + 1);
      return { group: { id }, priority: -(place + (options.noHurry ? NO_HURRY : 0)) };
    };
    const traceparent = this.#tracing?.current();
    await this.#boss.insert(
      kind.name,
      payloads.map((data, i) => {
        const at = starts(data);
        return {
          id: ids[i]!,
          data: traceparent ? { ...data, traceparent } : data,
          ...inTurn(i),
          ...(at ? { startAfter: at } : {}),
          ...(options.group ? { group: { id: options.group(data) } } : {}),
        };
      }),
      { db: fromKysely(tx) },
    );
  }

  /** Retries a job that was set aside, with a fresh count of attempts. @throws Refusal if that makes no sense */
  async again(tx: Tx, name: string, given: object): Promise<void> {
    const kind = kinds.get(name) as JobKind | undefined;
    if (!kind) throw new Error(`Unknown kind of job: ${name}.`);
    const payload = kind.payload.parse(given);
    await this.#hooks.get(name)?.again?.(tx, payload as never);
    await forget(tx, name, payload);
    await this.send(tx, kind, [payload]);
  }

  /**
   * Runs the jobs of a kind. The handler gets one payload at a time and must be safe to run twice: a job whose worker
   * was killed is given to another. One whose worker was killed twice without making progress is set aside.
   */
  async work<P extends object>(
    kind: JobKind<P>,
    options: WorkOptions,
    handler: (payload: P, job: RunningJob) => Promise<void>,
  ): Promise<void> {
    const { localConcurrency = 1, ...each } = options;
    this.#watch();
    for (let i = 0; i < localConcurrency; i++) {
      const id: string = await this.#boss.work(kind.name, each, async (jobs: BossJob<P>[]) => {
        // By default a worker takes one job per poll; after finding one, it looks for the next immediately.
        this.#boss.notifyWorker(id);
        for (const job of jobs) {
          const payload = kind.payload.parse(job.data);
          const key = this.#scheduled.has(kind.name) ? kind.name : job.id;
          await this.#observed(job, async () => {
            try {
              await this.#run(kind.name, key, payload, () =>
                handler(payload, { signal: job.signal, advanced: () => this.#advanced.add(key) }),
              );
            } catch (error) {
              this.#onError(error, kind.name);
              throw error;
            }
          });
        }
      });
    }
  }

  /**
   * Runs the jobs of a kind as `work` does, up to `atOnce` at a time and one of each group, with few statements: those
   * that are due are taken together, and those that have ended are ended together. Not for kinds that run on a schedule.
   */
  async workTogether<P extends object>(
    kind: JobKind<P>,
    { atOnce }: { atOnce: number },
    handler: (payload: P) => Promise<void>,
  ): Promise<void> {
    this.#watch();
    const { name } = kind;
    const taken = new Map<string, BossJob>();
    this.#taken.set(name, taken);
    let idle = Promise.withResolvers<void>();
    const wake = () => idle.resolve();
    const complete = together(
      TAKE_EVERY_MS / 2,
      () => name,
      async (jobs: BossJob[]) => {
        await this.#boss.complete(name, jobs);
        return jobs;
      },
    );
    const run = async (job: BossJob, work: () => Promise<void>): Promise<void> => {
      try {
        await this.#observed(job, work);
        await complete(job);
      } catch (error) {
        this.#onError(error, name);
        // If this fails as well, the queue gives the job to another when its heartbeat stops.
        await this.#boss.fail(name, job, error as Error).catch((failure) => this.#onError(failure, name));
      } finally {
        taken.delete(job.id);
        wake();
      }
    };
    const begin = async (read: { key: string; job: BossJob; payload: P }[]): Promise<void> => {
      const begun = await this.#begin(name, read);
      for (const { key, job, payload } of read)
        void run(job, () => this.#from(begun.get(key)!, name, payload, () => handler(payload)));
    };
    const take = async (): Promise<number> => {
      const batchSize = atOnce - taken.size;
      if (batchSize <= 0) return 0;
      const jobs = await this.#boss.fetch<P>(name, { batchSize, groupConcurrency: 1 });
      const read = jobs.flatMap((job) => {
        taken.set(job.id, job);
        const { data: payload, error } = kind.payload.safeParse(job.data);
        if (payload) return [{ key: job.id, job, payload }];
        void run(job, () => Promise.reject(error));
        return [];
      });
      if (read.length > 0)
        await begin(read).catch((error) => {
          for (const { job } of read) void run(job, () => Promise.reject(error));
        });
      return jobs.length;
    };
    const loop = async (): Promise<void> => {
      while (!this.#stopping) {
        await idle.promise;
        idle = Promise.withResolvers();
        await sleep(TAKE_EVERY_MS);
        // It was woken to end: what it took now would only hold up the stop.
        if (this.#stopping) break;
        const count = await take().catch((error) => {
          if (!this.#stopping) this.#onError(error, name);
          return 0;
        });
        if (count > 0) wake();
      }
    };
    this.#wakes.set(name, wake);
    this.#loops.push(loop());
  }

  /** Waits until the jobs that were taken together have ended; what has not by then is given to another worker. */
  async #giveBack(until: number): Promise<void> {
    await Promise.all(this.#loops);
    for (const [name, taken] of this.#taken) {
      while (taken.size > 0 && Date.now() < until) await sleep(TAKE_EVERY_MS);
      if (taken.size > 0)
        await this.#boss.fail(name, [...taken.values()], { message: 'The server stopped.' });
    }
  }

  /** Runs a job as an activity and a span of its own, and counts how it ends. */
  async #observed(job: BossJob, work: () => Promise<void>): Promise<void> {
    const queue = job.name;
    const done = activity(`job ${queue} ${job.id}`);
    const ended = this.#durations.startTimer({ queue });
    const span = this.#tracing?.begin(`job ${queue}`, 'job', parentOf(job.data ?? {}));
    span?.set({ 'messaging.message.id': job.id, 'messaging.destination.name': queue });
    let outcome = 'failed';
    try {
      await (span ? span.run(work) : work());
      outcome = 'done';
    } finally {
      this.#runs.inc({ queue, outcome });
      ended();
      span?.end(outcome === 'failed');
      done();
    }
  }

  /** Runs a kind on a schedule (cron, UTC), once across all workers. */
  async schedule<P extends object>(kind: JobKind<P>, cron: string, payload: P): Promise<void> {
    this.#scheduled.add(kind.name);
    await this.#boss.schedule(kind.name, cron, payload, { tz: 'UTC' });
  }

  /** Runs a job, recording it in the database as running until it ends; or sets it aside. */
  async #run<P extends object>(
    name: string,
    key: string,
    payload: P,
    work: () => Promise<void>,
  ): Promise<void> {
    const begun = await this.#begin(name, [{ key, payload }]);
    return this.#from(begun.get(key)!, name, payload, work);
  }

  /** Records jobs as running; returns how the runs before stand, by key. */
  async #begin(name: string, jobs: { key: string; payload: object }[]): Promise<Map<string, Begun>> {
    if (jobs.some(({ key }) => this.#ended.includes(key))) await this.#forgetEnded();
    const begun = await this.#sql<Begun>('select * from job_begin($1, $2::jsonb, $3)', [
      name,
      JSON.stringify(jobs.map(({ key, payload }) => ({ key, payload, root_id: rootOf(payload) }))),
      this.#worker,
    ]);
    return new Map(begun.map((row) => [row.key, row]));
  }

  /** Runs a job that was recorded as running; or sets it aside. */
  async #from(
    { key, is_new: isNew, starts, is_alive: isAlive, set_aside_at: setAsideAt }: Begun,
    name: string,
    payload: object,
    work: () => Promise<void>,
  ): Promise<void> {
    if (isNew) return this.#tracked(key, work);
    if (setAsideAt) {
      if (key !== name || Date.now() - setAsideAt.getTime() < AGAIN_MS) return undefined;
    } else if (isAlive) return work();
    else if (starts >= MOST_STARTS) {
      await this.#hooks.get(name)?.setAside(payload as never);
      await this.#onSetAside({ id: key, kind: name, rootId: rootOf(payload) });
      await this.#sql('select job_set_aside($1)', [key]);
      this.#onError(
        new Error(`Job ${name} was stopped: the server went down ${starts} times while running it.`),
        name,
      );
      return undefined;
    }
    const turn = this.#alone;
    const run = turn.then(async () => {
      await this.#sql('select job_again($1, $2, $3)', [key, setAsideAt ? 1 : starts + 1, this.#worker]);
      await this.#tracked(key, work);
    });
    this.#alone = run.catch(() => {});
    return run;
  }

  async #tracked(key: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } finally {
      this.#advanced.delete(key);
      this.#ended.push(key);
    }
  }

  /** Periodically tells the database which jobs have ended and that this process is alive. */
  #watch(): void {
    if (this.#timers.length > 0) return;
    const every = (ms: number, work: () => Promise<unknown>) => {
      const timer = setInterval(() => {
        work().catch((error) => this.#stopping || this.#onError(error));
      }, ms);
      timer.unref();
      this.#timers.push(timer);
    };
    every(250, () => this.#forgetEnded());
    every(ASK_EVERY_MS, () => this.#wakeDue());
    every(ALIVE_MS, async () => {
      const advanced = [...this.#advanced];
      this.#advanced.clear();
      await this.#sql('select job_alive($1, $2::text[])', [this.#worker, advanced]);
    });
    every(HEARTBEAT_MS, async () => {
      for (const [name, taken] of this.#taken)
        if (taken.size > 0) await this.#boss.touch(name, [...taken.values()]);
    });
    every(3_600_000, () => this.#sql('select job_forget($1)', [new Date(Date.now() - FORGET_MS)]));
  }

  /** Has jobs that run together taken, of all kinds of which any is due. To take them costs ten times as much. */
  async #wakeDue(): Promise<void> {
    if (this.#wakes.size === 0 || this.#asking) return;
    this.#asking = true;
    try {
      const due = await this.#sql<{ name: string }>(
        `select name from unnest($1::text[]) as name where exists (
          select from ${schema}.job_common j
          where j.name = name.name and j.state < 'active' and not j.blocked and j.start_after <= ${schema}.job_now())`,
        [[...this.#wakes.keys()]],
      );
      for (const { name } of due) this.#wakes.get(name)!();
    } finally {
      this.#asking = false;
    }
  }

  #forgetEnded(): Promise<void> {
    if (this.#ended.length === 0) return this.#forgetting;
    this.#forgetting = this.#forgetting
      .catch(() => {})
      .then(async () => {
        const ended = this.#ended;
        if (ended.length === 0) return;
        this.#ended = [];
        try {
          await this.#sql('select job_end($1::text[], $2)', [ended, this.#worker]);
        } catch (error) {
          this.#ended.push(...ended);
          throw error;
        }
      });
    return this.#forgetting;
  }

  async #sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return (await this.#boss.getDb().executeSql(text, values)).rows as Row[];
  }
}
