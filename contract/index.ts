import type { ContractRouterClient } from '@orpc/contract';
import { agreements } from './accounts/agreements.ts';
import { access } from './accounts/auth.ts';
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
import { enrichment } from './audience/enrichment.ts';
import { exclusions } from './audience/exclusions.ts';
import { identity } from './audience/people.ts';
import { intent } from './audience/signals.ts';
import { insight } from './campaigns/analytics.ts';
import { campaignMore } from './campaigns/campaign-more.ts';
import { campaigns } from './campaigns/campaigns.ts';
import { connections } from './campaigns/connections.ts';
import { delivery } from './campaigns/delivery.ts';
import { groups } from './campaigns/groups.ts';
import { held } from './campaigns/held.ts';
import { leads } from './campaigns/leads.ts';
import { reports } from './campaigns/reports.ts';
import { developer } from './developer/developer.ts';
import { credits } from './money/credits.ts';
import { wallet } from './money/data-wallet.ts';
import { collection, invoices } from './money/invoices.ts';
import { caps, ledger } from './money/ledger.ts';
import { margins } from './money/margins.ts';
import { minspend } from './money/minimum-spend.ts';
import { onboarding } from './money/onboarding-charge.ts';
import { payments } from './money/payments.ts';
import { prepaid } from './money/prepaid.ts';
import { costs } from './money/pricing.ts';
import { taxes } from './money/taxes.ts';
import { background } from './operations/jobs.ts';
import { outbox } from './operations/outbox.ts';

/** Every call of the product, by feature. */
export const contract = {
  access,
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
  costs,
  credits,
  taxes,
  leads,
  reports,
  connections,
  delivery,
  developer,
  enrichment,
  exclusions,
  background,
  identity,
  insight,
  intent,
  ledger,
  caps,
  margins,
  held,
  minspend,
  onboarding,
  outbox,
  roots,
  search,
  wallet,
  payments,
  invoices,
  collection,
};

/** The calls as the web client sees them. */
export type Client = ContractRouterClient<typeof contract>;
