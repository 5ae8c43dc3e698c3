import { z } from 'zod';
import { defineJob } from '../../platform/jobs.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Campaigns } from '../campaigns/index.ts';
import { createIngest } from './ingest.ts';
import { createSignUps } from './signups.ts';
import * as store from './store.ts';

const DAY_MS = 86_400_000;
/** Partitions are made so many days ahead. */
const AHEAD = 7;
/** Hosts whose visits were refused are remembered so many days. */
const FOREIGN_DAYS = 30;

export const keepPartitions = defineJob('visits.partitions', z.object({}), { retryLimit: 10 });

export type Visits = ReturnType<typeof createVisits>;

/** The log of visits: taking them in, and giving them to whoever resolves them. */
export function createVisits(platform: Platform, deps: { audit: Audit; campaigns: Campaigns }) {
  const { db, clock, config, jobs, log } = platform;
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

  const signUps = createSignUps(platform, deps);

  return {
    ingest: createIngest(platform, deps.campaigns),
    signUps,
    take: store.takePending,
    settle: store.settle,
    rootsWithPending: () => store.rootsWithPending(db.app),

    /** Makes the partitions of the coming days (and of `back` days past), and drops those past retention. */
    async keepPartitions(back = 2): Promise<void> {
      const now = clock.now().getTime();
      await store.ensurePartitions(db.app, dayOf(now - back * DAY_MS), dayOf(now + AHEAD * DAY_MS));
      const dropped = await store.dropPartitions(db.app, dayOf(now - config.visitRetentionDays * DAY_MS));
      await store.forgetForeignHosts(db.app, dayOf(now - FOREIGN_DAYS * DAY_MS));
      await signUps.forget();
      if (dropped > 0) log.info({ dropped }, 'visit partitions past retention dropped');
    },

    /** Registers the daily upkeep of a worker. */
    async start(): Promise<void> {
      await jobs.work(keepPartitions, {}, () => this.keepPartitions());
      await jobs.schedule(keepPartitions, '17 * * * *', {});
    },
  };
}
