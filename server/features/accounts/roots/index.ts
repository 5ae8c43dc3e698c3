export { rootsRoutes } from './service.ts';
