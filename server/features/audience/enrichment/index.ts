export { withNames } from './policy.ts';
export { enrichmentRoutes } from './routes.ts';
export { createEnrichment, type Enrichment } from './service.ts';
