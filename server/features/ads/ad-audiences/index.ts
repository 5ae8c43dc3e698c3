export { COUNTED, WHOLE } from './policy.ts';
export type { AdAudiences, Aim } from './service.ts';
