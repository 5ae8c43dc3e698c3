export type { Billing } from './service.ts';
export type { LeadSale, SaleRefusal, Till, TillCampaign } from './till.ts';
