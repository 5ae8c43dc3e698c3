import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { clientTransferRoutes } from './routes.ts';
import { type ClientTransfers, createClientTransfers } from './service.ts';

export const feature = defineFeature({
  name: 'accounts/client-transfers',
  about: 'The transfer of a client between two agencies of a root, once both and the client agree.',
  tables: ['client_transfer', 'client_transfer_id', 'lead_bill'],
  // What moves is written by a function of the database, table by table (tables.ts).
  reads: [
    'ad_campaign',
    'audience',
    'campaign',
    'charge',
    'company',
    'company_export',
    'exclusion_list',
    'offboarding',
    'refund',
    'retail_cost',
    'return_request',
    'wholesale_cost',
  ],
  create: (platform, below: Parameters<typeof createClientTransfers>[1]) => ({
    clientTransfers: createClientTransfers(platform, below),
  }),
  http: ({ clientTransfers }: { clientTransfers: ClientTransfers }) => ({
    calls: [serve(contract.clientTransfers, clientTransferRoutes(clientTransfers))],
  }),
  work: async ({ clientTransfers }: { clientTransfers: ClientTransfers }) =>
    void (await clientTransfers.work()),
  exports,
});
