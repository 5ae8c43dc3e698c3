import { join } from 'node:path';
import { z } from 'zod';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { Retention } from '../../operations/retention/index.ts';
import type { Campaigns } from '../campaigns/index.ts';
import { eraseVisits } from './erase.store.ts';
import { createIngest } from './ingest.ts';
import { jetStreamLog } from './log.jetstream.ts';
import { spoolLog } from './log.spool.ts';
import { databaseLog, measureLog } from './log.ts';
import { createSignUps } from './signups.ts';
import { createSites } from './sites.ts';
import * as store from './store.ts';
import { createTrust } from './trust.service.ts';

const DAY_MS = 86_400_000;
/** How many days ahead partitions are created. */
const AHEAD = 7;
/** How many days of visits one transaction drops: each partition takes locks for itself and its indexes. */
const DROPPED = 10;
/** How many days the hosts of refused visits are kept. */
const FOREIGN_DAYS = 30;

export const keepPartitions = defineJob('visits.partitions', z.object({}), { retryLimit: 10 });

export type Visits = ReturnType<typeof createVisits>;

/** The visit log: accepts visits and passes them on for resolution. */
export function createVisits(
  platform: Platform,
  deps: {
    audit: Audit;
    campaigns: Campaigns;
    limits: Limits;
    notices: Notices;
    tenants: Tenants;
    retention: Retention;
  },
) {
  const { db, clock, config, jobs, log } = platform;
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

  const trust = createTrust(platform, deps);
  const visitLog =
    config.visitLog === 'jetstream' && config.nats
      ? jetStreamLog(platform, config.nats)
      : config.visitLog === 'spool'
        ? spoolLog(platform)
        : databaseLog(platform);
  measureLog(platform, visitLog);
  const sites = createSites(
    { byKey: deps.campaigns.siteByKey, after: deps.campaigns.sitesAfter },
    log,
    config.visitLog !== 'database' ? join(config.dataDir, 'spool', 'sites.json') : undefined,
  );
  const signUps = createSignUps(platform, { ...deps, trust });
  deps.retention.keep('visits', {
    of: 'platform',
    count: async (tx, _, before, most) => (await store.oldDays(tx, dayOf(before.getTime()), most)).length,
    async remove(tx, _, before) {
      const old = await store.oldDays(tx, dayOf(before.getTime()), DROPPED);
      return old.length === 0 ? 0 : store.dropPartitions(tx, dayOf(Date.parse(old.at(-1)!) + DAY_MS));
    },
  });

  return {
    ingest: createIngest(platform, visitLog, sites),
    visitLog,
    signUps,
    trust,
    take: store.takePending,
    takeFailed: store.takeFailed,
    settle: store.settle,
    /**
     * Makes the visits of these people nobody's, and the sign-ups by hashes of their addresses (a byte for the kind, then
     * the digest). In the root's scope. Returns how many visits there were.
     */
    erase: async (
      tx: Tx,
      rootId: string,
      people: readonly string[],
      hashes: readonly Buffer[],
    ): Promise<number> => (await eraseVisits(tx, rootId, people)) + (await signUps.erase(tx, rootId, hashes)),
    rootsWithPending: () => store.rootsWithPending(db.app),

    /** Creates the partitions for the coming days (and for `back` past days), and deletes what hosts and sign-ups left. */
    async keepPartitions(back = 2): Promise<void> {
      const now = clock.now().getTime();
      await store.ensurePartitions(db.app, dayOf(now - back * DAY_MS), dayOf(now + AHEAD * DAY_MS));
      await store.forgetForeignHosts(db.app, dayOf(now - FOREIGN_DAYS * DAY_MS));
      await signUps.forget();
    },

    /** What the spools of all processes hold, for the master root; no one else sees them. */
    spools: (ctx: Ctx) => inScope(db.app, ctx.scope, store.spools),

    /** Begins what the role ingest does in the background; returns what ends it. */
    async startIngest(): Promise<() => Promise<void>> {
      await visitLog.start();
      await sites.start();
      return async () => {
        sites.stop();
        await visitLog.stop();
      };
    },

    /** Registers the jobs of a worker. */
    async start(): Promise<void> {
      await jobs.work(keepPartitions, {}, () => this.keepPartitions());
      await trust.start();
      await jobs.schedule(keepPartitions, '17 * * * *', {});
    },
  };
}
