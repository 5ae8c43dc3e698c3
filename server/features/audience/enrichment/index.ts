export { withNames } from './policy.ts';
export type { Enrichment } from './service.ts';
