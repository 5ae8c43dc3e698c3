export type { Spend } from './policy.ts';
export { capsRoutes } from './routes.ts';
export { type Caps, createCaps, type LockedCap, type Spender } from './service.ts';
