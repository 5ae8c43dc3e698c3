export { type BillEvents, createMinimumSpend, type MinimumSpend } from './service.ts';
