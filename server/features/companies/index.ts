export { rootsRoutes } from './roots.service.ts';
export { companiesRoutes, companyDetails } from './routes.ts';
export { searchRoutes } from './search.service.ts';
export { type Companies, createCompanies } from './service.ts';
export { createStaff } from './staff.service.ts';
