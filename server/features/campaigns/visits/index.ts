export { isBot } from './policy.ts';
export { createRates } from './rate.policy.ts';
export type { Visits } from './service.ts';
export type { NewVisit } from './store.ts';
