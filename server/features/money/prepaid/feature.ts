import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { prepaidRoutes } from './routes.ts';
import { createPrepaid, type Prepaid } from './service.ts';

export const feature = defineFeature({
  name: 'money/prepaid',
  about: 'Leads that clients buy ahead for a campaign, renewed by hand or automatically.',
  tables: ['prepaid_attempt', 'prepaid_auto', 'prepaid_order', 'prepaid_refund'],
  reads: [
    'account',
    'account_balance',
    'campaign',
    'company_billing',
    'entry',
    'invoice',
    'retail_cost',
    'transfer',
  ],
  create: (platform, below: Parameters<typeof createPrepaid>[1]) => ({
    prepaid: createPrepaid(platform, below),
  }),
  http: ({ prepaid }: { prepaid: Prepaid }) => ({ calls: [serve(contract.prepaid, prepaidRoutes(prepaid))] }),
  work: async ({ prepaid }: { prepaid: Prepaid }) => void (await prepaid.auto.start()),
  exports,
});
