export { dataWalletRoutes } from './routes.ts';
export { createDataWallet, type DataWallet } from './service.ts';
