export { refuse } from './policy.ts';
export type { Companies } from './service.ts';
