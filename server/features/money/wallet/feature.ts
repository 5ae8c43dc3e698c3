import { defineFeature } from '../../../platform/feature.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { startWallet } from './jobs.ts';
import { createWallet, type Wallet } from './service.ts';

export const feature = defineFeature({
  name: 'money/wallet',
  about: 'Prepaid balances in lots that expire, and what is taken from them.',
  tables: ['wallet_lot'],
  reads: ['campaign', 'company', 'entry', 'transfer'],
  create: (platform, below: Parameters<typeof createWallet>[1]) => ({
    wallet: createWallet(platform, below),
  }),
  work: async ({ wallet, tenants }: { wallet: Wallet; tenants: Tenants }, { jobs }) =>
    void (await startWallet(wallet, tenants, jobs)),
});
