export type { Spend } from './policy.ts';
export { spendingLimitsRoutes } from './routes.ts';
export { createSpendingLimits, type LockedCap, type Spender, type SpendingLimits } from './service.ts';
