import { mkdirSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockFolder } from '../../../platform/db/folder-lock.ts';
import { isAlmostFull, onceAMinute } from '../../../platform/disk.ts';
import type { Platform } from '../../../platform/platform.ts';
import { Spool } from '../../../platform/spool.ts';
import { storeRecords } from './drain.ts';
import { countersOf, type LogState, type VisitLog } from './log.ts';
import { encodeTaken } from './spool.policy.ts';
import { reportSpool } from './store.ts';

/** How much goes into one statement. */
const DRAIN_BYTES = 512 * 1024;
/** How long it waits after a failure, and for something to do. */
const AGAIN_MS = 500;
/** How often what waits is reported, and the folders of processes that are gone are looked for. */
const REPORT_MS = 5_000;
const ADOPT_MS = 60_000;
/** How many processes can have a spool in one data folder. */
const MOST_SLOTS = 64;
/** How long the last drain may take when the process stops; the rest stays for the next start. */
const LAST_DRAIN_MS = 5_000;

interface Slot {
  folder: string;
  spool: Spool;
  release: () => void;
}

/**
 * The visit log with a spool on disk before it: a visit is accepted once it is flushed to the disk of this machine, and
 * a moment later it is in the database, or as soon as there is one again. Each process has a folder of its own, locked
 * by the operating system; what a process leaves behind is drained by the next one that finds its folder free.
 */
export function spoolLog(platform: Pick<Platform, 'db' | 'config' | 'log' | 'clock' | 'metrics'>): VisitLog {
  const { db, config, log, clock, metrics } = platform;
  const root = join(config.dataDir, 'spool');
  const { drained, damage } = countersOf(metrics);

  let opening: Promise<Slot> | undefined;
  let own: Slot | undefined;
  let room = { isThere: true, until: 0 };
  let running: Promise<void> | undefined;
  let stopping = false;
  let wake: (() => void) | undefined;
  /** Whether something came since the last round began. */
  let hasNew = false;
  let draining: Promise<void> = Promise.resolve();
  let reported = '';
  let reportedAt = 0;
  let adoptedAt = 0;

  function stateOf(): LogState {
    const state = own?.spool.state();
    return {
      records: state?.records ?? 0,
      bytes: state?.bytes ?? 0,
      oldestAt: state?.oldest ? new Date(state.oldest) : null,
      damaged: state?.damaged ?? 0,
    };
  }

  async function hasRoom(): Promise<boolean> {
    const now = performance.now();
    if (now >= room.until) room = { isThere: !(await isAlmostFull(config.dataDir)), until: now + 1_000 };
    return room.isThere;
  }

  /** Takes a folder that no process has; undefined if someone has it. */
  async function take(folder: string): Promise<Slot | undefined> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    let release: () => void;
    try {
      release = lockFolder(folder);
    } catch (error) {
      if (/in use/.test(String(error))) return undefined;
      throw error;
    }
    try {
      const spool = await Spool.open(folder, {
        now: () => clock.now().getTime(),
        async needRoom() {
          if (!(await hasRoom())) throw Object.assign(new Error('no room for the spool'), { code: 'ENOSPC' });
        },
        onDamage({ file, bytes: size, why }) {
          damage.inc();
          log.error({ file, bytes: size, why }, 'visits in the spool could not be used');
        },
      });
      return { folder, spool, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  const open = (): Promise<Slot> => {
    opening ??= (async () => {
      for (let slot = 0; slot < MOST_SLOTS; slot++) {
        own = await take(join(root, String(slot)));
        if (own) return own;
      }
      throw new Error(`DATA_DIR: all ${MOST_SLOTS} folders in ${root} are in use`);
    })();
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };

  async function drainSpool(spool: Spool): Promise<void> {
    for (let batch = await spool.next(DRAIN_BYTES); batch; batch = await spool.next(DRAIN_BYTES)) {
      await storeRecords(db, batch.payloads, (payload, why) => spool.putAside(payload, why));
      await spool.done(batch);
      drained.inc(batch.payloads.length);
    }
  }

  /** One at a time: each batch is done before the next is read. */
  function drain(): Promise<void> {
    draining = draining.catch(() => {}).then(async () => drainSpool((await open()).spool));
    return draining;
  }

  /** Drains the folders of processes that are gone. */
  async function adopt(): Promise<void> {
    const now = performance.now();
    if (adoptedAt > 0 && now - adoptedAt < ADOPT_MS) return;
    adoptedAt = now;
    for (const name of readdirSync(root)) {
      const folder = join(root, name);
      if (!/^\d+$/.test(name) || folder === own?.folder) continue;
      const slot = await take(folder);
      if (!slot) continue;
      try {
        await drainSpool(slot.spool);
        await reportSpool(db.ingestPool, placeOf(slot), slot.spool.state(), clock.now());
      } finally {
        await slot.spool.close();
        slot.release();
      }
    }
  }

  const placeOf = ({ folder }: Slot): string => `${hostname()} ${folder}`;

  /** Tells the database what waits here, for the operator to see. */
  async function report(): Promise<void> {
    if (!own) return;
    const state = own.spool.state();
    const text = JSON.stringify(state);
    const now = performance.now();
    // Even if nothing changes, now and then, so that one that has gone silent shows.
    if (now - reportedAt < (text === reported ? 12 : 1) * REPORT_MS) return;
    reportedAt = now;
    await reportSpool(db.ingestPool, placeOf(own), state, clock.now());
    reported = text;
  }

  async function work(): Promise<void> {
    while (!stopping) {
      hasNew = false;
      try {
        await drain();
        await report();
        await adopt();
      } catch (error) {
        if (onceAMinute('spool')) log.error({ err: error }, 'visits wait in the spool');
        await Promise.race([sleep(AGAIN_MS), stopped]);
        continue;
      }
      if (hasNew) continue;
      await new Promise<void>((done) => {
        wake = done;
        setTimeout(done, AGAIN_MS).unref();
      });
    }
  }

  let isStopped: () => void = () => {};
  const stopped = new Promise<void>((done) => {
    isStopped = done;
  });

  return {
    form: 'spool',
    promise: 'flushed to this disk before the answer',
    async append(batch) {
      const { spool } = own ?? (await open());
      await spool.append(batch.map(encodeTaken));
      hasNew = true;
      wake?.();
    },
    drain,
    async notReady() {
      if (!(await hasRoom())) return 'the disk is full';
      return open().then(
        () => null,
        () => 'the spool cannot be written',
      );
    },
    state: stateOf,
    async start() {
      await open();
      running ??= work();
    },
    async stop() {
      stopping = true;
      isStopped();
      wake?.();
      await running;
      if (!own) return;
      await Promise.race([drain().then(report), sleep(LAST_DRAIN_MS, undefined, { ref: false })]).catch(
        () => {},
      );
      await own.spool.close();
      own.release();
      own = undefined;
    },
  };
}
