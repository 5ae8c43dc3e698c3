export { createTenants, type NewCompany, scopeOfNewRoot, type Tenants, tenantsRoutes } from './service.ts';
