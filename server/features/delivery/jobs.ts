import { sendJob } from './queue.ts';
import type { Delivery } from './service.ts';

/** Attempts under way at once in this process; of those, one to each endpoint. */
const AT_ONCE = 32;

/** Starts sending what is due. An endpoint that hangs keeps one of the 32 places; the others are everybody's. */
export async function startDelivery(delivery: Delivery): Promise<void> {
  await delivery.jobs.work(
    sendJob,
    {
      localConcurrency: AT_ONCE,
      localGroupConcurrency: 1,
      pollingIntervalSeconds: 2,
      // New jobs are announced; retries fall due unannounced.
      notifyPollingIntervalSeconds: 2,
    },
    (payload) => delivery.attempt(payload),
  );
}
