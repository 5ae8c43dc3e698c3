import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import type { Payments } from '../payments/index.ts';
import { dataWalletRoutes } from './routes.ts';
import { createDataWallet, type DataWallet } from './service.ts';

export const feature = defineFeature({
  name: 'money/data-wallet',
  about: 'An agency’s Data Wallet: top-ups by card, by hand or automatic, and their history.',
  tables: ['wallet_attempt', 'wallet_setting'],
  reads: ['wallet_lot'],
  create: (
    platform,
    below: Omit<Parameters<typeof createDataWallet>[1], 'charges'> & { payments: Payments },
  ) => ({
    dataWallet: createDataWallet(platform, { ...below, charges: below.payments.charges }),
  }),
  http({ dataWallet }: { dataWallet: DataWallet }) {
    const { handlers, plain } = dataWalletRoutes(dataWallet);
    return { calls: [serve(contract.dataWallet, handlers)], plain };
  },
  work: async ({ dataWallet }: { dataWallet: DataWallet }) => void (await dataWallet.auto.start()),
});
