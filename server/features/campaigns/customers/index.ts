export type { Customers } from './service.ts';
