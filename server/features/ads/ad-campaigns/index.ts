export { imagePath } from './creative.service.ts';
export { bidOf, costsOf, dayIn, type Rates, REPORT_DAYS, type Told } from './policy.ts';
export type { AdCampaigns, AdRow } from './service.ts';
export type { Bought, Noticed, Wanted } from './spend.service.ts';
