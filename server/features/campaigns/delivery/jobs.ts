import { resumeJob, sendJob } from './queue.ts';
import type { Delivery } from './service.ts';

/** Concurrent attempts in this process; only one of them on each lane. */
const AT_ONCE = 256;

/** Starts sending what is due. An endpoint that hangs occupies one of the 256 slots; the others stay available. */
export async function startDelivery(delivery: Delivery): Promise<void> {
  await delivery.jobs.workTogether(sendJob, { atOnce: AT_ONCE }, (payload) => delivery.attempt(payload));
  await delivery.jobs.work(resumeJob, {}, (payload) => delivery.resume(payload));
}
