export type { Customer, Identity, Verdict } from './check.ts';
export { startExclusions } from './jobs.ts';
export type { Exclusions } from './service.ts';
