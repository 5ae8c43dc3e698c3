import pg from 'pg';
import { type Job as BossJob, fromKysely, PgBoss, type QueueOptions, type WorkOptions } from 'pg-boss';
import type { z } from 'zod';
import type { Tx } from './db/scope.ts';

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
      notify: true,
      ...options,
    },
  };
  kinds.set(name, kind as never);
  return kind;
}

const schema = 'pgboss';

/** Creates or upgrades the queues as the owner; the application itself may only use them. */
export async function setUpJobs(adminUrl: string): Promise<void> {
  const boss = new PgBoss({
    connectionString: adminUrl,
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
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`set role lead_owner;
    grant usage on schema ${schema} to lead_app;
    grant select, insert, update, delete on all tables in schema ${schema} to lead_app;
    grant usage on all sequences in schema ${schema} to lead_app;
    grant execute on all functions in schema ${schema} to lead_app`);
  await client.end();
}

/** The way to put off work until after the transaction, and to do it. */
export class Jobs {
  readonly #boss: PgBoss;
  #stopping = false;
  readonly #onError: (error: unknown, name?: string) => void;

  /** `works`: whether this process also does jobs, and keeps the queues in order. */
  constructor(appUrl: string, works: boolean, onError: (error: unknown, name?: string) => void) {
    this.#onError = onError;
    this.#boss = new PgBoss({
      connectionString: appUrl,
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
    });
    // While stopping, connections that are cut are no news.
    this.#boss.on('error', (error) => this.#stopping || this.#onError(error));
  }

  async start(): Promise<void> {
    await this.#boss.start();
  }

  /** Stops taking jobs and waits up to 20 s for those under way. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#boss.stop({ graceful: true, timeout: 20_000 });
  }

  /** Enqueues jobs inside the causing transaction: they exist if and only if it commits. */
  async send<P extends object>(
    tx: Tx,
    kind: JobKind<P>,
    payloads: P[],
    options: { startAfter?: Date; group?: (payload: P) => string } = {},
  ): Promise<void> {
    if (payloads.length === 0) return;
    await this.#boss.insert(
      kind.name,
      payloads.map((data) => ({
        data,
        ...(options.startAfter ? { startAfter: options.startAfter } : {}),
        ...(options.group ? { group: { id: options.group(data) } } : {}),
      })),
      { db: fromKysely(tx) },
    );
  }

  /**
   * Does the jobs of a kind. The handler gets one payload at a time and must be safe to run twice: a job whose worker
   * was killed is given to another.
   */
  async work<P extends object>(
    kind: JobKind<P>,
    options: WorkOptions,
    handler: (payload: P, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { localConcurrency = 1, ...each } = options;
    for (let i = 0; i < localConcurrency; i++) {
      const id: string = await this.#boss.work(kind.name, each, async (jobs: BossJob<P>[]) => {
        // Left to itself a worker takes one job a poll; where there was one, it looks for the next at once.
        this.#boss.notifyWorker(id);
        for (const job of jobs) {
          try {
            await handler(kind.payload.parse(job.data), job.signal);
          } catch (error) {
            this.#onError(error, kind.name);
            throw error;
          }
        }
      });
    }
  }

  /** Runs a kind on a schedule (cron, UTC), once over all workers. */
  async schedule<P extends object>(kind: JobKind<P>, cron: string, payload: P): Promise<void> {
    await this.#boss.schedule(kind.name, cron, payload, { tz: 'UTC' });
  }
}
