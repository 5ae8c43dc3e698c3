export { startMinimumSpend } from './jobs.ts';
export { minimumSpendRoutes } from './routes.ts';
export { type BillEvents, createMinimumSpend, type MinimumSpend } from './service.ts';
