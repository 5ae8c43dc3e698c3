export { startMinimumSpend } from './jobs.ts';
export { minspendRoutes } from './routes.ts';
export { type BillEvents, createMinimumSpend, type MinimumSpend } from './service.ts';
