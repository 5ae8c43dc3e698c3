import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { digestRoutes } from './routes.ts';
import { createDigests, type Digests } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/digest',
  about: 'The weekly digest of clients and agencies by email, in sentences made of numbers.',
  tables: ['digest_choice', 'digest_sent'],
  reads: [
    'account',
    'account_balance',
    'campaign',
    'company',
    'connection',
    'delivery',
    'entry',
    'invoice',
    'lead',
    'lead_contact',
    'lead_return',
    'transfer',
    'user_account',
  ],
  create: (platform, below: Parameters<typeof createDigests>[1]) => ({
    digests: createDigests(platform, below),
  }),
  http: ({ digests }: { digests: Digests }) => ({ calls: [serve(contract.digest, digestRoutes(digests))] }),
  work: async ({ digests }: { digests: Digests }) => void (await digests.start()),
});
