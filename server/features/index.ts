import { feature as agreements } from './accounts/agreements/feature.ts';
import { feature as audit } from './accounts/audit/feature.ts';
import { feature as auth } from './accounts/auth/feature.ts';
import { feature as clientTransfers } from './accounts/client-transfers/feature.ts';
import { feature as companies } from './accounts/companies/feature.ts';
import { feature as companyExports } from './accounts/company-exports/feature.ts';
import { feature as companyImports } from './accounts/company-imports/feature.ts';
import { feature as logs } from './accounts/logs/feature.ts';
import { feature as offboarding } from './accounts/offboarding/feature.ts';
import { feature as roots } from './accounts/roots/feature.ts';
import { feature as sales } from './accounts/sales/feature.ts';
import { feature as search } from './accounts/search/feature.ts';
import { feature as settings } from './accounts/settings/feature.ts';
import { feature as setup } from './accounts/setup/feature.ts';
import { feature as tenants } from './accounts/tenants/feature.ts';
import { feature as users } from './accounts/users/feature.ts';
import { feature as views } from './accounts/views/feature.ts';
import { feature as adAttribution } from './ads/ad-attribution/feature.ts';
import { feature as adAudiences } from './ads/ad-audiences/feature.ts';
import { feature as adCampaigns } from './ads/ad-campaigns/feature.ts';
import { feature as adServing } from './ads/ad-serving/feature.ts';
import { feature as banners } from './ads/banners/feature.ts';
import { feature as drop } from './audience/drop/feature.ts';
import { feature as enrichment } from './audience/enrichment/feature.ts';
import { feature as exclusions } from './audience/exclusions/feature.ts';
import { feature as keywords } from './audience/keywords/feature.ts';
import { feature as people } from './audience/people/feature.ts';
import { feature as privacy } from './audience/privacy/feature.ts';
import { feature as signals } from './audience/signals/feature.ts';
import { feature as alerts } from './campaigns/alerts/feature.ts';
import { feature as analytics } from './campaigns/analytics/feature.ts';
import { feature as campaigns } from './campaigns/campaigns/feature.ts';
import { feature as connections } from './campaigns/connections/feature.ts';
import { feature as customers } from './campaigns/customers/feature.ts';
import { feature as delivery } from './campaigns/delivery/feature.ts';
import { feature as digest } from './campaigns/digest/feature.ts';
import { feature as leads } from './campaigns/leads/feature.ts';
import { feature as pixel } from './campaigns/pixel/feature.ts';
import { feature as reports } from './campaigns/reports/feature.ts';
import { feature as returns } from './campaigns/returns/feature.ts';
import { feature as silence } from './campaigns/silence/feature.ts';
import { feature as templates } from './campaigns/templates/feature.ts';
import { feature as viewExports } from './campaigns/view-exports/feature.ts';
import { feature as visits } from './campaigns/visits/feature.ts';
import { feature as developer } from './developer/api/feature.ts';
import { feature as billing } from './money/billing/feature.ts';
import { feature as credits } from './money/credits/feature.ts';
import { feature as dataWallet } from './money/data-wallet/feature.ts';
import { feature as dunning } from './money/dunning/feature.ts';
import { feature as invoices } from './money/invoices/feature.ts';
import { feature as ledger } from './money/ledger/feature.ts';
import { feature as margins } from './money/margins/feature.ts';
import { feature as minimumSpend } from './money/minimum-spend/feature.ts';
import { feature as onboardingCharge } from './money/onboarding-charge/feature.ts';
import { feature as payments } from './money/payments/feature.ts';
import { feature as prepaid } from './money/prepaid/feature.ts';
import { feature as pricing } from './money/pricing/feature.ts';
import { feature as reportAnalytics } from './money/report-analytics/feature.ts';
import { feature as reportSchedules } from './money/report-schedules/feature.ts';
import { feature as spendingLimits } from './money/spending-limits/feature.ts';
import { feature as taxes } from './money/taxes/feature.ts';
import { feature as wallet } from './money/wallet/feature.ts';
import { feature as backgroundJobs } from './operations/jobs/feature.ts';
import { feature as outbox } from './operations/outbox/feature.ts';
import { feature as retention } from './operations/retention/feature.ts';

/**
 * Every feature, from low to high: each may use only those before it (`npm run check`). A new feature is its folder, and
 * its line here.
 */
export const FEATURES = [
  tenants,
  users,
  audit,
  views,
  backgroundJobs,
  outbox,
  retention,
  sales,
  auth,
  pricing,
  taxes,
  settings,
  ledger,
  payments,
  spendingLimits,
  wallet,
  billing,
  invoices,
  agreements,
  minimumSpend,
  onboardingCharge,
  dataWallet,
  setup,
  keywords,
  people,
  exclusions,
  enrichment,
  campaigns,
  margins,
  prepaid,
  dunning,
  credits,
  companies,
  logs,
  roots,
  search,
  visits,
  pixel,
  connections,
  customers,
  leads,
  signals,
  delivery,
  returns,
  alerts,
  reports,
  digest,
  silence,
  viewExports,
  templates,
  offboarding,
  adAudiences,
  privacy,
  drop,
  developer,
  analytics,
  reportAnalytics,
  reportSchedules,
  adCampaigns,
  banners,
  adServing,
  adAttribution,
  companyExports,
  companyImports,
  clientTransfers,
] as const;
