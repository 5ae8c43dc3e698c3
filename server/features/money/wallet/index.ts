export type { OpenLot } from './policy.ts';
export type { ToppedUp, Wallet, WalletOwner } from './service.ts';
