import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { createPastBilling, type PastBilling } from './past.service.ts';
import { companyImportPlain, companyImportRoutes, pastBillingRoutes } from './routes.ts';
import { createImportRuns, type ImportRuns } from './runs.service.ts';
import { createCompanyImports } from './service.ts';

type Below = Parameters<typeof createCompanyImports>[1] &
  Omit<Parameters<typeof createImportRuns>[1], 'imports'>;

export const feature = defineFeature({
  name: 'accounts/company-imports',
  about: 'Imports of full exports into this installation, and their comparison with what is here.',
  tables: ['company_import', 'company_import_row', 'company_import_run'],
  // Besides all tables of tables.ts, which it only inserts into.
  reads: [
    'account',
    'account_balance',
    'campaign',
    'company',
    'company_export',
    'domain',
    'password_reset',
    'user_account',
  ],
  create: (platform, below: Below) => {
    const companyImports = createCompanyImports(platform, below);
    return {
      companyImports,
      importRuns: createImportRuns(platform, { ...below, imports: companyImports }),
      pastBilling: createPastBilling(platform, below),
    };
  },
  http: ({ importRuns, pastBilling }: { importRuns: ImportRuns; pastBilling: PastBilling }) => ({
    calls: [
      serve(contract.companyImports, companyImportRoutes(importRuns)),
      serve(contract.pastBilling, pastBillingRoutes(pastBilling)),
    ],
    plain: companyImportPlain(importRuns, pastBilling),
  }),
  work: async ({ importRuns }: { importRuns: ImportRuns }) => void (await importRuns.work()),
  exports,
});
