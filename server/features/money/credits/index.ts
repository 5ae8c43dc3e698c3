export type { Credits } from './service.ts';
