export type { Keeper, Retention } from './service.ts';
