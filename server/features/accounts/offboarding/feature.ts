import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { offboardingRoutes } from './routes.ts';
import { createOffboarding, type Offboarding } from './service.ts';

export const feature = defineFeature({
  name: 'accounts/offboarding',
  about: 'The end of a client’s relationship with its agency, as a checklist that settles what is left.',
  tables: ['offboarding'],
  reads: [
    'account',
    'account_balance',
    'campaign',
    'charge',
    'company',
    'connection',
    'delivery',
    'refund',
    'user_account',
  ],
  create: (platform, below: Parameters<typeof createOffboarding>[1]) => ({
    offboarding: createOffboarding(platform, below),
  }),
  http: ({ offboarding }: { offboarding: Offboarding }) => ({
    calls: [serve(contract.offboarding, offboardingRoutes(offboarding))],
  }),
  work: async ({ offboarding }: { offboarding: Offboarding }) => void (await offboarding.work()),
  exports,
});
