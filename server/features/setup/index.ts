export { rolesRoutes, setupRoutes } from './routes.ts';
export { createSetup, type Setup } from './service.ts';
