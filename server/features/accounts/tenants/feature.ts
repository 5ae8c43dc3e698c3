import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { type Accounts, tenantsRoutes } from './routes.ts';
import { createTenants, type Tenants } from './service.ts';

export const feature = defineFeature({
  name: 'accounts/tenants',
  about: 'Companies as tenants: the tree of roots, agencies, and clients, their hosts, brands, and products.',
  tables: [
    'beta_feature',
    'beta_user',
    'brand',
    'company',
    'company_products',
    'domain',
    'module_label',
    'picture',
  ],
  reads: ['campaign', 'setting'],
  create: (platform) => ({ tenants: createTenants(platform) }),
  http({ tenants, billing }: { tenants: Tenants; billing: { accounts: Accounts } }, platform) {
    const { handlers, plain } = tenantsRoutes(tenants, platform, billing.accounts);
    return { calls: [serve(contract.tenants, handlers)], plain };
  },
});
