export { isPrompt, limitSince, reportSpan } from './period.policy.ts';
export type { Campaigns } from './service.ts';
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
