import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { accountJob, askJob, compareJob, giveBackJob, noticesJob, sendJob } from './queue.ts';
import type { Payments } from './service.ts';

/** How often the process looks for due work; everything else depends on the clock. */
const TICK_MS = 5_000;

/** Starts sending intents, checking unknown outcomes, handling notices and the daily comparison. */
export async function startPayments(
  payments: Payments,
  tenants: Tenants,
  { jobs, log }: Pick<Platform, 'jobs' | 'log'>,
): Promise<{ stop(): Promise<void> }> {
  await jobs.work(
    sendJob,
    { pollingIntervalSeconds: 2, localConcurrency: 4 },
    async ({ rootId, chargeId }) => {
      await payments.core.ask(rootId, chargeId);
    },
  );
  await jobs.work(giveBackJob, { pollingIntervalSeconds: 5 }, (payload) => payments.giveBack(payload));
  // The queue's minute timer picks up what a dead process left behind; this process has its own timer of a few seconds.
  await jobs.work(askJob, { pollingIntervalSeconds: 15 }, () => payments.askDue());
  await jobs.work(noticesJob, { pollingIntervalSeconds: 15 }, () => payments.attendNotices());
  await jobs.work(compareJob, { pollingIntervalSeconds: 60 }, () =>
    tenants.eachRoot((rootId) => payments.checks.compare(rootId)),
  );
  await jobs.work(accountJob, { pollingIntervalSeconds: 60 }, (payload) =>
    payments.accounts.takeDue(payload),
  );
  await jobs.schedule(askJob, '* * * * *', {});
  await jobs.schedule(noticesJob, '* * * * *', {});
  await jobs.schedule(compareJob, '17 4 * * *', {});

  let busy: Promise<void> = Promise.resolve();
  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    busy = (async () => {
      await payments.attendNotices();
      await payments.askDue();
    })()
      .catch((error) => log.error({ err: error }, 'payment maintenance failed'))
      .finally(() => {
        running = false;
      });
  }, TICK_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await busy;
    },
  };
}
