import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Ledger } from './service.ts';

const snapshotJob = defineJob('ledger.snapshot', z.object({}));

/** Starts recording balances and sales by day (docs/money.md, Snapshots). */
export async function snapshotJobs(
  { db, clock, jobs }: Platform,
  ledger: Ledger,
  tenants: Tenants,
): Promise<void> {
  await jobs.work(snapshotJob, { pollingIntervalSeconds: 60 }, () =>
    tenants.eachRoot(async (rootId) => {
      await ledger.snapshot(db.app, rootId, clock.now());
      await ledger.sumSales(db.app, rootId, clock.now());
    }),
  );
  await jobs.schedule(snapshotJob, '41 * * * *', {});
}
