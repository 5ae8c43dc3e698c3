import type { ContractRouterClient } from '@orpc/contract';
import { access } from './access.ts';
import { agreements } from './agreements.ts';
import { background } from './background.ts';
import { campaignMore } from './campaign-more.ts';
import { campaigns } from './campaigns.ts';
import { companies } from './companies.ts';
import { connections } from './connections.ts';
import { costs } from './costs.ts';
import { credits } from './credits.ts';
import { delivery } from './delivery.ts';
import { developer } from './developer.ts';
import { documents } from './documents.ts';
import { enrichment } from './enrichment.ts';
import { exclusions } from './exclusions.ts';
import { groups } from './groups.ts';
import { held } from './held.ts';
import { identity } from './identity.ts';
import { insight } from './insight.ts';
import { intent } from './intent.ts';
import { collection, invoices } from './invoices.ts';
import { leads } from './leads.ts';
import { caps, ledger } from './ledger.ts';
import { margins } from './margins.ts';
import { minspend } from './minspend.ts';
import { onboarding } from './onboarding.ts';
import { outbox } from './outbox.ts';
import { payments } from './payments.ts';
import { prepaid } from './prepaid.ts';
import { profile } from './profile.ts';
import { reports } from './reports.ts';
import { roles } from './roles.ts';
import { roots } from './roots.ts';
import { sales } from './sales.ts';
import { search } from './search.ts';
import { settings } from './settings.ts';
import { setup } from './setup.ts';
import { taxes } from './taxes.ts';
import { tenants } from './tenants.ts';
import { wallet } from './wallet.ts';

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
