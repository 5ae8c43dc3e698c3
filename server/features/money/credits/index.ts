export type { Blocked, Credits } from './service.ts';
