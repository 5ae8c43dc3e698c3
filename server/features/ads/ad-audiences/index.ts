export type { AdAudiences, Aim } from './service.ts';
