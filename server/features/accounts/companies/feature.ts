import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { companiesRoutes, companyDetails } from './routes.ts';
import { type Companies, changedJob, createCompanies } from './service.ts';
import { createStaff } from './staff.service.ts';

export const feature = defineFeature({
  name: 'accounts/companies',
  about: 'Agencies, clients, and their staff as lists and forms.',
  tables: [],
  reads: [
    'account',
    'account_balance',
    'agreement_acceptance',
    'beta_user',
    'campaign',
    'company',
    'company_billing',
    'company_products',
    'connected_account',
    'developer_key',
    'domain',
    'domain_claim',
    'invoice',
    'lead',
    'minspend_choice',
    'minspend_plan',
    'module_label',
    'password_reset',
    'payment_card',
    'prepaid_attempt',
    'prepaid_auto',
    'role',
    'sales_assignment',
    'user_account',
    'user_factor',
    'wallet_attempt',
    'wallet_setting',
  ],
  create(platform, below: Parameters<typeof createCompanies>[1] & Parameters<typeof createStaff>[1]) {
    const companies = createCompanies(platform, below);
    return {
      companies: { ...companies, detailsOf: companyDetails(companies) },
      staff: createStaff(platform, below),
    };
  },
  http: ({ companies, staff }: { companies: Companies; staff: ReturnType<typeof createStaff> }) => ({
    calls: [serve(contract.companies, companiesRoutes(companies, staff))],
  }),
  work: async ({ companies }: { companies: Companies }, { jobs }) =>
    void (await jobs.work(
      changedJob,
      { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2 },
      (payload) => companies.noteChange(payload),
    )),
  exports,
});
