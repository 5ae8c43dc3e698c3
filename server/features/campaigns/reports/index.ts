export type { Reports } from './service.ts';
