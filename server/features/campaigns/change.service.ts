import { Refusal } from '../../../contract/errors.ts';
import type { Ctx } from '../../platform/ctx.ts';
import type { Owner } from '../../platform/db/owner.ts';
import { inScope, type Tx } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import type { Platform } from '../../platform/platform.ts';
import { FREE, type Retail, type RetailLimits, retailWire, retailWith } from '../costs/index.ts';
import { type Deps, type Fields, type Module, missing, newSiteKey, ownerOf } from './base.ts';
import { type Extras, NO_LIMIT } from './extras.ts';
import { checkFields, columns } from './fields.policy.ts';
import type { States } from './state.service.ts';
import * as store from './store.ts';
import { changedSearch, type Search, searchOf } from './target.policy.ts';
import { setTarget, targetsOf } from './target.store.ts';
import type { Views } from './view.ts';

/** Makes campaigns, and changes what is set on them. */
export function createChanges(
  platform: Platform,
  { audit, billing, costs, tenants, groups }: Deps,
  { extras, states, views }: { extras: Extras; states: States; views: Views },
) {
  const { db, clock } = platform;
  const { started } = states;
  const { one } = views;

  /** Sets what a campaign looks for, and tells. */
  async function aim(tx: Tx, row: Owner & { agency_id: string; id: string }, search: Search, text: string) {
    await setTarget(tx, row, row.id, search, text, clock.now());
    await platform.events.emit(tx, 'campaign.target_changed', { rootId: row.root_id, campaignId: row.id });
  }

  /**
   * A new campaign costs (and is bounded by) what the agency has set for the client; else it costs what the client's last
   * one did, else what the agency last asked of anybody for a lead, else what the agency itself pays. Read in the
   * agency's scope: a client may not see any of it.
   */
  const usualCosts = (
    owner: { root_id: string; agency_id: string; company_id: string },
    module: Module,
    at: Date,
  ): Promise<{ retail: Retail; limits?: RetailLimits }> =>
    inScope(db.app, { rootId: owner.root_id, agencyId: owner.agency_id }, async (tx) => {
      const set = await costs.clientRetail(tx, owner.company_id, module, at);
      if (set) {
        const { daily_cap, starts_on, ends_on, ...retail } = set;
        return { retail, limits: { daily_cap, starts_on, ends_on } };
      }
      const last = await store.lastCampaign(tx, owner.agency_id, owner.company_id, module);
      const [kept] = last ? await costs.retailOf(tx, [last.id], at) : [];
      if (kept && last?.company_id === owner.company_id) {
        const { campaign_id: _, ...retail } = kept;
        return { retail };
      }
      const lead_micros =
        kept?.lead_micros ?? (await costs.wholesaleLead(tx, owner.agency_id, module, FREE.term, at));
      return { retail: { ...FREE, lead_micros } };
    });

  return {
    /** Creates a campaign for a client; a client's own people need not name it. */
    async create(
      ctx: Ctx,
      given: Fields & {
        companyID?: string | undefined;
        leadspeekType: Module;
        draft?: 'T' | 'F' | undefined;
      },
    ) {
      const module = given.leadspeekType;
      checkFields(ctx, given, module);
      const search = module === 'locator' ? searchOf(given) : undefined;
      const companyId = given.companyID ?? (ctx.actor.kind === 'client' ? ctx.actor.companyId : undefined);
      if (!companyId)
        throw new Refusal('invalid', 'companyID: is required', { errors: { companyID: ['is required'] } });
      const company = await inScope(db.app, ctx.scope, async (tx) => {
        await extras.checkMayAdd(tx, ctx, companyId);
        return tenants.company(tx, companyId);
      });
      if (company?.kind !== 'client' || !company.agency_id) return missing();
      const owner = { root_id: company.root_id, agency_id: company.agency_id, company_id: companyId };
      const now = clock.now();
      // Before the transaction below, not inside: whoever holds one connection must not wait for another.
      const usual = await usualCosts(owner, module, now);
      const retail = retailWith(usual.retail, given);
      const bounds = {
        daily_cap: given.LimitLead === undefined ? (usual.limits?.daily_cap ?? null) : given.LimitLead,
        starts_on: given.startDate === undefined ? (usual.limits?.starts_on ?? null) : given.startDate,
        ends_on: given.endDate === undefined ? (usual.limits?.ends_on ?? null) : given.endDate,
      };
      if (bounds.starts_on && bounds.ends_on && bounds.ends_on < bounds.starts_on)
        throw new Refusal('invalid', 'endDate: must not be before the start date', {
          errors: { endDate: [`must not be before the start date, ${bounds.starts_on}`] },
        });
      const price = retail.lead_micros;
      const limit = extras.limit(ctx, given, NO_LIMIT, bounds.daily_cap);
      return inScope(db.app, ctx.scope, async (tx) => {
        const id = newId(now);
        // Nobody waits for a balance who owes the leads, or who is billed outside.
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
          state: why ? 'paused' : 'active',
          state_reason: why,
          site_key: newSiteKey(),
          created_at: now,
          updated_at: now,
        });
        await costs.beginCampaign(tx, owner, { id, module, at: now }, retail);
        if (search) await aim(tx, { ...owner, id }, search, given.locatordesc ?? '');
        await extras.save(tx, ctx, { id, ...owner }, given, company.time_zone);
        if (!why) await started(tx, { ...owner, id });
        await audit.record(tx, ctx, {
          action: 'campaign.create',
          objectKind: 'campaign',
          objectId: id,
          description: `Created campaign ${given.campaignName}`,
          owner,
        });
        return one(tx, ctx, id);
      });
    },

    /** Changes a campaign; refused when somebody else changed it since `version`. */
    update: (
      ctx: Ctx,
      given: Fields & { leadspeekID: string; version: number; effective_from?: string | undefined },
      only?: Module,
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = (await store.campaignById(tx, given.leadspeekID)) ?? missing();
        const module = row.module as Module;
        if (only && module !== only) return missing();
        checkFields(ctx, given, module);
        const target = module === 'locator' ? (await targetsOf(tx, [row.id])).get(row.id) : undefined;
        const aimed = target && changedSearch(given, target);
        if (
          !(await store.updateCampaign(
            tx,
            row.id,
            {
              ...columns(given, module),
              ...extras.limit(ctx, given, row, given.LimitLead ?? null),
              updated_at: clock.now(),
            },
            given.version,
          ))
        ) {
          throw new Refusal(
            'conflict',
            'Somebody else has changed this campaign meanwhile. Reload to see their change, then make yours again.',
            {
              errors: { version: ['is not the present one'] },
            },
          );
        }
        const priced = await costs.changeCampaign(tx, row, given);
        if (aimed) await aim(tx, row, aimed.search, aimed.description);
        await extras.save(
          tx,
          ctx,
          row,
          given,
          (await store.timeZones(tx, [row.company_id])).get(row.company_id)!,
        );
        await audit.record(tx, ctx, {
          action: 'campaign.update',
          objectKind: 'campaign',
          objectId: row.id,
          description: `Changed campaign #${row.number} ${given.campaignName}${priced ? `: ${priced}` : ''}`,
          owner: ownerOf(row),
        });
        return one(tx, ctx, row.id);
      }),

    /** A paused copy of a campaign: what it is set to and what it costs now, without leads, balance, notices and reports. */
    duplicate: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = (await store.campaignById(tx, id)) ?? missing();
        await extras.checkMayAdd(tx, ctx, row.company_id);
        const now = clock.now();
        const [kept] = await costs.retailOf(tx, [id], now);
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
          id: copy,
          name,
          state: 'paused',
          state_reason: 'person',
          site_key: newSiteKey(),
          created_at: now,
          updated_at: now,
        });
        const owner = { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id };
        await costs.beginCampaign(tx, owner, { id: copy, module: row.module, at: now }, retail);
        const target = (await targetsOf(tx, [id])).get(id);
        if (target) await aim(tx, { ...owner, id: copy }, target, target.description);
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
      }),

    /** What a new campaign of a client would begin with. @throws Refusal 404 for what is no client of the scope */
    async resource(ctx: Ctx, given: string | undefined) {
      const companyId = given ?? ctx.actor.companyId;
      const company = await inScope(db.app, ctx.scope, (tx) => tenants.company(tx, companyId));
      if (company?.kind !== 'client' || !company.agency_id) return missing();
      const owner = { root_id: company.root_id, agency_id: company.agency_id, company_id: companyId };
      const { retail, limits } = await usualCosts(owner, 'local', clock.now());
      const isOwed = retail.term === 'Weekly' || retail.term === 'Monthly';
      const isManual =
        !isOwed &&
        (await inScope(db.app, ctx.scope, (tx) => billing.accounts.billsManually(tx, owner.agency_id)));
      return {
        company_id: companyId,
        company_name: company.name,
        time_zone: company.time_zone,
        ...retailWire(retail),
        LimitLead: limits?.daily_cap ?? null,
        startDate: limits?.starts_on ?? null,
        endDate: limits?.ends_on ?? null,
        first_balance_micros: isOwed || isManual ? 0 : Number(retail.lead_micros),
      };
    },

    /** Changes what a Search ID campaign, which the transaction has locked, looks for. */
    aim: async (
      tx: Tx,
      row: { id: string; root_id: string; agency_id: string; company_id: string },
      search: Search,
    ) => {
      const before = (await targetsOf(tx, [row.id])).get(row.id);
      await store.updateCampaign(tx, row.id, { updated_at: clock.now() });
      await aim(tx, row, search, before?.description ?? '');
    },

    /** Puts a campaign there as it is, with the price of a lead, micro-dollars, and other costs. */
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
      await costs.beginCampaign(
        tx,
        owner,
        { id, module, at: created_at },
        { ...costsGiven, lead_micros: price_micros },
      );
      if (search) await aim(tx, { ...owner, id }, search, '');
      if (row.state === 'active') await started(tx, row);
    },
  };
}
