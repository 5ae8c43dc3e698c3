export { type Billing, createBilling } from './service.ts';
export type { LeadSale, SaleRefusal, Till, TillCampaign } from './till.ts';
