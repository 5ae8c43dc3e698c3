export type { Offboarding } from './service.ts';
