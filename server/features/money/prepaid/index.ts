export { prepaidRoutes } from './routes.ts';
export { createPrepaid, type Prepaid } from './service.ts';
