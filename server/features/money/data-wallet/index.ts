export { type Auto, BUSY_MS, byHand, onDeclined, onGaveBack, periodOf } from './policy.ts';
export type { DataWallet } from './service.ts';
