export { startWallet } from './jobs.ts';
export type { OpenLot } from './policy.ts';
export { createWallet, type ToppedUp, type Wallet, type WalletOwner } from './service.ts';
