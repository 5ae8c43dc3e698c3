export { salesListRoutes, salesNames } from './routes.ts';
export { createSales, type Sales } from './service.ts';
