export { type Billing, createBilling } from './service.ts';
