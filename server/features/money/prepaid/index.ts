export type { Prepaid } from './service.ts';
