export { type Allowed, sampleOf, withNames } from './policy.ts';
export { enrichmentRoutes } from './routes.ts';
export { createEnrichment, type Enrichment } from './service.ts';
