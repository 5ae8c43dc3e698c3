export type { Settings } from './service.ts';
