export type { Visits } from './service.ts';
export type { NewVisit } from './store.ts';
