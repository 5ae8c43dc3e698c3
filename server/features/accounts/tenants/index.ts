export type { Products } from './products.service.ts';
export type { CompanyCard } from './products.store.ts';
export { frontDoorOf } from './routes.ts';
export { createTenants, type NewCompany, pathOfPicture, scopeOfNewRoot, type Tenants } from './service.ts';
