import type { z } from 'zod';
import { industryName } from '../../../../contract/accounts/questionnaire.ts';
import type { Onboarding, SetupCheck } from '../../../../contract/accounts/setup.ts';
import type { SessionUser } from '../../../../contract/accounts/users.ts';
import { MODULES } from '../../../../contract/choices.ts';
import { dollarsOf } from '../../../../contract/primitives.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Platform } from '../../../platform/platform.ts';
import { mayReadOutbox } from '../../operations/outbox/index.ts';
import { type CompanyCard, pathOfPicture } from '../tenants/index.ts';
import { type PersonRow, toRows } from '../users/index.ts';
import { createSetupChanges } from './change.service.ts';
import { createFacts, type Facts, type SetupParts } from './facts.service.ts';
import * as policy from './person.policy.ts';
import { createProfile } from './profile.service.ts';
import { createRoles } from './roles.service.ts';

export type Setup = ReturnType<typeof createSetup>;

type Colors = Pick<
  CompanyCard,
  'box_bgcolor' | 'text_color' | 'link_color' | 'template_bgcolor' | 'sidebar_bgcolor' | 'font_theme'
>;
const colorsOf = (from: Colors): Colors => ({
  box_bgcolor: from.box_bgcolor,
  text_color: from.text_color,
  link_color: from.link_color,
  template_bgcolor: from.template_bgcolor,
  sidebar_bgcolor: from.sidebar_bgcolor,
  font_theme: from.font_theme,
});

/** The signed-in user with everything their pages need, and how far along their setup is. */
export function createSetup(platform: Platform, parts: SetupParts) {
  const { tenants, auth, billing } = parts;
  const facts = createFacts(platform, parts);

  async function sessionUser(ctx: Ctx, known: Facts): Promise<SessionUser> {
    const { person, company, parent, products, account } = known;
    const isRoot = company.kind === 'root';
    // View mode applies only to the signed-in user; a person looked up by id is just that person.
    const isSelf = person.id === ctx.actor.userId;
    const behind = isSelf ? ctx.actor.trueActor : null;
    const view = behind && (await auth.view.about(ctx));
    const type = auth.userType(company.kind, person.role);
    // A client's pages use its agency's brand.
    const door = await tenants.frontDoor(company.kind === 'client' ? company.parent_id! : company.id);
    return {
      id: person.id,
      name: person.name,
      email: person.email,
      user_type: type,
      true_user_type: behind ? auth.userType(behind.kind, behind.grade.split('.')[1] ?? '') : type,
      system_user: isRoot,
      is_root: isRoot,
      is_master: known.root.is_master,
      in_view_mode: behind !== null,
      view:
        behind && view
          ? {
              by_name: behind.name,
              as_name: person.name,
              reason: view.reason,
              expires_at: view.expiresAt.toISOString(),
            }
          : null,
      user_permissions: permissionsOf(person),
      true_permissions: known.behind ? permissionsOf(known.behind) : [],
      module_permissions: (isSelf ? ctx.actor.modules : null) ?? toRows(isSelf ? null : person.rights),
      factor_needed:
        isSelf && !behind && ctx.actor.needsFactor ? 'now' : known.factorMissing ? 'later' : 'no',
      factor_from: known.factorMissing?.toISOString() ?? null,
      permission_active: person.permission_active ? 'T' : 'F',
      profile_setup_completed: person.profile_done ? 'T' : 'F',
      questionnaire_setup_completed: person.questionnaire_done ? 'T' : 'F',
      ip: known.lastIp,
      picture_url: person.picture && `/profile-picture/${person.picture}`,
      phone: person.phone,
      phone_country: person.phone_country,
      phone_calling: person.phone_calling,
      address: person.address,
      city: person.city,
      zip: person.zip,
      country_code: person.country_code,
      state_code: person.state_code,
      company_id: company.id,
      company_kind: company.kind,
      company_name: company.name,
      company_logo: logoOf(company),
      ...contactOf(company),
      parent_id: company.parent_id,
      root_id: company.root_id,
      parent_name: parent?.name ?? '',
      parent_logo: parent && logoOf(parent),
      shown_logo: pictureOf(company.logo ?? (company.kind === 'client' ? (parent?.logo ?? null) : null)),
      industry_id: person.industry_id ?? '',
      industry_name: industryName(person.industry_id),
      franchise: person.franchise ? 'T' : 'F',
      franchise_director: person.franchise_director ? 'T' : 'F',
      office_manager: person.office_manager ? 'T' : 'F',
      team: supportOf(parent ?? company, known.care.above),
      contact: supportOf(company, known.care.own),
      role_id: person.role_id,
      role_name: person.role_name ?? '',
      is_account_executive: person.is_account_executive ? 'T' : 'F',
      card_id: known.card?.id ?? '',
      manual_bill: known.agency.manual_bill ? 'T' : 'F',
      modules: products.own.modules.join('|'),
      account_status: account.status,
      charges_enabled: account.charges_enabled,
      payouts_enabled: account.payouts_enabled,
      ...colorsOf(door),
      time_zone: company.time_zone,
      // In a sales person's view mode, fewer permissions than the owner's.
      grade: isSelf ? ctx.actor.grade : auth.gradeOf(company.kind, person.role),
      ...policy.modulePairs(door.modules, products.own.modules),
    };
  }

  function setupCheck(ctx: Ctx, known: Facts): Inside<z.output<typeof SetupCheck>> {
    const { company, parent, root, products, beginnings, account, own, agency, agencyAgreed } = known;
    const isBeginning = (module: string) => !beginnings.modules || beginnings.modules.includes(module);
    const labels = new Map<string, string>(MODULES.map(({ module, name }) => [module, name]));
    return {
      beta_user: products.isBetaUser,
      beta_features: products.betas,
      // A client whose payment has failed is sent back to the card step (spec product 4, Client setup).
      setup_complete: facts.missingOf(known).length === 0 && !isUnpaidClient(known) ? 'T' : 'F',
      access: company.kind === 'root' ? '' : own.access_module,
      agency_access: agency.access_module,
      payment_failed: own.payment_status === 'failed',
      account_status: account.status,
      account_requirements: account.requirements,
      package_id: agency.package_id,
      gateway: billing.accounts.gateway(),
      card_set: Boolean(known.card),
      client_sidebar: company.kind === 'client' ? products.own.modules : [],
      campaigns_closed: own.campaigns_closed,
      // Nothing is charged until payments are built, so no campaign's first payment is due.
      first_campaign_id: '',
      first_amount: '0.00',
      ...onboardingOf(known.onboarding),
      minimum_spend: {
        status: known.hasMinimumSpend,
        agreed_v2: agencyAgreed.has('minimum_spend_v2'),
        agreed_v3: agencyAgreed.has('minimum_spend_v3'),
      },
      api_mode: agency.api_mode ? 'T' : 'F',
      modules: products.root.modules,
      agency_modules: products.agency.modules,
      menu_modules: products.agency.modules,
      hidden_menu: known.hiddenMenu,
      white_labelling: agency.white_labelling ? 'T' : 'F',
      parent_colors: colorsOf(parent ?? root),
      default_terms: products.root.terms
        .filter((term) => !beginnings.terms || beginnings.terms.includes(term))
        .map((term) => ({ value: term, label: term })),
      default_modules: products.root.modules.filter(isBeginning).map((module) => ({
        value: module,
        label: labels.get(module) ?? module,
      })),
      wallet_agreed: agencyAgreed.has('data_wallet'),
      outbox: !ctx.actor.trueActor && mayReadOutbox(platform.config, ctx.actor.grade),
      onboarding_waiting: facts.missingOf(known).includes('onboarding'),
      agreement_missing: facts.missingOf(known).includes('agreement'),
    };
  }

  return {
    /** Returns a person in the actor's scope, or the actor (spec product 3, Session user). */
    user: async (ctx: Ctx, userId?: string): Promise<SessionUser> =>
      sessionUser(ctx, await facts.of(ctx, userId)),
    /** Returns how far along a person's setup is. */
    check: async (ctx: Ctx, userId?: string) => setupCheck(ctx, await facts.of(ctx, userId)),
    async userAndCheck(ctx: Ctx) {
      const known = await facts.of(ctx, undefined);
      return { user: await sessionUser(ctx, known), setup: setupCheck(ctx, known) };
    },
    async onboarding(ctx: Ctx, userId: string): Promise<Inside<z.output<typeof Onboarding>>> {
      const { onboarding } = await facts.of(ctx, userId);
      return {
        ...onboardingOf(onboarding),
        onboarding_charged: onboarding?.isCharged ?? false,
        onboarding_due: dollarsOf(onboarding?.dueMicros ?? 0n),
        onboarding_invoice_id: onboarding?.invoiceId ?? null,
      };
    },
    isReady: facts.isReady,
    ...createSetupChanges(platform, parts, facts),
    roles: createRoles(platform, parts),
    profile: createProfile(platform, parts),
    confirmEmail: auth.emails.confirm,
    stopEmail: auth.emails.stop,
    emailPending: auth.emails.pending,
    picture: tenants.profilePicture,
  };
}

const isUnpaidClient = ({ company, own }: Facts): boolean =>
  company.kind === 'client' && own.access_module === 'paymentfailed';

const onboardingOf = (onboarding: Facts['onboarding']) => ({
  onboarding_on: onboarding?.isOn ?? false,
  onboarding_price: dollarsOf(onboarding?.amountMicros ?? 0n),
  enable_coupon: onboarding?.couponsOn ?? false,
});

const pictureOf = (logo: CompanyCard['logo']) =>
  logo && { url: pathOfPicture(logo), width: logo.width, height: logo.height };

const logoOf = (company: CompanyCard): string | null => company.logo && pathOfPicture(company.logo);

const permissionsOf = (person: PersonRow) =>
  person.permissions.map((one) => ({
    name: one.name,
    permission_active: one.active && person.permission_active ? ('T' as const) : ('F' as const),
  }));

/** Returns a company's details as the session user includes them. */
const contactOf = (company: CompanyCard) => ({
  company_phone: company.phone ?? '',
  company_email: company.email ?? '',
  company_address: company.address ?? '',
  company_city: company.city ?? '',
  company_zip: company.zip ?? '',
  company_state_code: company.state_code ?? '',
  company_country_code: company.country_code ?? '',
});

/** Returns whom to contact at a company: its named contact, or the company itself. */
const supportOf = ({ name, email, phone }: CompanyCard, care: Facts['care']['own']) =>
  care
    ? { name: care.name, email: care.email, phone: care.phone && `${care.phone_calling}${care.phone}` }
    : { name, email: email ?? '', phone: phone ?? '' };
