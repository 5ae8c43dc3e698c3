export { leadsRoutes } from './routes.ts';
export { createLeads, type Leads } from './service.ts';
