export type { Privacy } from './service.ts';
