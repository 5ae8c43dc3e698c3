export type { Setup } from './service.ts';
