import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { returnsRoutes } from './routes.ts';
import { createReturns, type Returns } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/returns',
  about: 'Returns: leads that clients return, what is known about them, and what their agency decides.',
  tables: ['return_request'],
  reads: [
    'campaign',
    'campaign_conversion',
    'company',
    'credit',
    'delivery',
    'do_not_call',
    'integration',
    'lead',
    'lead_contact',
    'person',
  ],
  create: (platform, below: Parameters<typeof createReturns>[1]) => ({
    returns: createReturns(platform, below),
  }),
  http: ({ returns }: { returns: Returns }) => ({ calls: [serve(contract.returns, returnsRoutes(returns))] }),
  exports,
});
