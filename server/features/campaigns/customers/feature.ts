import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { customersRoutes } from './routes.ts';
import { type Customers, createCustomers } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/customers',
  about:
    'Known customers: never charged for, with alerts when they are back, and refreshed from a connected CRM.',
  tables: ['customer_visit'],
  reads: ['campaign', 'exclusion_list'],
  create: (platform, below: Parameters<typeof createCustomers>[1]) => ({
    customers: createCustomers(platform, below),
  }),
  http: ({ customers }: { customers: Customers }) => ({
    calls: [serve(contract.customers, customersRoutes(customers))],
  }),
  work: async ({ customers }: { customers: Customers }) => void (await customers.start()),
  exports,
});
