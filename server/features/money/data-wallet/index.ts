export { type Auto, BUSY_MS, onDeclined, periodOf } from './policy.ts';
export type { DataWallet } from './service.ts';
