export { startDelivery } from './jobs.ts';
export { ANSWER_BYTES, alertOf, judge, type Outcome, TEST_EVERY_MS, TIMEOUT_MS } from './policy.ts';
export { hoursFrom, opensAt } from './rules.policy.ts';
export type { Counted as Webhook, Delivery, DeliveryDeps } from './service.ts';
export { newMessageId, newSecret, signedHeaders } from './sign.ts';
export { createSlowness } from './slow.ts';
