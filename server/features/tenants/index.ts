export { tenantsRoutes } from './routes.ts';
export { createTenants, type NewCompany, pathOfPicture, scopeOfNewRoot, type Tenants } from './service.ts';
