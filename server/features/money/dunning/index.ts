export { dunningRoutes } from './routes.ts';
export { createDunning, type Dunning } from './service.ts';
