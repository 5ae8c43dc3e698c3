export { addUnsubscribeRoute, reportsRoutes, unsubscribeRoute } from './routes.ts';
export { createReports } from './service.ts';
