export { startTaxes } from './jobs.ts';
export { taxesRoutes } from './routes.ts';
export { createTaxes, type Taxes } from './service.ts';
