import { Refusal } from '../../../contract/errors.ts';
import { ownMessages } from '../../../contract/messages.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { inScope, type Tx } from '../../platform/db/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Access } from '../access/index.ts';
import type { Agreements } from '../agreements/index.ts';
import type { Audit } from '../audit/index.ts';
import type { Billing } from '../billing/index.ts';
import type { MinimumSpend } from '../minspend/index.ts';
import type { OnboardingFeature, OnboardingState } from '../onboarding/index.ts';
import type { People, PersonRow } from '../people/index.ts';
import type { Settings } from '../settings/index.ts';
import type { CompanyCard, Products, Tenants } from '../tenants/index.ts';
import * as policy from './person.policy.ts';

/** What the feature stands on. */
export interface SetupParts {
  tenants: Tenants;
  people: People;
  audit: Audit;
  access: Access;
  settings: Settings;
  billing: Billing;
  agreements: Agreements;
  minimumSpend: MinimumSpend;
  onboarding: OnboardingFeature;
}

/** All that the session user and the set-up check are made of, read once. */
export interface Facts {
  person: PersonRow;
  company: CompanyCard;
  /** The company above; null for a root. */
  parent: CompanyCard | null;
  root: CompanyCard;
  products: Products;
  /** What new agencies of the root begin with; null: all that it has. */
  beginnings: Awaited<ReturnType<Tenants['products']['defaultsOf']>>;
  /** What the company above hides of the sidebar. */
  hiddenMenu: Awaited<ReturnType<Settings['hiddenMenu']>>;
  card: Awaited<ReturnType<Billing['accounts']['card']>>;
  /** The agency's, also for a client; a sales person's own. */
  account: Awaited<ReturnType<Billing['accounts']['connected']>>;
  own: Awaited<ReturnType<Billing['accounts']['terms']>>;
  agency: Awaited<ReturnType<Billing['accounts']['terms']>>;
  agreed: Awaited<ReturnType<Agreements['accepted']>>;
  agencyAgreed: Awaited<ReturnType<Agreements['accepted']>>;
  /** Whether a minimum spend is asked of the agency. */
  hasMinimumSpend: boolean;
  /** How an agency stands with its onboarding charge; null: it is of no agency. */
  onboarding: OnboardingState | null;
  lastIp: string | null;
  /** Since when a second factor is required that the person lacks; null: it is not. */
  factorMissing: Date | null;
  /** Whom the company's own people, and those of the companies right below, turn to; undefined: nobody is named for it. */
  care: { own: Care; above: Care };
  /** In view mode whoever is behind it, while the person is the one viewed. */
  behind: PersonRow | null;
}

type Care = Awaited<ReturnType<People['customerCare']>>;

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
export type FactsReader = ReturnType<typeof createFacts>;

/** Reads what is known of a person and of the companies above them. */
export function createFacts({ db }: Platform, parts: SetupParts) {
  const { tenants, people, access, settings, billing, agreements, minimumSpend, onboarding } = parts;
  const { accounts } = billing;

  /**
   * Who is asked about. Oneself always; others of the own scope with person.read.
   * @throws Refusal 403 without that permission, 404 for somebody the scope does not hold
   */
  async function wanted(ctx: Ctx, userId: string | undefined): Promise<string> {
    if (!userId || userId === ctx.actor.userId) return ctx.actor.userId;
    ctx.need('person.read');
    const seen = await inScope(db.app, ctx.scope, (tx) => people.byId(tx, userId));
    return seen?.id ?? missing();
  }

  /** Reads in the scope of the whole root, since much of it belongs to the companies above. */
  async function within(tx: Tx, userId: string, behindId: string | null = null): Promise<Facts> {
    const person = (await people.person(tx, userId)) ?? missing();
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
      // Clients are told nothing of what their agency owes.
      hasMinimumSpend:
        company.kind === 'agency' && (await minimumSpend.applies(tx, company.root_id, company.id)),
      onboarding: company.kind === 'agency' ? await onboarding.stateOf(tx, company.id) : null,
      lastIp: await access.lastAddress(tx, userId),
      care: {
        own: await people.customerCare(tx, company.id),
        above: await people.customerCare(tx, (parent ?? company).id),
      },
      factorMissing: await access.factorMissing(tx, userId),
      behind: behindId ? ((await people.person(tx, behindId)) ?? null) : null,
    };
  }

  /** What setupcomplete waits for. */
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

  return {
    wanted,
    within,
    missingOf,
    /** Everything about a person of the own scope, or oneself. @throws Refusal 403, 404 as `wanted` */
    async of(ctx: Ctx, userId: string | undefined): Promise<Facts> {
      const id = await wanted(ctx, userId);
      const behindId = id === ctx.actor.userId ? (ctx.actor.trueActor?.userId ?? null) : null;
      return inScope(db.app, { rootId: ctx.actor.rootId }, (tx) => within(tx, id, behindId));
    },
  };
}
