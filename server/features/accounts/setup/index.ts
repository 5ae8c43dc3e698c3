export { profileRoutes } from './profile.routes.ts';
export { rolesRoutes, setupRoutes } from './routes.ts';
export { createSetup, type Setup } from './service.ts';
