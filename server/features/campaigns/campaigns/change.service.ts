import { INFORMATION_FIELDS } from '../../../../contract/audience/enrichment-fields.ts';
import { changesScores } from '../../../../contract/campaigns/campaign-rules.ts';
import { CAMPAIGN_MODULES } from '../../../../contract/campaigns/campaigns.ts';
import { type ModuleType, PAYMENT_TERMS } from '../../../../contract/choices.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { dollarsOf } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import {
  atLeast,
  checkLeast,
  FREE,
  priceWith,
  type Retail,
  type RetailLimits,
  retailWire,
  retailWith,
} from '../../money/pricing/index.ts';
import { type Deps, type Fields, type Module, missing, newSiteKey, ownerOf } from './base.ts';
import { type Extras, NO_LIMIT } from './extras.ts';
import {
  askedOf,
  type Change,
  checkFields,
  columns,
  keptOf,
  leastLimit,
  limitAtLeast,
  searchAfter,
  searchFor,
  stillAsked,
} from './fields.policy.ts';
import { acceptMails, refusedAmong, reportsOf } from './report.store.ts';
import type { States } from './state.service.ts';
import * as store from './store.ts';
import { isSameSearch, isSearch, type Search } from './target.policy.ts';
import { setTarget, targetsOf } from './target.store.ts';
import type { Views } from './view.ts';

/** The defaults of a new campaign; `least`: the minimum lead cost the root allows for a payment term. */
interface Usual {
  /** False: the agency has not set a price, and what it would otherwise be is not for clients. */
  isPriced: boolean;
  retail: Retail;
  limits?: RetailLimits;
  least: (term: string) => bigint;
}

/** Whether a campaign asks for other data after a change. */
const isOther = (row: { advance_information: number[]; b2b_information: number[] }, asked: object): boolean =>
  Object.entries(asked).some(
    ([column, ids]) => String(row[column as 'advance_information']) !== String(ids as number[]),
  );

/** Creates campaigns and changes their settings. */
export function createChanges(
  platform: Platform,
  { audit, billing, pricing, tenants, groups, information, keywordThemes, users }: Deps,
  { extras, states, views }: { extras: Extras; states: States; views: Views },
) {
  const { db, clock } = platform;
  const { started } = states;
  const { one } = views;

  /**
   * Anyone who decides who gets leads, and how much of them, can read the leads, and an open session alone is not
   * enough for new recipients, who must not have unsubscribed. Checked before the transaction: a request that holds one connection must not wait for
   * another.
   * @throws Refusal 403; for new recipients one that says how to confirm one's identity
   */
  async function mayDirect(
    ctx: Ctx,
    given: Pick<Change, 'report_type' | 'report_to' | 'notify_to'>,
    id?: string,
  ): Promise<void> {
    const { report_type: reportType = 'none', report_to = [], notify_to = [] } = given;
    if (reportType === 'none' && report_to.length === 0 && notify_to.length === 0) return;
    const known = id ? (await inScope(db.app, ctx.scope, (tx) => reportsOf(tx, [id]))).get(id) : undefined;
    const isNew =
      report_to.some((address) => !known?.report_to.includes(address)) ||
      notify_to.some((address) => !known?.notify_to.includes(address));
    const tellsMore =
      reportType !== 'none' && reportType !== (known?.report_every ? known.report_type : 'none');
    if (isNew || tellsMore) ctx.need('lead.read');
    if (!isNew) return;
    await ctx.mustBeConfirmed();
    await mustWant(ctx, {
      report_to: report_to.filter((address) => !known?.report_to.includes(address)),
      notify_to: notify_to.filter((address) => !known?.notify_to.includes(address)),
    });
  }

  /**
   * An open session alone neither turns automatic purchases on a client's card on, nor changes what they cost (its price
   * or the data that a lead comes with), now or from the day on that the change begins. Client or agency.
   * @throws Refusal 403 that says how to confirm one's identity
   */
  async function mayCharge(
    ctx: Ctx,
    id: string,
    given: Change & { effective_from?: string | undefined },
  ): Promise<void> {
    const isAsked = await inScope(db.app, ctx.scope, async (tx) => {
      const row = await store.campaignById(tx, id);
      return row && pricing.changesPurchases(tx, row, given);
    });
    if (isAsked) await ctx.mustBeConfirmed();
  }

  /**
   * Anyone who unsubscribed gets no more of these emails from any client of the agency, until they add themselves.
   * @throws Refusal 422 naming the field and the address
   */
  async function mustWant(ctx: Ctx, added: Record<'report_to' | 'notify_to', string[]>): Promise<void> {
    const { rootId, agencyId, userId, trueActor } = ctx.actor;
    const all = [...new Set(Object.values(added).flat())];
    // In the agency's scope: it may have been a campaign of another client.
    await inScope(db.app, { rootId, agencyId: agencyId ?? undefined }, async (tx) => {
      let refused = await refusedAmong(tx, rootId, all);
      const own = refused.length > 0 && !trueActor && (await users.secretOf(tx, userId))?.email;
      if (own && refused.includes(own)) {
        await acceptMails(tx, rootId, own);
        refused = refused.filter((address) => address !== own);
      }
      for (const [field, addresses] of Object.entries(added)) {
        const address = addresses.find((one) => refused.includes(one));
        if (address) throw refusalOf(field, ownMessages.addressUnsubscribed(address));
      }
    });
  }

  /**
   * Sets what a campaign looks for, and emits an event if that is something else than before. Every way keywords come in
   * leads here. @throws Refusal 422
   */
  async function aim(
    tx: Tx,
    row: Owner & { agency_id: string; id: string; module: ModuleType },
    search: Search,
    text: string,
  ) {
    if (!isSearch(row.module)) return;
    await keywordThemes.mustAllow(tx, row, search.keywords, 'keywords');
    const before = (await targetsOf(tx, [row.id])).get(row.id);
    await setTarget(tx, row, { id: row.id, module: row.module }, search, text, clock.now());
    if (before && isSameSearch(before, search)) return;
    await platform.events.emit(tx, 'campaign.target_changed', { rootId: row.root_id, campaignId: row.id });
  }

  /**
   * A new campaign's price and limits are what the agency has set for the client; otherwise the price is that of the
   * client's last campaign, otherwise what the agency last charged anyone for a lead, otherwise what the agency itself
   * pays. The last two are not for clients: for them there is no price until the agency sets one (`isPriced` false). Read
   * in the agency's scope: a client may not see any of it.
   */
  const usualCosts = (
    owner: { root_id: string; agency_id: string; company_id: string },
    module: Module,
    at: Date,
    isClient: boolean,
  ): Promise<Usual> =>
    inScope(db.app, { rootId: owner.root_id, agencyId: owner.agency_id }, async (tx) => {
      const leastAt = await pricing.leastOf(tx, at);
      const least = (term: string) => leastAt(module, term);
      const usual = await usualRetail(tx, owner, module, at, isClient);
      const { limits } = usual;
      return {
        isPriced: usual.isPriced ?? true,
        retail: atLeast(usual.retail, least(usual.retail.term)),
        ...(limits
          ? {
              limits:
                module === 'enhance'
                  ? {
                      ...limits,
                      daily_cap: limitAtLeast(
                        await pricing.leastLeads(tx),
                        limits.daily_cap,
                        limits.limit_every,
                      ),
                    }
                  : limits,
            }
          : {}),
        least,
      };
    });

  async function usualRetail(
    tx: Tx,
    owner: { agency_id: string; company_id: string },
    module: Module,
    at: Date,
    isClient: boolean,
  ): Promise<{ retail: Retail; limits?: RetailLimits; isPriced?: false }> {
    const set = await pricing.clientRetail(tx, owner.company_id, module, at);
    if (set) {
      const { daily_cap, limit_every, starts_on, ends_on, ...retail } = set;
      return { retail, limits: { daily_cap, limit_every, starts_on, ends_on } };
    }
    const last = await store.lastCampaign(tx, owner.agency_id, owner.company_id, module);
    const [kept] = last ? await pricing.retailOf(tx, [last.id], at) : [];
    // A campaign that still waits for its price, or was given away, says nothing about the next.
    if (kept && kept.lead_micros > 0n && last?.company_id === owner.company_id) {
      const { campaign_id: _, ...retail } = kept;
      return { retail };
    }
    if (isClient) return { retail: FREE, isPriced: false };
    const lead_micros =
      kept?.lead_micros || (await pricing.wholesaleLead(tx, owner.agency_id, module, FREE.term, at));
    return { retail: { ...FREE, lead_micros } };
  }

  /** Which modules a client may have campaigns of. Read in the scope of the root, which alone sees all levels. */
  const modulesOf = (company: { id: string; root_id: string; agency_id: string | null; kind: string }) =>
    inScope(db.app, { rootId: company.root_id }, async (tx) => {
      const isMaster = (await tenants.frontDoor(company.root_id, tx)).master_id === company.root_id;
      return (await tenants.products.of(tx, company, isMaster)).own.modules;
    });

  /** Refuses data that a client chose but its price does not cover, naming the field in which it was chosen. */
  const refuseData = (given: Fields): never => {
    throw refusalOf(
      given.b2b_information?.length ? 'b2b_information' : 'advance_information',
      ownMessages.belowCostField,
    );
  };

  /**
   * Checks what a new campaign earns its agency. An agency that creates it knows what it pays; for a client's campaign,
   * data that the price does not cover is refused. Returns whether the campaign has to wait because the price does not
   * cover a lead at all.
   */
  async function beginMargin(
    tx: Tx,
    ctx: Ctx,
    row: Owner & { agency_id: string; id: string; module: ModuleType },
    given: Fields,
  ): Promise<boolean> {
    if (ctx.actor.kind !== 'client') {
      await pricing.acceptLoss(tx, row);
      return false;
    }
    const at = clock.now();
    if (!(await pricing.excessOf(tx, [row.id], at)).has(row.id)) return false;
    if (!(await pricing.excessOf(tx, [row.id], at, true)).has(row.id)) refuseData(given);
    return true;
  }

  /**
   * Checks how a change affects what a campaign earns its agency: a client may not lower it below what the agency pays
   * and accepts; what the agency changes itself it accepts, and a campaign that was held for this reason resumes.
   * `before`: how far it was below before.
   */
  async function keepMargin(
    tx: Tx,
    ctx: Ctx,
    row: Parameters<States['recover']>[1],
    change: { given: Fields; asked: object; before: bigint; isPriced: boolean },
  ): Promise<void> {
    const at = clock.now();
    if (ctx.actor.kind === 'client') {
      const after = (await pricing.excessOf(tx, [row.id], at)).get(row.id) ?? 0n;
      if (after > change.before) refuseData(change.given);
    } else if (change.isPriced || isOther(row, change.asked)) await pricing.acceptLoss(tx, row);
    await states.recover(tx, row, at);
  }

  return {
    modulesOf,

    /** Creates a campaign for a client; a client's own people need not name it. */
    async create(
      ctx: Ctx,
      given: Fields & {
        company_id?: string | undefined;
        module: Module;
        draft?: 'T' | 'F' | undefined;
      },
    ) {
      const module = given.module;
      checkFields(ctx, given, module);
      await mayDirect(ctx, given);
      const search = isSearch(module) ? searchFor(given, module) : undefined;
      const companyId = given.company_id ?? (ctx.actor.kind === 'client' ? ctx.actor.companyId : undefined);
      if (!companyId)
        throw new Refusal('invalid', 'company_id: is required', { errors: { company_id: ['is required'] } });
      const company = await inScope(db.app, ctx.scope, async (tx) => {
        await extras.checkMayAdd(tx, ctx, companyId);
        return tenants.company(tx, companyId);
      });
      if (company?.kind !== 'client' || !company.agency_id) return missing();
      const owner = { root_id: company.root_id, agency_id: company.agency_id, company_id: companyId };
      if (!(await modulesOf(company)).includes(module))
        throw new Refusal('forbidden', 'module: is not one of this client’s products', {
          errors: { module: ['is not one of this client’s products'] },
        });
      const now = clock.now();
      // Before the transaction below, not inside: a request that holds one connection must not wait for another.
      const isClient = ctx.actor.kind === 'client';
      const usual = await usualCosts(owner, module, now, isClient);
      const retail = retailWith(usual.retail, given);
      if (retail.topup === 'continual') await ctx.mustBeConfirmed();
      checkLeast(retail, usual.least(retail.term));
      const bounds = {
        daily_cap: given.daily_cap === undefined ? (usual.limits?.daily_cap ?? null) : given.daily_cap,
        starts_on: given.starts_on === undefined ? (usual.limits?.starts_on ?? null) : given.starts_on,
        ends_on: given.ends_on === undefined ? (usual.limits?.ends_on ?? null) : given.ends_on,
      };
      if (bounds.starts_on && bounds.ends_on && bounds.ends_on < bounds.starts_on)
        throw new Refusal('invalid', 'ends_on: must not be before the start date', {
          errors: { ends_on: [`must not be before the start date, ${bounds.starts_on}`] },
        });
      // The period goes with the number: a new number needs its own period, or means per day.
      const every = given.daily_cap === undefined ? usual.limits?.limit_every : undefined;
      const limit = extras.limit(
        ctx,
        given,
        { ...NO_LIMIT, limit_every: every ?? NO_LIMIT.limit_every },
        bounds.daily_cap,
      );
      return inScope(db.app, ctx.scope, async (tx) => {
        if (!(await tenants.keepCompany(tx, companyId))) return missing();
        await boundedBy(tx, 'campaigns', companyId, 'company_id');
        const asked = askedOf(given, module, await information.fieldsToAsk(tx, owner.root_id, companyId));
        const price = priceWith(retail, asked);
        if (module === 'enhance')
          leastLimit(await pricing.leastLeads(tx), bounds.daily_cap, limit.limit_every);
        const id = newId(now);
        // Clients that owe for leads, or are billed outside the system, don't wait for a balance.
        const isOwed = retail.term === 'Weekly' || retail.term === 'Monthly';
        const needsBalance =
          price > 0n && !isOwed && !(await billing.accounts.billsManually(tx, owner.agency_id));
        const why =
          (await store.barOf(tx, owner.agency_id, companyId)) ??
          (given.draft === 'T' ? 'person' : needsBalance ? 'balance_empty' : null);
        await store.insertCampaign(tx, {
          id,
          ...owner,
          module,
          ...columns(given, module),
          ...bounds,
          ...limit,
          ...asked,
          state: why ? 'paused' : 'active',
          state_reason: why,
          site_key: newSiteKey(),
          created_at: now,
          updated_at: now,
        });
        await pricing.beginCampaign(tx, owner, { id, module, at: now }, retail);
        const held = (await beginMargin(tx, ctx, { ...owner, id, module }, given)) || !usual.isPriced;
        if (held && !why)
          await store.updateCampaign(tx, id, {
            state: 'paused',
            state_reason: 'below_cost',
            updated_at: now,
          });
        if (search) await aim(tx, { ...owner, id, module }, search, given.description ?? '');
        await extras.save(tx, ctx, { id, ...owner }, given, company.time_zone);
        if (!why && !held) await started(tx, { ...owner, id });
        await audit.record(tx, ctx, {
          action: 'campaign.create',
          objectKind: 'campaign',
          objectId: id,
          description: `Created campaign ${given.campaign_name}`,
          owner,
        });
        return one(tx, ctx, id);
      });
    },

    /**
     * Changes a campaign: omitted fields stay unchanged. Refused if someone else changed it since `version`, if one is
     * given.
     */
    async update(
      ctx: Ctx,
      change: Change & {
        campaign_id: string;
        version?: number | undefined;
        effective_from?: string | undefined;
      },
      only?: Module,
    ) {
      await mayDirect(ctx, change, change.campaign_id);
      await mayCharge(ctx, change.campaign_id, change);
      return inScope(db.app, ctx.scope, async (tx) => {
        const row = (await store.campaignById(tx, change.campaign_id)) ?? missing();
        // Ad campaigns have a form of their own (features/ads).
        if (row.module === 'simplifi') return missing();
        const module = row.module;
        if (only && module !== only) return missing();
        const given = { ...change, ...keptOf(row, change) };
        checkFields(ctx, given, module);
        const kept = isSearch(module) ? (await targetsOf(tx, [row.id])).get(row.id) : undefined;
        const aimed = searchAfter(given, module, kept);
        const limit = extras.limit(ctx, given, row, given.daily_cap ?? null);
        if (module === 'enhance')
          leastLimit(await pricing.leastLeads(tx), given.daily_cap ?? null, limit.limit_every);
        const asked = askedOf(given, module, await information.fieldsToAsk(tx, row.root_id, row.company_id));
        const before = (await pricing.excessOf(tx, [row.id], clock.now())).get(row.id) ?? 0n;
        if (
          !(await store.updateCampaign(
            tx,
            row.id,
            {
              ...columns(given, module),
              ...limit,
              ...asked,
              updated_at: clock.now(),
            },
            change.version ?? row.version,
          ))
        ) {
          throw new Refusal(
            'conflict',
            'Someone else changed this campaign in the meantime. Reload to see their changes, then make yours again.',
            {
              errors: { version: ['is not the current one'] },
            },
          );
        }
        if (changesScores(row, columns(given, module)))
          await platform.events.emit(tx, 'campaign.scores_changed', {
            rootId: row.root_id,
            campaignId: row.id,
          });
        const priced = await pricing.changeCampaign(tx, row, given);
        await keepMargin(tx, ctx, row, { given, asked, before, isPriced: priced !== '' });
        if (aimed) await aim(tx, row, aimed.search, aimed.description);
        await extras.save(
          tx,
          ctx,
          row,
          given,
          (await store.timeZones(tx, [row.company_id])).get(row.company_id) ?? missing(),
        );
        await audit.record(tx, ctx, {
          action: 'campaign.update',
          objectKind: 'campaign',
          objectId: row.id,
          description: `Changed campaign #${row.number} ${given.campaign_name}${priced ? `: ${priced}` : ''}`,
          owner: ownerOf(row),
        });
        return one(tx, ctx, row.id);
      });
    },

    /**
     * Creates a paused copy of a campaign: its settings and current costs, without leads, balance, notices and reports.
     * Values below the root's minimum are raised to it, and data fields that are no longer offered are left out.
     */
    async duplicate(ctx: Ctx, id: string) {
      const now = clock.now();
      const [{ root_id, agency_id }, costs] = await inScope(db.app, ctx.scope, async (tx) => [
        (await store.campaignById(tx, id)) ?? missing(),
        await pricing.retailOf(tx, [id], now),
      ]);
      if (costs[0]?.topup === 'continual') await ctx.mustBeConfirmed();
      // As for a new campaign: in the agency's scope, and before the transaction.
      const least = await inScope(db.app, { rootId: root_id, agencyId: agency_id }, (tx) =>
        pricing.leastOf(tx, now),
      );
      return inScope(db.app, ctx.scope, async (tx) => {
        const row = (await store.campaignById(tx, id)) ?? missing();
        if (row.module === 'simplifi') return missing();
        await extras.checkMayAdd(tx, ctx, row.company_id);
        await boundedBy(tx, 'campaigns', row.company_id, 'company_id');
        const [kept] = await pricing.retailOf(tx, [id], now);
        const { campaign_id: _, ...retail } = kept ?? { campaign_id: null, ...FREE };
        const {
          number: _number,
          version: _version,
          pixel_check: _check,
          pixel_checked_at: _at,
          ...same
        } = row;
        const copy = newId(now);
        const name = `Copy of ${row.name}`.slice(0, 255);
        await store.insertCampaign(tx, {
          ...same,
          ...stillAsked(row, await information.fieldsToAsk(tx, row.root_id, row.company_id)),
          ...(row.module === 'enhance'
            ? { daily_cap: limitAtLeast(await pricing.leastLeads(tx), row.daily_cap, row.limit_every) }
            : {}),
          id: copy,
          name,
          state: 'paused',
          state_reason: 'person',
          site_key: newSiteKey(),
          created_at: now,
          updated_at: now,
        });
        const owner = { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id };
        await pricing.beginCampaign(
          tx,
          owner,
          { id: copy, module: row.module, at: now },
          atLeast(retail, least(row.module, retail.term)),
        );
        // The agency knows what it pays, for a copy as well; for a client's copy it has not accepted anything.
        if (ctx.actor.kind === 'agency')
          await pricing.acceptLoss(tx, { ...owner, id: copy, module: row.module });
        const target = (await targetsOf(tx, [id])).get(id);
        if (target) await aim(tx, { ...owner, id: copy, module: row.module }, target, target.description);
        const group = (await groups.of(tx, ctx, [id])).get(id);
        if (group) await groups.put(tx, ctx, copy, group);
        await audit.record(tx, ctx, {
          action: 'campaign.create',
          objectKind: 'campaign',
          objectId: copy,
          description: `Created campaign ${name} as a copy of #${row.number}`,
          owner: ownerOf(row),
        });
        return one(tx, ctx, copy);
      });
    },

    /**
     * The defaults of a new campaign of a client.
     * @throws Refusal 404 if it is not a client in scope
     */
    async resource(ctx: Ctx, given: string | undefined, module: Module) {
      const companyId = given ?? ctx.actor.companyId;
      const company = await inScope(db.app, ctx.scope, (tx) => tenants.company(tx, companyId));
      if (company?.kind !== 'client' || !company.agency_id) return missing();
      const owner = { root_id: company.root_id, agency_id: company.agency_id, company_id: companyId };
      const { retail, limits, least, isPriced } = await usualCosts(
        owner,
        module,
        clock.now(),
        ctx.actor.kind === 'client',
      );
      const modules = await modulesOf(company);
      const isOwed = retail.term === 'Weekly' || retail.term === 'Monthly';
      const { isManual, fields, leastLeads } = await inScope(db.app, ctx.scope, async (tx) => ({
        isManual: !isOwed && (await billing.accounts.billsManually(tx, owner.agency_id)),
        fields: await information.fieldsFor(tx, companyId),
        leastLeads: await pricing.leastLeads(tx),
      }));
      return {
        company_id: companyId,
        company_name: company.name,
        time_zone: company.time_zone,
        module: module,
        modules: CAMPAIGN_MODULES.filter((one) => modules.includes(one)),
        ...retailWire(retail),
        is_priced: isPriced,
        information: INFORMATION_FIELDS.filter((field) => fields.has(field.id)),
        cost_minimums: Object.fromEntries(PAYMENT_TERMS.map((term) => [term, dollarsOf(least(term))])),
        minimum_leads: module === 'enhance' ? leastLeads : null,
        daily_cap: limits?.daily_cap ?? null,
        limit_every: limits?.limit_every ?? 'day',
        starts_on: limits?.starts_on ?? null,
        ends_on: limits?.ends_on ?? null,
        first_balance_micros: isOwed || isManual ? 0 : Number(retail.lead_micros),
      };
    },

    /** Changes what a campaign with keywords, which the transaction has locked, looks for. */
    aim: async (
      tx: Tx,
      row: { id: string; root_id: string; agency_id: string; company_id: string; module: ModuleType },
      search: Search,
    ) => {
      const before = (await targetsOf(tx, [row.id])).get(row.id);
      await store.updateCampaign(tx, row.id, { updated_at: clock.now() });
      await aim(tx, row, search, before?.description ?? '');
    },

    /** Inserts a campaign as is, with the price of a lead, micro-dollars, and other costs. */
    insert: async (
      tx: Tx,
      {
        price_micros,
        costs: costsGiven,
        search,
        ...row
      }: Parameters<typeof store.insertCampaign>[1] & {
        price_micros: bigint;
        costs?: Partial<Retail>;
        search?: Search;
      },
    ): Promise<void> => {
      await store.insertCampaign(tx, row);
      const { root_id, agency_id, company_id, id, module, created_at } = row;
      const owner = { root_id, agency_id, company_id };
      await pricing.beginCampaign(
        tx,
        owner,
        { id, module, at: created_at },
        { ...costsGiven, lead_micros: price_micros },
      );
      await pricing.acceptLoss(tx, { ...owner, id, module });
      if (search) await aim(tx, { ...owner, id, module }, search, '');
      if (row.state === 'active') await started(tx, row);
    },
  };
}
