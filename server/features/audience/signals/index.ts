export type { Signals } from './service.ts';
