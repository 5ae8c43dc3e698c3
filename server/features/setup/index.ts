export { profileRoutes } from './profile.routes.ts';
export { rolesRoutes, salesRoutes, setupRoutes } from './routes.ts';
export { createSetup, type Setup } from './service.ts';
