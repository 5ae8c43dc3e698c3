export { createGroups, groupsRoutes } from './groups.service.ts';
export { startCampaigns } from './jobs.ts';
export { isPrompt, limitSince, reportSpan } from './period.policy.ts';
export { campaignMoreRoutes, campaignsRoutes } from './routes.ts';
export { type Campaigns, createCampaigns } from './service.ts';
export type { HourRow, RefusalRow, Site } from './store.ts';
export {
  ANYBODY,
  type Audience,
  audienceWire,
  formsOf,
  type GivenAudience,
  type GivenSearch,
  isSearch,
  locationWords,
  readAudience,
  readSearch,
  type Search,
  type SearchModule,
} from './target.policy.ts';
