import { z } from 'zod';
import { AccountState } from './people.ts';
import { Flag } from './primitives.ts';

/** Campaign modules (spec product 1). */
export const MODULES = ['local', 'locator', 'enhance', 'b2b', 'simplifi'] as const;
export const Module = z.enum(MODULES);

/** A feature in trial (BETA-01). Seen only if is_beta and (for all agencies, or a beta user). */
export const BetaFeature = z.object({
  id: z.int(),
  name: z.string(),
  slug: z.enum(['data_wallet', 'b2b_module', 'simplifi_module']),
  is_beta: z.boolean(),
  apply_to_all_agency: z.boolean(),
});

const Choice = z.object({ value: z.string(), label: z.string() });

/** How far a person's set-up is, and what follows from it (spec product 3, Setup-check response). */
export const SetupCheck = z.object({
  isBeta: z.boolean().describe('Whether the agency is among the beta users'),
  betaFeature: z.array(BetaFeature),
  setupcomplete: Flag,
  accessmodule: z.enum(['', 'paymentfailed']).describe("The client's own access"),
  accessmodule_agency: z.enum(['', 'paymentfailed']).describe("The agency's access"),
  paymentStatusFailed: z.boolean(),
  accountconnected: AccountState.describe("The agency's connected account"),
  account_requirements: z.array(z.string()),
  package_id: z.string().describe('Empty while the agency has chosen none'),
  paymentgateway: z.enum(['stripe', 'sandbox', 'none']).describe('stripe and sandbox are card providers'),
  card_set: z.boolean().describe('Whether a card is on file'),
  clientsidebar: z.array(Module).describe('Modules that the client has'),
  client_add_campaign_disabled: z.boolean(),
  fcampid: z.string().describe('The campaign whose first payment is due; empty: none'),
  finamt: z.string().describe('The amount due, in US dollars'),
  agency_onboarding_status: z.boolean().describe('Whether the agency pays (or paid) an onboarding charge'),
  agency_onboarding_price: z.string(),
  agency_enable_coupon: z.boolean(),
  minspend_setting: z.object({
    status: z.boolean(),
    isAgreementV2: z.boolean(),
    isAgreementV3: z.boolean(),
  }),
  api_mode: Flag,
  modules: z.array(Module).describe('Modules that the root has'),
  agencyFilteredModules: z.array(Module).describe('Modules that the agency may use'),
  agency_side_menu: z.array(Module),
  is_whitelabeling: Flag,
  colors_parent: z.record(z.string(), z.string().nullable()).describe("The parent's colours"),
  rootPaymentTermsNewAgencies: z.array(Choice),
  agencyDefaultModules: z.array(Choice),
  isDataWalletAgree: z.boolean(),
});
export type SetupCheck = z.output<typeof SetupCheck>;
