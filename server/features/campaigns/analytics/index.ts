export { analyticsRoutes } from './service.ts';
