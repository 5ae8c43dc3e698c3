export { createReports } from './service.ts';
