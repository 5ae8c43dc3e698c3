import { defineFeature } from '../../../platform/feature.ts';
import { createCompanyImports } from './service.ts';

export const feature = defineFeature({
  name: 'accounts/company-imports',
  about: 'Imports of full exports into this installation, and their comparison with what is here.',
  tables: ['company_import', 'company_import_row'],
  // Besides all tables of tables.ts, which it only inserts into.
  reads: ['account', 'account_balance', 'campaign', 'company', 'domain', 'user_account'],
  create: (platform, below: Parameters<typeof createCompanyImports>[1]) => ({
    companyImports: createCompanyImports(platform, below),
  }),
});
