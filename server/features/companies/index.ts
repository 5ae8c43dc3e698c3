export { companiesRoutes } from './routes.ts';
export { type Companies, createCompanies } from './service.ts';
