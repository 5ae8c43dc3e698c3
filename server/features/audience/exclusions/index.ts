export type { Identity, Verdict } from './check.ts';
export { startExclusions } from './jobs.ts';
export { exclusionsRoutes } from './routes.ts';
export { createExclusions, type Exclusions } from './service.ts';
