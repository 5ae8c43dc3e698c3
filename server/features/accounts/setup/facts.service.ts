import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Billing } from '../../money/billing/index.ts';
import type { MinimumSpend } from '../../money/minimum-spend/index.ts';
import type { OnboardingCharges, OnboardingState } from '../../money/onboarding-charge/index.ts';
import type { Agreements } from '../agreements/index.ts';
import type { Audit } from '../audit/index.ts';
import type { Auth } from '../auth/index.ts';
import type { Settings } from '../settings/index.ts';
import type { CompanyCard, Products, Tenants } from '../tenants/index.ts';
import type { PersonRow, Users } from '../users/index.ts';
import * as policy from './person.policy.ts';

/** The features this one depends on. */
export interface SetupParts {
  tenants: Tenants;
  users: Users;
  audit: Audit;
  auth: Auth;
  settings: Settings;
  billing: Billing;
  agreements: Agreements;
  minimumSpend: MinimumSpend;
  onboardingCharge: OnboardingCharges;
}

/** All the facts that the session user and the setup check are built from, read once. */
export interface Facts {
  person: PersonRow;
  company: CompanyCard;
  /** The parent company; null for a root. */
  parent: CompanyCard | null;
  root: CompanyCard;
  products: Products;
  /** The defaults for new agencies of the root; null: everything that it has. */
  beginnings: Awaited<ReturnType<Tenants['products']['defaultsOf']>>;
  /** The sidebar items that the parent company hides. */
  hiddenMenu: Awaited<ReturnType<Settings['hiddenMenu']>>;
  card: Awaited<ReturnType<Billing['accounts']['card']>>;
  /** The agency's account, also for a client; for a sales person, their own. */
  account: Awaited<ReturnType<Billing['accounts']['connected']>>;
  own: Awaited<ReturnType<Billing['accounts']['terms']>>;
  agency: Awaited<ReturnType<Billing['accounts']['terms']>>;
  agreed: Awaited<ReturnType<Agreements['accepted']>>;
  agencyAgreed: Awaited<ReturnType<Agreements['accepted']>>;
  /** Whether the agency has a minimum spend. */
  hasMinimumSpend: boolean;
  /** The state of the agency's onboarding charge; null if there is no agency. */
  onboarding: OnboardingState | null;
  lastIp: string | null;
  /** Since when the person has lacked a required second factor; null if none is missing. */
  factorMissing: Date | null;
  /**
   * The contacts for the company's own people and for those of the companies directly below; undefined if no contact is
   * set.
   */
  care: { own: Care; above: Care };
  /** In view mode, the real user behind the session; `person` is the one being viewed. */
  behind: PersonRow | null;
}

type Care = Awaited<ReturnType<Users['customerCare']>>;

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
export type FactsReader = ReturnType<typeof createFacts>;

/** Reads the facts about a person and the companies above them. */
export function createFacts({ db }: Platform, parts: SetupParts) {
  const { tenants, users, auth, settings, billing, agreements, minimumSpend, onboardingCharge } = parts;
  const { accounts } = billing;

  /**
   * Returns the id of the person in question. Users may always ask about themselves, and with person.read about others
   * in their scope.
   * @throws Refusal 403 without that permission, 404 for a person outside the scope
   */
  async function wanted(ctx: Ctx, userId: string | undefined): Promise<string> {
    if (!userId || userId === ctx.actor.userId) return ctx.actor.userId;
    ctx.need('person.read');
    const seen = await inScope(db.app, ctx.scope, (tx) => users.byId(tx, userId));
    return seen?.id ?? missing();
  }

  /** Reads in the scope of the whole root, since much of the data belongs to the companies above. */
  async function within(tx: Tx, userId: string, behindId: string | null = null): Promise<Facts> {
    const person = (await users.person(tx, userId)) ?? missing();
    const company = (await tenants.card(tx, person.company_id)) ?? missing();
    const parent = company.parent_id ? ((await tenants.card(tx, company.parent_id)) ?? null) : null;
    const root =
      company.root_id === company.id ? company : ((await tenants.card(tx, company.root_id)) ?? missing());
    const agencyId = company.agency_id;
    const own = await accounts.terms(tx, company.id);
    const agreed = await agreements.accepted(tx, company.id);
    const isClient = company.kind === 'client';
    return {
      person,
      company,
      parent,
      root,
      products: await tenants.products.of(tx, company, root.is_master),
      beginnings: await tenants.products.defaultsOf(tx, company.root_id),
      hiddenMenu: await settings.hiddenMenu(tx, company),
      card: await accounts.card(tx, company.id),
      account:
        person.role === 'sales'
          ? await accounts.ofSales(tx, person.id)
          : await accounts.connected(tx, agencyId ?? company.id),
      own,
      agency: isClient && agencyId ? await accounts.terms(tx, agencyId) : own,
      agreed,
      agencyAgreed: isClient && agencyId ? await agreements.accepted(tx, agencyId) : agreed,
      // Clients do not see what their agency owes.
      hasMinimumSpend:
        company.kind === 'agency' && (await minimumSpend.applies(tx, company.root_id, company.id)),
      onboarding: company.kind === 'agency' ? await onboardingCharge.stateOf(tx, company.id) : null,
      lastIp: await auth.lastAddress(tx, userId),
      care: {
        own: await users.customerCare(tx, company.id),
        above: await users.customerCare(tx, (parent ?? company).id),
      },
      factorMissing: await auth.factorMissing(tx, userId),
      behind: behindId ? ((await users.person(tx, behindId)) ?? null) : null,
    };
  }

  /** Returns what setup_complete is waiting for. */
  function missingOf({ person, company, card, agency, agreed, onboarding }: Facts) {
    const document = agreements.requiredOf(company.kind);
    return policy.missingOfSetup({
      profileDone: person.profile_done,
      cardRequired: policy.cardRequired({
        kind: company.kind,
        role: person.role,
        gateway: accounts.gateway(),
        manualBill: agency.manual_bill,
        onboardingOn: onboarding?.isOn ?? false,
      }),
      cardSet: Boolean(card),
      agreementRequired: document !== null && person.role !== 'sales',
      agreed: document !== null && agreed.has(document),
      onboardingWaits: (onboarding?.isWaiting ?? false) && person.role !== 'sales',
    });
  }

  /**
   * Whether a company has what sets it apart from anyone who has just signed up: a card where one is required, its
   * agreement, the onboarding charge. A root has.
   */
  const isReady = (rootId: string, companyId: string): Promise<boolean> =>
    inScope(db.app, { rootId }, async (tx) => {
      const company = (await tenants.card(tx, companyId)) ?? missing();
      if (company.kind === 'root') return true;
      const document = agreements.requiredOf(company.kind);
      const onboarding = company.kind === 'agency' ? await onboardingCharge.stateOf(tx, company.id) : null;
      const lacking = policy.missingOfSetup({
        profileDone: true,
        cardRequired: policy.cardRequired({
          kind: company.kind,
          role: 'owner',
          gateway: accounts.gateway(),
          manualBill: (await accounts.terms(tx, company.agency_id ?? company.id)).manual_bill,
          onboardingOn: onboarding?.isOn ?? false,
        }),
        cardSet: Boolean(await accounts.card(tx, company.id)),
        agreementRequired: document !== null,
        agreed: document !== null && (await agreements.accepted(tx, company.id)).has(document),
        onboardingWaits: onboarding?.isWaiting ?? false,
      });
      return lacking.length === 0;
    });

  return {
    wanted,
    isReady,
    within,
    missingOf,
    /**
     * Returns all facts about a person in the actor's scope, or the actor.
     * @throws Refusal 403, 404 as `wanted`
     */
    async of(ctx: Ctx, userId: string | undefined): Promise<Facts> {
      const id = await wanted(ctx, userId);
      const behindId = id === ctx.actor.userId ? (ctx.actor.trueActor?.userId ?? null) : null;
      return inScope(db.app, { rootId: ctx.actor.rootId }, (tx) => within(tx, id, behindId));
    },
  };
}
