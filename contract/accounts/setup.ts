import { z } from 'zod';
import { call } from '../base.ts';
import { Card } from '../money/payments.ts';
import { Done, Flag, Id } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import { AGENCY_ENTRIES } from './sidebar.ts';
import { AccountState, SessionUser } from './users.ts';

/** Campaign modules (spec product 1). */
export const MODULES = ['local', 'locator', 'enhance', 'b2b', 'simplifi'] as const;
export const Module = z.enum(MODULES);
export type Module = Inside<z.output<typeof Module>>;

/** A feature in trial (BETA-01). Visible only if is_beta and (for all agencies, or a beta user). */
export const BetaFeature = z.object({
  id: z.int(),
  name: z.string(),
  slug: z.enum(['data_wallet', 'b2b_module', 'simplifi_module']),
  is_beta: z.boolean(),
  apply_to_all_agency: z.boolean(),
});

const Choice = z.object({ value: z.string(), label: z.string() });

/** A user's setup progress, and what follows from it (spec product 3, Setup-check response). */
export const SetupCheck = z.object({
  isBeta: z.boolean().describe('Whether the agency is a beta user'),
  betaFeature: z.array(BetaFeature),
  setupcomplete: Flag,
  accessmodule: z.enum(['', 'paymentfailed']).describe('Access of the client itself'),
  accessmodule_agency: z.enum(['', 'paymentfailed']).describe('Access of the agency'),
  paymentStatusFailed: z.boolean(),
  accountconnected: AccountState.describe('Connected account of the agency'),
  account_requirements: z.array(z.string()),
  package_id: z.string().describe('Empty until the agency has chosen one'),
  paymentgateway: z.enum(['stripe', 'sandbox', 'none']).describe('stripe and sandbox are card providers'),
  card_set: z.boolean().describe('Whether a card is on file'),
  clientsidebar: z.array(Module).describe('Modules the client has'),
  client_add_campaign_disabled: z.boolean(),
  fcampid: z.string().describe('The campaign whose first payment is due; empty: none'),
  finamt: z.string().describe('The amount due, in US dollars'),
  agency_onboarding_status: z.boolean().describe('Whether the agency pays or has paid an onboarding charge'),
  agency_onboarding_price: z.string(),
  agency_enable_coupon: z.boolean(),
  minspend_setting: z.object({
    status: z.boolean(),
    isAgreementV2: z.boolean(),
    isAgreementV3: z.boolean(),
  }),
  api_mode: Flag,
  modules: z.array(Module).describe('Modules the root has'),
  agencyFilteredModules: z.array(Module).describe('Modules the agency can use'),
  agency_side_menu: z.array(Module),
  hidden_menu: z
    .array(z.enum(AGENCY_ENTRIES))
    .describe('Sidebar entries hidden by the company above (settings agencysidebar, clientsidebar)'),
  is_whitelabeling: Flag,
  colors_parent: z.record(z.string(), z.string().nullable()).describe("The parent's colors"),
  rootPaymentTermsNewAgencies: z.array(Choice),
  agencyDefaultModules: z.array(Choice),
  isDataWalletAgree: z.boolean(),
  onboarding_waiting: z.boolean().describe('Whether setup is waiting for the onboarding charge to be paid'),
  outbox: z
    .boolean()
    .describe('Whether you can read this platform’s emails in the outbox because it has no mail server'),
  agreement_missing: z
    .boolean()
    .describe('Whether the agreement for this kind of company has yet to be accepted'),
});
export type SetupCheck = Inside<z.output<typeof SetupCheck>>;

/** The status of an agency's onboarding charge. */
export const Onboarding = z.object({
  agency_onboarding_status: z.boolean(),
  agency_onboarding_price: z.string().describe('US dollars'),
  agency_enable_coupon: z.boolean(),
  is_onboard_charged: z.boolean(),
  onboarding_due: z.string().describe('Amount due in US dollars, less any coupon used'),
  onboarding_invoice_id: Id.nullable().describe('Its invoice, once requested'),
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

/** The steps of the sandbox account, which replace the forms at a real provider. */
export const SandboxStep = z.enum(['start', 'submit', 'approve', 'reject', 'disable', 'reset']);

const ofPerson = z.object({ id: Id });

export const setup = {
  user: call
    .route({ method: 'GET', path: '/user', tags: ['Users'], summary: 'Returns the signed-in user' })
    .meta({ access: 'session.own', beforeFactor: true, salesView: true })
    .output(SessionUser),
  retrieveUserData: call
    .route({
      method: 'GET',
      path: '/user/retrieve',
      tags: ['Users'],
      summary: 'Returns the signed-in user with their setup check in one call',
    })
    .meta({ access: 'session.own', beforeFactor: true, salesView: true })
    .output(z.object({ user: SessionUser, setup: SetupCheck })),
  userById: call
    .route({
      method: 'GET',
      path: '/user/{id}',
      tags: ['Users'],
      summary: 'Returns a user: yourself, or with person.read anyone in your scope',
    })
    .meta({ access: 'session.own', salesView: true })
    .input(ofPerson)
    .output(SessionUser),
  getUserData: call
    .route({
      method: 'POST',
      path: '/user/getuserdata',
      tags: ['Users'],
      summary: 'Returns the same by {usrID}; without it, returns yourself',
    })
    .meta({ access: 'session.own', salesView: true })
    .input(z.object({ usrID: Id.optional() }))
    .output(SessionUser),
  check: call
    .route({
      method: 'GET',
      path: '/user/checksetupcomplete/{id}',
      tags: ['Set-up'],
      summary: "Returns how far along a user's setup is, and what follows from it",
    })
    .meta({ access: 'session.own', salesView: true })
    .input(ofPerson)
    .output(SetupCheck),
  onboarding: call
    .route({
      method: 'GET',
      path: '/user/onboarding-status/{id}',
      tags: ['Set-up'],
      summary: "Returns the onboarding charge of a user's agency",
    })
    .meta({ access: 'session.own' })
    .input(ofPerson)
    .output(Onboarding),
  complete: call
    .route({
      method: 'PUT',
      path: '/leadspeek/user/setupcomplete',
      tags: ['Set-up'],
      summary: 'Completes your profile; refused if a required field is missing, naming the field',
    })
    .meta({ access: 'account.own' })
    .input(z.object({ usrID: Id.optional() }))
    .output(
      z.object({
        ...Done.shape,
        setupcomplete: Flag,
        missing: z
          .array(z.enum(['profile', 'card', 'agreement', 'onboarding']))
          .describe('Steps that setupcomplete is waiting for'),
      }),
    ),
  sandboxCard: call
    .route({
      method: 'PUT',
      path: '/payment/sandbox-card',
      tags: ['Sandbox'],
      summary: "Puts the sandbox's card on file; only while no payment provider is configured",
    })
    .meta({ access: 'card.write', notInView: true })
    .input(z.object({ outcome: z.enum(['works', 'declines']).default('works') }))
    .output(z.object({ ...Done.shape, card: Card })),
  sandboxAccount: call
    .route({
      method: 'POST',
      path: '/general/sandbox-account/{step}',
      tags: ['Sandbox'],
      summary: "Moves the agency's account to the next step; only while no payment provider is configured",
    })
    .meta({ access: 'account.write', notInView: true })
    .input(z.object({ step: SandboxStep }))
    .output(z.object({ ...Done.shape, status_acc: AccountState })),
  agree: call
    .route({
      method: 'POST',
      path: '/general/agreement/confirm',
      tags: ['Agreements'],
      summary: 'Accepts the newest version of a document for your company',
    })
    .meta({ access: 'agreement.accept', notInView: true })
    .input(
      z.object({
        document_type: DocumentType,
        agreed: Flag.describe('The box beside the words. Must be T, or the request is refused'),
        read_to_end: Flag.describe('Whether the text was read to its end. Must be T'),
        text_hash: z
          .string()
          .max(64)
          .describe('That of the text that was read. Refused if the text has changed since'),
        timezone: z
          .string()
          .max(64, 'must not exceed 64 characters')
          .default('')
          .describe('Yours, IANA name'),
      }),
    )
    .output(z.object({ ...Done.shape, status: z.literal('T'), version: z.string() })),
  agreement: call
    .route({
      method: 'GET',
      path: '/general/agreement/{document_type}',
      tags: ['Agreements'],
      summary: 'Returns whether your company has accepted the current version of a document',
    })
    .meta({ access: 'session.own' })
    .input(z.object({ document_type: DocumentType }))
    .output(z.object({ status: Flag, version: z.string() })),
};
