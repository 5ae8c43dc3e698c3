import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { companyExportPlain, companyExportRoutes } from './routes.ts';
import { type CompanyExports, createCompanyExports } from './service.ts';

export const feature = defineFeature({
  name: 'accounts/company-exports',
  about: 'Full exports of a client, or of an agency with its clients, as one archive.',
  tables: ['company_export'],
  // Besides all tables of tables.ts, whose owners tables.test.ts holds against it.
  reads: [
    'account',
    'audience',
    'campaign',
    'company',
    'connection',
    'delivery',
    'entry',
    'integration',
    'user_account',
  ],
  create: (platform, below: Parameters<typeof createCompanyExports>[1]) => ({
    companyExports: createCompanyExports(platform, below),
  }),
  http: ({ companyExports }: { companyExports: CompanyExports }) => ({
    calls: [serve(contract.companyExports, companyExportRoutes(companyExports))],
    plain: companyExportPlain(companyExports),
  }),
  work: async ({ companyExports }: { companyExports: CompanyExports }) => void (await companyExports.work()),
});
