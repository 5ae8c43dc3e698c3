import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Config } from '../../../platform/config.ts';
import { onceAMinute } from '../../../platform/disk.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import { storeRecords } from './drain.ts';
import { countersOf, type LogState, type Taken, type VisitLog } from './log.ts';
import { encodeTaken } from './spool.policy.ts';
import { reportSpool } from './store.ts';

/** How many requests go into one statement, and how long more of them are waited for. */
const BATCH = 500;
const FETCH_MS = 1_000;
/** What is not acknowledged for so long is given to another process. */
const ACK_WAIT_MS = 60_000;
const MOST_UNDER_WAY = 5_000;
/** How long the cluster recognizes a message that was sent twice. */
const DUPLICATE_MS = 120_000;
const PUBLISH_MS = 5_000;
const AGAIN_MS = 500;
/** How often the stream is looked at, and the servers are asked what they promise. */
const LOOK_MS = 5_000;
const ASK_MS = 60_000;

type Settings = NonNullable<Config['nats']>;

const nanos = (ms: number): number => ms * 1_000_000;

/** The same for the same visits, so that what a browser sends again is recognized. */
const messageId = ({ visits }: Taken, at: Date): string =>
  visits.length > 0
    ? createHash('sha256')
        .update(visits.map(({ id }) => id).join())
        .digest('base64url')
    : newId(at);

/** Says what servers promise of a message that they have acknowledged, from what each says about itself. */
export function promiseOf(
  servers: { version: string; isFlushed: boolean | undefined }[],
  replicas: number,
): string {
  const copies = `acknowledged by a majority of ${replicas} ${replicas === 1 ? 'server' : 'servers'}`;
  if (servers.length > 0 && servers.every(({ isFlushed }) => isFlushed))
    return `${copies}, each after a flush to its disk`;
  if (servers.some(({ isFlushed }) => isFlushed === false))
    return `${copies}, before a flush to disk: if they lose power at once, the last visits can be lost (sync_interval: always, from NATS 2.10 on, keeps them)`;
  return `${copies}; whether it is flushed to disk is not known (set NATS_MONITORS)`;
}

/**
 * The visit log with a NATS JetStream cluster before it, for many hosts whose disks do not outlive them: a visit is
 * accepted when a majority of the replicas has it, and acknowledged to the cluster after its commit.
 */
export function jetStreamLog(
  platform: Pick<Platform, 'db' | 'config' | 'log' | 'clock' | 'metrics'>,
  settings: Settings,
  ackWaitMs = ACK_WAIT_MS,
): VisitLog {
  const { db, config, log, clock, metrics } = platform;
  const { stream } = settings;
  const subject = `${stream}.taken`;
  const { drained, damage } = countersOf(metrics);
  let opening: Promise<Opened> | undefined;
  let state: LogState = { records: 0, bytes: 0, oldestAt: null, damaged: 0 };
  let promise = promiseOf([], settings.replicas);
  let lookedAt = 0;
  let askedAt = 0;
  let stopping = false;
  let running: Promise<void> | undefined;
  let draining: Promise<unknown> = Promise.resolve();

  interface Opened {
    connection: NatsConnection;
    client: JetStreamClient;
    manager: JetStreamManager;
  }

  async function connectAll(): Promise<Opened> {
    const { connect } = await import('@nats-io/transport-node');
    const { jetstream, jetstreamManager, AckPolicy, DiscardPolicy, RetentionPolicy, StorageType } =
      await import('@nats-io/jetstream');
    const connection = await connect({
      servers: settings.servers,
      ...(settings.user ? { user: settings.user, pass: settings.password ?? '' } : {}),
      ...(settings.tls ? { tls: {} } : {}),
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      timeout: PUBLISH_MS,
    }).catch((error: Error) => {
      throw new Error(`NATS_URL: cannot connect (${error.message})`, { cause: error });
    });
    try {
      const manager = await jetstreamManager(connection);
      const wanted = {
        subjects: [subject],
        num_replicas: settings.replicas,
        // A full stream refuses what comes, and never drops what it has.
        discard: DiscardPolicy.New,
        max_bytes: settings.bytes,
        duplicate_window: nanos(DUPLICATE_MS),
      };
      await manager.streams.info(stream).then(
        () => manager.streams.update(stream, wanted),
        () =>
          manager.streams.add({
            name: stream,
            storage: StorageType.File,
            retention: RetentionPolicy.Workqueue,
            ...wanted,
          }),
      );
      await manager.consumers.add(stream, {
        durable_name: 'database',
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(ackWaitMs),
        max_ack_pending: MOST_UNDER_WAY,
      });
      return { connection, manager, client: jetstream(connection, { timeout: PUBLISH_MS }) };
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  const open = (): Promise<Opened> => {
    opening ??= connectAll();
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };

  async function putAside(payload: Buffer, why: string): Promise<void> {
    const folder = join(config.dataDir, 'spool', 'damaged');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${newId(clock.now())}.bin`);
    await writeFile(file, payload, { mode: 0o600 });
    damage.inc();
    state = { ...state, damaged: state.damaged + 1 };
    log.error({ file, bytes: payload.length, why }, 'visits in the stream could not be used');
  }

  /** Stores what is there, and acknowledges it after the commit. Returns how many there were. */
  async function takeSome(waitMs: number): Promise<number> {
    const { client } = await open();
    const consumer = await client.consumers.get(stream, 'database');
    const first = await consumer.next({ expires: waitMs });
    if (!first) return 0;
    const messages: JsMsg[] = [first];
    // As many as there are now, so that none waits for others to come.
    const more = Math.min(BATCH - 1, first.info.pending);
    if (more > 0)
      for await (const message of await consumer.fetch({ max_messages: more, expires: waitMs }))
        messages.push(message);
    try {
      await storeRecords(
        db,
        messages.map(({ data }) => Buffer.from(data)),
        putAside,
      );
    } catch (error) {
      for (const message of messages) message.nak(AGAIN_MS);
      throw error;
    }
    for (const message of messages.slice(0, -1)) message.ack();
    await messages.at(-1)!.ackAck();
    drained.inc(messages.length);
    return messages.length;
  }

  /** Reads what waits in the stream. */
  async function readState(): Promise<void> {
    const { manager } = await open();
    const { state: now } = await manager.streams.info(stream);
    state = {
      ...state,
      records: now.messages,
      bytes: now.messages === 0 ? 0 : now.bytes,
      oldestAt: now.messages === 0 ? null : new Date(now.first_ts),
    };
  }

  async function hasMore(): Promise<boolean> {
    await readState();
    return state.records > 0;
  }

  /** Reads what waits, and tells the operator. */
  async function look(): Promise<void> {
    await readState();
    lookedAt = performance.now();
    const { records, bytes, oldestAt, damaged } = state;
    await reportSpool(
      db.ingestPool,
      `JetStream ${stream}`,
      { records, bytes, oldest: oldestAt?.getTime() ?? null, damaged },
      clock.now(),
    );
  }

  /** Asks each server what it does with what it acknowledges. */
  async function ask(): Promise<void> {
    askedAt = performance.now();
    const servers = await Promise.all(
      settings.monitors.map(async (monitor) => {
        const answer = await fetch(new URL('/varz', monitor), { signal: AbortSignal.timeout(2_000) });
        const { version, jetstream } = (await answer.json()) as {
          version: string;
          jetstream?: { config?: { sync_always?: boolean } };
        };
        // Servers before 2.10 do not know the setting, and flush now and then.
        return { version, isFlushed: jetstream?.config?.sync_always === true };
      }),
    ).catch(() => []);
    promise = promiseOf(servers, settings.replicas);
  }

  /** One at a time, so that `drain` ends when there is nothing left. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = draining.catch(() => {}).then(work);
    draining = next;
    return next;
  }

  async function work(): Promise<void> {
    while (!stopping) {
      try {
        await inTurn(() => takeSome(FETCH_MS));
        const now = performance.now();
        if (now - lookedAt > LOOK_MS) await look();
        if (now - askedAt > ASK_MS) await ask();
      } catch (error) {
        if (stopping) return;
        if (onceAMinute('jetstream')) log.error({ err: error }, 'visits wait in the stream');
        await sleep(AGAIN_MS);
      }
    }
  }

  return {
    form: 'jetstream',
    get promise() {
      return promise;
    },
    async append(batch) {
      try {
        const { client } = await open();
        await Promise.all(
          batch.map((one) =>
            client.publish(subject, encodeTaken(one), { msgID: messageId(one, clock.now()) }),
          ),
        );
        state = { ...state, records: state.records + batch.length };
      } catch (error) {
        if (onceAMinute('jetstream append')) log.error({ err: error }, 'the stream takes no visits');
        throw new Refusal('unavailable', ownMessages.unavailable, { retryAfter: 5 });
      }
    },
    drain: () =>
      inTurn(async () => {
        while (await hasMore()) await takeSome(FETCH_MS);
      }),
    async notReady() {
      const answered = open().then(({ connection }) => connection.flush());
      const isThere = await Promise.race([
        answered.then(
          () => true,
          () => false,
        ),
        sleep(1_000, false, { ref: false }),
      ]);
      return isThere ? null : 'the NATS cluster is unavailable';
    },
    state: () => state,
    async start() {
      await open();
      await ask();
      running ??= work();
    },
    async stop() {
      stopping = true;
      await running;
      const opened = await opening?.catch(() => undefined);
      await opened?.connection.close();
    },
  };
}
