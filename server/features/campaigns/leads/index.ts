export { type Refused, sourceShown, windowStart } from './policy.ts';
export type { Asking } from './preview.ts';
export type { ReadLead } from './read.service.ts';
export type { Leads } from './service.ts';
