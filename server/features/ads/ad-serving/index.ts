export { viewerOf } from './house.service.ts';
export type { AdServing } from './service.ts';
