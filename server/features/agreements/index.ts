export { documentsRoutes } from './routes.ts';
export { type Agreements, createAgreements } from './service.ts';
