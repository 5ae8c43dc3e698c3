export { refuse } from './policy.ts';
export { companiesRoutes, companyDetails } from './routes.ts';
export { type Companies, createCompanies } from './service.ts';
export { createStaff } from './staff.service.ts';
