import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { salesListRoutes } from './routes.ts';
import { createSales, type Sales } from './service.ts';

type DetailsOf = Parameters<typeof salesListRoutes>[1];

export const feature = defineFeature({
  name: 'accounts/sales',
  about: 'Salespeople and the companies assigned to them.',
  tables: ['sales_assignment'],
  reads: ['company', 'user_account'],
  create: (platform, below: Parameters<typeof createSales>[1]) => ({ sales: createSales(platform, below) }),
  http: ({ sales, companies }: { sales: Sales; companies: { detailsOf: DetailsOf } }) => ({
    calls: [serve(contract.sales, salesListRoutes(sales, companies.detailsOf))],
  }),
  exports,
});
