export { type MinimumSpendOf, marketingRoutes } from './marketing.routes.ts';
export { documentsRoutes } from './routes.ts';
export { type Agreements, createAgreements } from './service.ts';
