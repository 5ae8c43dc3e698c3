import { z } from 'zod';
import { call } from './base.ts';
import { Card } from './payments.ts';
import { AccountState, SessionUser } from './people.ts';
import { Done, Flag, Id } from './primitives.ts';
import { AGENCY_ENTRIES } from './sidebar.ts';

/** Campaign modules (spec product 1). */
export const MODULES = ['local', 'locator', 'enhance', 'b2b', 'simplifi'] as const;
export const Module = z.enum(MODULES);
export type Module = z.output<typeof Module>;

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
  hidden_menu: z
    .array(z.enum(AGENCY_ENTRIES))
    .describe(
      'Entries of the sidebar that the company above does not show (settings agencysidebar, clientsidebar)',
    ),
  is_whitelabeling: Flag,
  colors_parent: z.record(z.string(), z.string().nullable()).describe("The parent's colours"),
  rootPaymentTermsNewAgencies: z.array(Choice),
  agencyDefaultModules: z.array(Choice),
  isDataWalletAgree: z.boolean(),
  onboarding_waiting: z.boolean().describe('Whether the set-up waits for the onboarding charge to be paid'),
  agreement_missing: z.boolean().describe("Whether the agreement of the company's kind waits to be accepted"),
});
export type SetupCheck = z.output<typeof SetupCheck>;

/** How an agency stands with the onboarding charge. */
export const Onboarding = z.object({
  agency_onboarding_status: z.boolean(),
  agency_onboarding_price: z.string().describe('US dollars'),
  agency_enable_coupon: z.boolean(),
  is_onboard_charged: z.boolean(),
  onboarding_due: z.string().describe('US dollars still to be paid, less a coupon that was used'),
  onboarding_invoice_id: Id.nullable().describe('Its invoice, once it has been asked for'),
});

/** Documents that a company accepts (spec product 3), and those of features in trial. */
export const DOCUMENTS = [
  'default_agency',
  'default_client',
  'minimum_spend',
  'minimum_spend_v2',
  'minimum_spend_v3',
  'developer',
  'data_wallet',
  'b2b_module',
  'simplifi_module',
] as const;
export const DocumentType = z.enum(DOCUMENTS);

/** Steps of the sandbox's account, in place of the forms at a real provider. */
export const SandboxStep = z.enum(['start', 'submit', 'approve', 'reject', 'disable', 'reset']);

const ofPerson = z.object({ id: Id });

export const setup = {
  user: call
    .route({ method: 'GET', path: '/user', tags: ['Person'], summary: 'The signed-in person' })
    .meta({ access: 'session.own', beforeFactor: true })
    .output(SessionUser),
  retrieveUserData: call
    .route({
      method: 'GET',
      path: '/user/retrieve',
      tags: ['Person'],
      summary: 'The signed-in person with their set-up check, in one call',
    })
    .meta({ access: 'session.own', beforeFactor: true })
    .output(z.object({ user: SessionUser, setup: SetupCheck })),
  userById: call
    .route({
      method: 'GET',
      path: '/user/{id}',
      tags: ['Person'],
      summary: 'A person: oneself, or with person.read anybody of the own scope',
    })
    .meta({ access: 'session.own' })
    .input(ofPerson)
    .output(SessionUser),
  getUserData: call
    .route({
      method: 'POST',
      path: '/user/getuserdata',
      tags: ['Person'],
      summary: 'The same by {usrID}; without it, oneself',
    })
    .meta({ access: 'session.own', salesView: true })
    .input(z.object({ usrID: Id.optional() }))
    .output(SessionUser),
  check: call
    .route({
      method: 'GET',
      path: '/user/checksetupcomplete/{id}',
      tags: ['Set-up'],
      summary: "How far a person's set-up is, and what follows from it",
    })
    .meta({ access: 'session.own' })
    .input(ofPerson)
    .output(SetupCheck),
  onboarding: call
    .route({
      method: 'GET',
      path: '/user/onboarding-status/{id}',
      tags: ['Set-up'],
      summary: "The onboarding charge of a person's agency",
    })
    .meta({ access: 'session.own' })
    .input(ofPerson)
    .output(Onboarding),
  complete: call
    .route({
      method: 'PUT',
      path: '/leadspeek/user/setupcomplete',
      tags: ['Set-up'],
      summary: 'Finish the own profile; refused while something required is missing, naming it',
    })
    .meta({ access: 'session.own' })
    .input(z.object({ usrID: Id.optional() }))
    .output(
      z.object({
        ...Done.shape,
        setupcomplete: Flag,
        missing: z
          .array(z.enum(['profile', 'card', 'agreement', 'onboarding']))
          .describe('What setupcomplete waits for'),
      }),
    ),
  sandboxCard: call
    .route({
      method: 'PUT',
      path: '/payment/sandbox-card',
      tags: ['Sandbox'],
      summary: "Put the sandbox's card on file; only while no payment provider is configured",
    })
    .meta({ access: 'card.write', notInView: true })
    .input(z.object({ outcome: z.enum(['works', 'declines']).default('works') }))
    .output(z.object({ ...Done.shape, card: Card })),
  sandboxAccount: call
    .route({
      method: 'POST',
      path: '/general/sandbox-account/{step}',
      tags: ['Sandbox'],
      summary: "Take the agency's account a step on; only while no payment provider is configured",
    })
    .meta({ access: 'account.write', notInView: true })
    .input(z.object({ step: SandboxStep }))
    .output(z.object({ ...Done.shape, status_acc: AccountState })),
  agree: call
    .route({
      method: 'POST',
      path: '/general/agreement/confirm',
      tags: ['Agreements'],
      summary: 'Accept the present version of a document for the own company',
    })
    .meta({ access: 'agreement.accept', notInView: true })
    .input(z.object({ document_type: DocumentType }))
    .output(z.object({ ...Done.shape, status: z.literal('T'), version: z.string() })),
  agreement: call
    .route({
      method: 'GET',
      path: '/general/agreement/{document_type}',
      tags: ['Agreements'],
      summary: 'Whether the own company has accepted the present version of a document',
    })
    .meta({ access: 'session.own' })
    .input(z.object({ document_type: DocumentType }))
    .output(z.object({ status: Flag, version: z.string() })),
};
