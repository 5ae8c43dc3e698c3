import { z } from 'zod';
import { companyFields } from '../../../../contract/accounts/company-fields.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { usd } from '../../../../contract/primitives.ts';
import { type Ctx, isSales } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Limits } from '../../../platform/limits.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Billing } from '../../money/billing/index.ts';
import type { Payments } from '../../money/payments/index.ts';
import type { createPlans } from '../../money/pricing/index.ts';
import type { Agreements } from '../agreements/index.ts';
import type { Audit } from '../audit/index.ts';
import type { Auth } from '../auth/index.ts';
import type { Sales } from '../sales/index.ts';
import type { Settings } from '../settings/index.ts';
import type { Tenants } from '../tenants/index.ts';
import { readPhone, type Users } from '../users/index.ts';
import { confirmation } from './confirm.service.ts';
import { createPayload, type Entered, movedHosts, mustBeForSales, ownFields } from './payload.service.ts';
import * as policy from './policy.ts';
import * as staffPolicy from './staff.policy.ts';
import * as store from './store.ts';
import { createTaken, INVITED_AGAIN } from './taken.service.ts';

/** The other things a save can change. */
export interface Changes extends Entered {
  terms: { term: string; status: boolean }[] | undefined;
  modules: { type: string; status: boolean }[] | undefined;
  /** '' or null: the default plan. */
  planId: string | null | undefined;
  /** Whether an agency gets the features in trial. */
  betaUser: boolean | undefined;
  version: number | undefined;
}

type Company = NonNullable<Awaited<ReturnType<typeof store.lockTarget>>>;
const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/** Notes that a client has changed, once whoever keeps its row is done. */
export const changedJob = defineJob('companies.changed', z.object({ rootId: z.uuid(), companyId: z.uuid() }));

export type Companies = ReturnType<typeof createCompanies>;

/** The agencies of a root and the clients of an agency: listing, adding, changing and removing them (spec product 2, 4). */
export function createCompanies(
  platform: Platform,
  parts: {
    tenants: Tenants;
    users: Users;
    audit: Audit;
    auth: Auth;
    settings: Settings;
    plans: ReturnType<typeof createPlans>;
    billing: Billing;
    payments: Payments;
    agreements: Agreements;
    sales: Sales;
    limits: Limits;
  },
) {
  const { db, clock } = platform;
  const taken = createTaken(platform, parts);
  const { tenants, users, audit, auth, settings, plans, billing, payments, agreements, limits } = parts;
  const { invites } = auth;
  const { keepOwner, care } = createPayload(parts);
  const developer = agreements.versionOf('developer');

  // What programs read of a client is more than its row: its owner, its terms, and how many campaigns run. Many
  // transactions may keep that row at once, and would wait for each other here: then it is noted right after them.
  platform.events.on('log.written', async (tx, { action, owner, at }) => {
    const { root_id: rootId, agency_id: agencyId, company_id: companyId } = owner;
    if (!agencyId || companyId === agencyId || !policy.changesClient(action)) return;
    if (!(await tenants.changedClient(tx, companyId, at)))
      await platform.jobs.send(tx, changedJob, [{ rootId, companyId }]);
  });

  /**
   * The options of the companies directly below `parentId`, under the root's names. Looks upward, so it runs in the
   * root's scope.
   */
  async function above(ctx: Ctx, parentId: string) {
    const { rootId } = ctx.actor;
    return inScope(db.app, { rootId }, async (tx) => {
      const parent = (await tenants.card(tx, parentId)) ?? missing();
      const root = parent.id === rootId ? parent : ((await tenants.card(tx, rootId)) ?? missing());
      const found = await tenants.products.of(tx, parent, root.is_master);
      const { root_modules: labels } = await tenants.frontDoor(rootId, tx);
      return { ...(parent.kind === 'root' ? found.root : found.agency), labels };
    });
  }

  const nodeOf = async (tx: Tx, id: string) => (await store.node(tx, id, developer)) ?? missing();

  /**
   * @throws Refusal 404 for a company that does not exist or, for salespeople, is not assigned to them; 422 for one
   * that is not directly below the actor's own
   */
  async function child(tx: Tx, ctx: Ctx, id: string): Promise<Company & { agency_id: string }> {
    const company = (await store.lockTarget(tx, id)) ?? missing();
    await parts.sales.mustCare(tx, ctx, [company.id, company.agency_id]);
    if (company.parent_id !== ctx.actor.companyId)
      throw policy.refuse('company_id', 'is not directly below your own company');
    return { ...company, agency_id: company.agency_id! };
  }
  /**
   * A `company_id` in a request must be the actor's own company.
   * @throws Refusal 404
   */
  function ownOnly(ctx: Ctx, companyId: string): void {
    if (companyId !== ctx.actor.companyId) missing();
  }

  const phoneOf = (given: Entered['phone']) => {
    const phone = given && readPhone(given.number, given.country, given.calling);
    if (!phone) throw policy.refuse('phone', messages.phoneInvalid);
    return phone;
  };

  /** Saves hosts and billing flags, if given. Only a root decides on developer mode. */
  async function keep(
    tx: Tx,
    ctx: Ctx,
    company: { id: string; root_id: string; agency_id: string },
    given: Entered,
    had: { api: boolean },
  ) {
    const at = clock.now();
    const isAgency = company.agency_id === company.id;
    const target = (await tenants.company(tx, company.id))!;
    if (given.subdomain !== undefined)
      await settings.domains.saveSubdomain(tx, ctx, target, given.subdomain, false);
    if (given.domain) await settings.domains.saveDomain(tx, ctx, target, given.domain, false);
    if (given.apiMode && !isAgency) throw policy.refuse('api_mode', 'can only be enabled for an agency');
    const flags = {
      ...(given.whiteLabelling === undefined ? {} : { white_labelling: given.whiteLabelling }),
      ...(given.campaignsClosed === undefined ? {} : { campaigns_closed: given.campaignsClosed }),
      ...(given.apiMode === undefined || given.apiMode === had.api
        ? {}
        : { api_mode: given.apiMode, ...(given.apiMode ? { api_mode_since: at } : {}) }),
    };
    if (Object.keys(flags).length > 0)
      await billing.accounts.setTerms(
        tx,
        { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id },
        { ...flags, updated_at: at },
      );
  }

  /**
   * Gives an agency access to the features in trial, or withdraws it.
   * @throws Refusal 422 while a campaign runs on one of them
   */
  async function keepBetaUser(
    tx: Tx,
    agency: { root_id: string; agency_id: string; company_id: string },
    on: boolean,
  ): Promise<void> {
    const { products } = tenants;
    const root = (await tenants.card(tx, agency.root_id)) ?? missing();
    const { betas } = await products.of(tx, root, root.is_master);
    const b2b = betas.find((one) => one.slug === 'b2b_module');
    const busy = { rootId: root.id, module: 'b2b', agencyId: agency.agency_id };
    if (!on && !b2b?.for_all && (await products.activeCampaign(tx, busy)))
      throw policy.refuse('beta_user', messages.productHasCampaigns);
    await products.setBetaUser(tx, agency, on, clock.now());
  }

  /** The host where a company's users sign in: its own, otherwise the one where it was added. */
  const hostOf = async (ctx: Ctx, tx: Tx, companyId: string): Promise<string> =>
    (await store.hostOf(tx, companyId)) ?? ctx.tenant.host;

  /** Creates the owner of a company and invites them. */
  async function addOwner(
    tx: Tx,
    ctx: Ctx,
    company: { id: string; root_id: string; agency_id: string },
    given: Entered,
    sender: Awaited<ReturnType<typeof invites.sender>>,
  ): Promise<void> {
    const { name, email } = { name: given.ownerName, email: given.email };
    staffPolicy.keepsFactor(given.factor, null);
    const id = await users.create(tx, { company, role: 'owner', email, name, phone: phoneOf(given.phone) });
    const owner = { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id };
    await keepOwner(tx, company, id, given);
    await invites.invite(tx, ctx, sender, { id, name, email, ...owner }, await hostOf(ctx, tx, company.id));
  }

  /** Makes a change in one transaction, reporting failures under the names of these calls. */
  function change<T>(ctx: Ctx, work: (tx: Tx, ask: () => void) => Promise<T>): Promise<T> {
    return taken(ctx, async (ask) => {
      try {
        const done = await inScope(db.app, ctx.scope, (tx) => work(tx, ask));
        tenants.forgetHosts();
        return done;
      } catch (error) {
        throw policy.translate(error, ownMessages.emailTaken);
      }
    });
  }

  /**
   * Takes a company off, unless something forbids it. `kept`: how much it may keep of its balances and credit,
   * micro-dollars; 'credit': whatever credit it has toward its next invoice.
   * @throws Refusal 409 with active campaigns, a balance, a credit, an amount due, or a payment or refund under way
   */
  async function takeOff(tx: Tx, ctx: Ctx, company: Company, kept: bigint | 'credit'): Promise<void> {
    const at = clock.now();
    // Removed first, judged afterward: a campaign that is activated or created at this moment is either among those
    // that are counted, or waits and finds its company gone.
    const removed = await tenants.remove(tx, company.id, at);
    await store.holdCampaigns(tx, company);
    const campaigns = (await store.activeCampaigns(tx, company)).length;
    const { has, credit, owes } = await store.money(tx, company, new Date(at.getTime() + 1000), at);
    const isKept = has <= (kept === 'credit' ? credit : kept);
    const left = isKept
      ? { has: 0n, credit: 0n }
      : { has: has - credit, credit: kept === 'credit' ? 0n : credit };
    const fault = policy.removalFault(company, { campaigns, ...left, owes });
    if (fault) throw fault;
    // Last, since it cancels what a cardholder could still confirm.
    await payments.charges.mustRest(
      tx,
      company.kind === 'agency' ? { agencyId: company.id } : { companyId: company.id },
      company.name,
    );
    await audit.record(tx, ctx, {
      action: 'company.remove',
      objectKind: 'company',
      objectId: company.id,
      description: `Removed the ${company.kind} ${company.name}${removed > 1 ? ` and its ${removed - 1} clients` : ''}${kept === 'credit' && credit > 0n ? `, with a credit of ${usd(credit)} kept` : ''}`,
      owner: { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id },
    });
  }

  return {
    /** Notes that a client has changed, waiting for whoever keeps its row. */
    noteChange: async ({ rootId, companyId }: { rootId: string; companyId: string }): Promise<void> =>
      void (await inScope(db.app, { rootId }, (tx) =>
        tenants.changedClient(tx, companyId, clock.now(), true),
      )),

    above,

    /**
     * A page of the companies directly below the actor's own, or below an agency of the actor's own root.
     * @throws Refusal 404 for any other company
     */
    async list(ctx: Ctx, asked: store.Wanted & { parentId: string; page: number; per_page: number }) {
      const { actor } = ctx;
      const listed = inScope(db.app, ctx.scope, async (tx) => {
        const parent = await tenants.company(tx, asked.parentId);
        const isOwn = parent?.id === actor.companyId;
        if (!parent || !(isOwn || (actor.kind === 'root' && parent.kind === 'agency'))) return missing();
        return store.page(tx, parent.id, asked, developer);
      });
      // Both run in parallel: neither depends on the other's result.
      const [found, choosable] = await Promise.all([listed, above(ctx, asked.parentId)]);
      return { ...page(found.rows, found.total, asked), above: choosable };
    },

    /**
     * Adds an agency or client with its owner, who is invited by email. @throws Refusal 404, 422 naming the field
     */
    async create(ctx: Ctx, parentId: string, kind: 'agency' | 'client', given: Entered) {
      ownOnly(ctx, parentId);
      const { actor } = ctx;
      if ((actor.kind === 'root' ? 'agency' : 'client') !== kind)
        throw policy.refuse('user_type', 'cannot be added here');
      if (kind === 'agency' && !given.subdomain?.trim()) throw policy.refuse('subdomain_name', 'is required');
      if (kind === 'client' && (given.subdomain || given.domain))
        throw policy.refuse(given.subdomain ? 'subdomain_name' : 'domain', 'can only be set for an agency');
      const sender = await invites.sender(ctx, actor.companyId);
      return change(ctx, async (tx, ask) => {
        ask();
        await boundedBy(tx, kind === 'client' ? 'clients' : 'agencies', actor.companyId, 'company_name');
        const company = await tenants.create(tx, {
          name: given.name,
          rootId: actor.rootId,
          ...(kind === 'client' ? { agencyId: actor.companyId } : { brand: { name: given.name } }),
        });
        const owner = { ...company, agency_id: company.agency_id! };
        await keep(tx, ctx, owner, { ...given, subdomain: given.subdomain || undefined }, { api: false });
        const values = ownFields(kind, given);
        if (Object.keys(values).length > 0) await tenants.save(tx, company.id, 0, values);
        await care(tx, ctx, owner, given);
        // Last, so that no later fault rolls back what would tell whether the address is free.
        await addOwner(tx, ctx, owner, given, sender);
        await audit.record(tx, ctx, {
          action: 'company.create',
          objectKind: 'company',
          objectId: company.id,
          description: `Added the ${kind} ${given.name} and invited ${given.ownerName} (${given.email})`,
          owner: { root_id: owner.root_id, agency_id: owner.agency_id, company_id: owner.id },
        });
        return nodeOf(tx, company.id);
      });
    },

    /** The clients of the actor's own agency, for programs. */
    clients: {
      /**
       * The next clients after a position, the newest first, and the position of the last one if there are more.
       * `changedSince`: those that changed at or after it, the oldest change first.
       */
      after: (
        ctx: Ctx,
        asked: { module: string | undefined; search: string; changedSince: Date | undefined },
        after: { at: Date; id: string } | null,
        limit: number,
      ) =>
        inScope(db.app, ctx.scope, async (tx) => {
          const places = await store.nextOf(
            tx,
            ctx.actor.companyId,
            { ...asked, kind: 'client' },
            after,
            limit,
          );
          const shown = places.slice(0, limit);
          const rows = await store.nodes(
            tx,
            shown.map(({ id }) => id),
            developer,
          );
          return { rows, end: places.length > limit ? shown.at(-1)! : null };
        }),

      /** @throws Refusal 404 */
      one: (ctx: Ctx, id: string) =>
        inScope(db.app, ctx.scope, async (tx) => {
          const row = await nodeOf(tx, id);
          return row.kind === 'client' && row.parent_id === ctx.actor.companyId ? row : missing();
        }),
    },

    /** Companies directly below the actor's own, by their ids, and the options they may choose from. */
    async details(ctx: Ctx, ids: readonly string[]) {
      const rows = await inScope(db.app, ctx.scope, (tx) => store.nodes(tx, ids, developer));
      return { rows, above: await above(ctx, ctx.actor.companyId) };
    },

    /**
     * Changes an agency or client and its owner.
     * @throws Refusal 403 for the owner's address or a host if the user has not just confirmed who they are, 404, 409 if
     * `version` is not the newest, 422 naming the field; a product with active campaigns cannot be removed
     */
    async update(ctx: Ctx, parentId: string, targetId: string, given: Changes) {
      ownOnly(ctx, parentId);
      const sender = await invites.sender(ctx, ctx.actor.companyId);
      const choosable = await above(ctx, ctx.actor.companyId);
      const holder = await invites.holderOf(ctx, given.email);
      const confirm = confirmation(ctx);
      return change(ctx, async (tx, ask) => {
        const company = await child(tx, ctx, targetId);
        if (given.version !== undefined && given.version !== company.version)
          throw new Refusal('conflict', ownMessages.companyStale);
        const isAgency = company.kind === 'agency';
        const owner = { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id };
        const before = await nodeOf(tx, company.id);
        if (isSales(ctx.actor)) mustBeForSales(before, given);
        const hosts = movedHosts(before, given);
        if (hosts.length > 0) {
          staffPolicy.mustMoveHost(ctx, hosts[0]!);
          confirm();
        }
        const words: string[] = [];
        const told = (what: string, was: unknown, is: unknown) => {
          if (is !== undefined && was !== is) words.push(`${what}: ${is === '' ? 'none' : String(is)}`);
        };
        told('company name', before.name, given.name);
        told('full name', before.owner_name, given.ownerName);
        told('email', before.owner_email, given.email);
        told('white label', before.white_labelling ?? true, given.whiteLabelling);
        told('developer mode', before.api_mode ?? false, given.apiMode);
        told('adding campaigns disabled', before.campaigns_closed ?? false, given.campaignsClosed);
        told('subdomain', before.subdomain?.split('.')[0] ?? '', given.subdomain?.trim().toLowerCase());
        told('domain', before.domain ?? '', given.domain?.trim().toLowerCase() || undefined);
        const phone = given.phone && phoneOf(given.phone);

        const user = company.owner_id ? await users.person(tx, company.owner_id) : undefined;
        const isWithout = !user && given.email === '';
        if (!isWithout && given.email !== user?.email) {
          staffPolicy.mustMoveOwner(ctx.actor.modules);
          // Whoever reads an owner's email is the owner.
          confirm();
          ask();
        }
        if (user) {
          if (phone && (phone.number !== user.phone || phone.country !== user.phone_country))
            words.push('phone number');
          await users.setProfile(tx, user.id, {
            name: given.ownerName,
            ...(phone
              ? { phone: phone.number, phone_country: phone.country, phone_calling: phone.calling }
              : {}),
          });
        }
        if (user) words.push(...(await keepOwner(tx, company, user.id, given)));
        words.push(...(await care(tx, ctx, company, given)));
        for (const [name, { log }] of companyFields) told(log, before[name], given.fields[name]);
        await keep(tx, ctx, company, given, { api: before.api_mode ?? false });

        if (given.terms || given.modules) {
          const terms = given.terms ? policy.termsAfter(choosable, before.terms, given.terms) : before.terms;
          const { after, taken } = given.modules
            ? policy.modulesAfter(choosable, before.modules, given.modules)
            : { after: before.modules, taken: [] };
          for (const module of taken) {
            if ((await store.activeCampaigns(tx, company, [module])).length > 0)
              throw policy.refuse('selected_modules', messages.productHasCampaigns);
          }
          told('payment terms', policy.wordsOf(before.terms), policy.wordsOf(terms));
          told('products', policy.wordsOf(before.modules), policy.wordsOf(after));
          await tenants.products.choose(tx, { ...owner, modules: after, terms, updated_at: clock.now() });
        }
        if (given.planId !== undefined && (given.planId || null) !== before.plan_id) {
          ctx.need('cost.write');
          if (!isAgency) throw policy.refuse('plan_id', 'can only be set for an agency');
          const plan = await plans.giveWithin(tx, ctx, { ...company, id: company.id }, given.planId || null);
          words.push(`minimum-spend plan: ${plan}`);
        }
        if (given.betaUser !== undefined && given.betaUser !== before.beta_user) {
          if (!isAgency) throw policy.refuse('beta_user', 'can only be set for an agency');
          await keepBetaUser(tx, owner, given.betaUser);
          told('beta features', before.beta_user, given.betaUser);
        }
        const values = {
          ...ownFields(before.kind, given),
          ...(given.name === company.name ? {} : { name: given.name }),
        };
        // Last, so that no later fault rolls back what would tell whether the address is free.
        if (!user) {
          if (!isWithout) await addOwner(tx, ctx, company, given, sender);
        } else if (given.email !== user.email) {
          if (holder) throw policy.refuse('email', ownMessages.emailTaken);
          const who = {
            id: user.id,
            name: user.name,
            email: user.email,
            ...owner,
          };
          const host = await hostOf(ctx, tx, company.id);
          // Users who have not signed in yet get the invitation at the new address.
          if (!(await invites.moveAddress(tx, ctx, sender, who, given.email, host)))
            await invites.invite(tx, ctx, sender, { ...who, email: given.email }, host);
        }
        await tenants.save(tx, company.id, company.version, values);
        await audit.record(tx, ctx, {
          action: 'company.update',
          objectKind: 'company',
          objectId: company.id,
          description: `Changed the ${company.kind} ${company.name}: ${words.join(', ') || 'nothing'}`,
          owner,
        });
        return nodeOf(tx, company.id);
      });
    },

    /**
     * Removes an agency with its clients, or a client: its users can no longer sign in. Rows, hosts and addresses stay,
     * so that it can be restored. `keepsCredit`: what would be taken off its next invoice stays on its account.
     * @throws Refusal 404, 409 with active campaigns, a balance, an amount due, a payment or refund under way, or a credit
     * that it is not to keep
     */
    async remove(ctx: Ctx, parentId: string, targetId: string, keepsCredit = false) {
      ownOnly(ctx, parentId);
      const gone = await change(ctx, async (tx) => {
        const company = await child(tx, ctx, targetId);
        await takeOff(tx, ctx, company, keepsCredit ? 'credit' : 0n);
        return company.id;
      });
      invites.forgetCompany(gone);
    },

    /**
     * Sends the owner another invitation.
     * @throws Refusal 404, 409 if there is no one to invite, 422
     */
    async resendInvitation(ctx: Ctx, parentId: string, targetId: string) {
      ownOnly(ctx, parentId);
      const sender = await invites.sender(ctx, ctx.actor.companyId);
      await limits.take(INVITED_AGAIN, ctx.actor.trueActor?.userId ?? ctx.actor.userId);
      await inScope(db.app, ctx.scope, async (tx) => {
        const company = await child(tx, ctx, targetId);
        const user = company.owner_id && (await users.secretOf(tx, company.owner_id));
        if (!user) throw new Refusal('conflict', ownMessages.noOwnerToInvite);
        await invites.invite(tx, ctx, sender, user, await hostOf(ctx, tx, company.id));
        await audit.record(tx, ctx, {
          action: 'company.invite',
          objectKind: 'user',
          objectId: user.id,
          description: `Sent ${user.name} (${user.email}) of ${company.name} another invitation`,
          owner: { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id },
        });
      });
    },

    // For offboarding (features/accounts/offboarding).
    /** A client directly below the actor's own company, locked. @throws Refusal 404, 422 */
    child,
    takeOff,
    /** What a company still has in balances, and what it owes, micro-dollars. */
    moneyOf: store.money,
    /** Drops what is cached about the sessions of a company that was removed. */
    forget: (companyId: string): void => invites.forgetCompany(companyId),

    /** The numbers of the active campaigns of a company in some products. @throws Refusal 404 */
    activeCampaigns: (ctx: Ctx, companyId: string, modules: readonly string[]) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = (await tenants.company(tx, companyId)) ?? missing();
        return store.activeCampaigns(tx, company, modules);
      }),
  };
}
