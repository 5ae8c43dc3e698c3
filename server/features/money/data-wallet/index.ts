export { type Auto, BUSY_MS, onDeclined, periodOf } from './policy.ts';
export { dataWalletRoutes } from './routes.ts';
export { createDataWallet, type DataWallet } from './service.ts';
