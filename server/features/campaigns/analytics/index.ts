export { insightRoutes } from './service.ts';
