import type { ContractRouterClient } from '@orpc/contract';
import { agreements } from './accounts/agreements.ts';
import { auth } from './accounts/auth.ts';
import { companies } from './accounts/companies.ts';
import { documents } from './accounts/documents.ts';
import { profile } from './accounts/profile.ts';
import { roles } from './accounts/roles.ts';
import { roots } from './accounts/roots.ts';
import { sales } from './accounts/sales.ts';
import { search } from './accounts/search.ts';
import { settings } from './accounts/settings.ts';
import { setup } from './accounts/setup.ts';
import { tenants } from './accounts/tenants.ts';
import { views } from './accounts/views.ts';
import { enrichment } from './audience/enrichment.ts';
import { exclusions } from './audience/exclusions.ts';
import { people } from './audience/people.ts';
import { signals } from './audience/signals.ts';
import { analytics } from './campaigns/analytics.ts';
import { campaignMore } from './campaigns/campaign-more.ts';
import { campaigns } from './campaigns/campaigns.ts';
import { connections } from './campaigns/connections.ts';
import { delivery, spreadsheets } from './campaigns/delivery.ts';
import { groups } from './campaigns/groups.ts';
import { held } from './campaigns/held.ts';
import { leads } from './campaigns/leads.ts';
import { reports } from './campaigns/reports.ts';
import { developer } from './developer/developer.ts';
import { credits } from './money/credits.ts';
import { dataWallet } from './money/data-wallet.ts';
import { dunning, invoices } from './money/invoices.ts';
import { ledger, spendingLimits } from './money/ledger.ts';
import { margins } from './money/margins.ts';
import { minimumSpend } from './money/minimum-spend.ts';
import { onboardingCharge } from './money/onboarding-charge.ts';
import { payments } from './money/payments.ts';
import { prepaid } from './money/prepaid.ts';
import { pricing } from './money/pricing.ts';
import { taxes } from './money/taxes.ts';
import { backgroundJobs } from './operations/jobs.ts';
import { outbox } from './operations/outbox.ts';

/** Every call of the product, by feature. */
export const contract = {
  auth,
  tenants,
  settings,
  setup,
  profile,
  roles,
  sales,
  documents,
  agreements,
  campaigns,
  campaignMore,
  groups,
  prepaid,
  companies,
  pricing,
  credits,
  taxes,
  leads,
  reports,
  connections,
  delivery,
  spreadsheets,
  developer,
  enrichment,
  exclusions,
  backgroundJobs,
  people,
  analytics,
  signals,
  ledger,
  spendingLimits,
  margins,
  held,
  minimumSpend,
  onboardingCharge,
  outbox,
  roots,
  search,
  views,
  dataWallet,
  payments,
  invoices,
  dunning,
};

/** The calls as the web client sees them. */
export type Client = ContractRouterClient<typeof contract>;
