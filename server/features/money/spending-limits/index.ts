export type { Spend } from './policy.ts';
export type { LeftOfLimit, LockedCap, Spender, SpendingLimits } from './service.ts';
