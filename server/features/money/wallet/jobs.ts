import { z } from 'zod';
import { defineJob, type Jobs } from '../../../platform/jobs.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Wallet } from './service.ts';

/** Books expired lots and sends the notices before expiry. */
const sweepJob = defineJob('wallet.sweep', z.object({}));

/** Starts the feature's background work. */
export async function startWallet(wallet: Wallet, tenants: Tenants, jobs: Jobs): Promise<void> {
  await jobs.work(sweepJob, { pollingIntervalSeconds: 60 }, () =>
    tenants.eachRoot((rootId) => wallet.sweep(rootId)),
  );
  await jobs.schedule(sweepJob, '1 * * * *', {});
}
