export type { Spend } from './policy.ts';
export type { LockedCap, Spender, SpendingLimits } from './service.ts';
