export { searchRoutes } from './service.ts';
