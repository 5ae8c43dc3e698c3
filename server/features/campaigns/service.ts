import { randomInt } from 'node:crypto';
import type { z } from 'zod';
import type { CAMPAIGN_MODULES, CampaignFields, STATE_REASONS } from '../../../contract/campaigns.ts';
import { RetailFields } from '../../../contract/costs.ts';
import { Refusal } from '../../../contract/errors.ts';
import { messages, ownMessages } from '../../../contract/messages.ts';
import { microsOf, usd } from '../../../contract/primitives.ts';
import type { Ctx } from '../../platform/ctx.ts';
import type { Owner } from '../../platform/db/owner.ts';
import { inScope, type Tx } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import type { Limits } from '../../platform/limits.ts';
import type { Outbound } from '../../platform/outbound.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Billing, SaleRefusal } from '../billing/index.ts';
import { type Costs, FREE, type Retail, type RetailLimits, retailWire, retailWith } from '../costs/index.ts';
import { tagsOf } from '../keywords/index.ts';
import type { Tenants } from '../tenants/index.ts';
import { createExtras, NO_LIMIT } from './extras.ts';
import type { Groups } from './groups.service.ts';
import { checkPage, LOOKS } from './pixel-check.ts';
import { resumeJob } from './queue.ts';
import * as reportStore from './report.store.ts';
import * as store from './store.ts';
import { changedSearch, locationWords, needsOf, type Search, searchOf } from './target.policy.ts';
import { setTarget, targetsOf } from './target.store.ts';

type Fields = z.output<typeof CampaignFields>;
type Target = NonNullable<ReturnType<Awaited<ReturnType<typeof targetsOf>>['get']>>;
type Row = Awaited<ReturnType<typeof store.pageOfCampaigns>>['rows'][number];
type Module = (typeof CAMPAIGN_MODULES)[number];
type StateReason = (typeof STATE_REASONS)[number];

const DAY_MS = 86_400_000;
/** The fields that only who may set a price may send. */
const PRICED = [...Object.keys(RetailFields.shape), 'effective_from'];
/** Why a campaign may not run: it cannot pay for a lead, or whoever pays for it owes. */
type Stop = SaleRefusal | 'payment_failed' | 'cancelled';
/** Reasons that end by themselves, or with a top-up. */
const PASSING = ['balance_empty', 'cap_campaign', 'cap_client', 'cap_wallet', 'payment_failed'];
/** What a campaign that cannot run says. */
const STOPPED: Record<Stop, string> = {
  payment_failed: ownMessages.heldUnpaid,
  cancelled: ownMessages.heldCancelled,
  balance_empty: ownMessages.balanceEmpty,
  cap_campaign: ownMessages.capCampaign,
  cap_client: ownMessages.capClient,
  cap_wallet: ownMessages.capWallet,
};
/** No campaign holds more than a billion dollars: what is shown must stay exact as a JSON number. */
const MOST_BALANCE = 1_000_000_000_000_000n;
const KEY_LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const newSiteKey = (): string =>
  Array.from({ length: 20 }, () => KEY_LETTERS[randomInt(KEY_LETTERS.length)]).join('');

export type Campaigns = ReturnType<typeof createCampaigns>;

/** Campaigns: what a client wants recognised, at which price, under which rules. */
export function createCampaigns(
  platform: Platform,
  deps: {
    audit: Audit;
    billing: Billing;
    costs: Costs;
    tenants: Tenants;
    groups: Groups;
    outbound: Outbound;
    limits: Limits;
  },
) {
  const { db, clock } = platform;
  const { audit, billing, costs, tenants, outbound } = deps;
  const extras = createExtras(deps);
  platform.events.on('caps.changed', (tx, { rootId }) => platform.jobs.send(tx, resumeJob, [{ rootId }]));

  const missing = (): never => {
    throw new Refusal('not_found', ownMessages.notFound);
  };

  const ownerOf = (row: { root_id: string; agency_id: string; company_id: string }): Owner => ({
    root_id: row.root_id,
    agency_id: row.agency_id,
    company_id: row.company_id,
  });

  /** What campaigns cost, and for who may know it what the agency keeps of a lead's price. */
  async function moneyOf(tx: Tx, ctx: Ctx, rows: Row[]) {
    const now = clock.now();
    const costsOf = await costs.campaignCosts(
      tx,
      rows.map((row) => row.id),
      now,
    );
    const priceOf = ctx.may('cost.read') ? await billing.leadCosts(tx, rows, now) : undefined;
    return (id: string) => {
      const price = priceOf?.(id);
      return { ...costsOf(id), margin_micros: price ? Number(price.priceMicros - price.costMicros) : null };
    };
  }

  function wire(
    row: Row,
    money: ReturnType<Awaited<ReturnType<typeof moneyOf>>>,
    more: ReturnType<Awaited<ReturnType<typeof extras.of>>>,
    brandName: string,
    lastVisit: Date | null,
    target: Target | undefined,
  ) {
    const needed = [
      row.email_required && 'Email',
      row.phone_required && 'Phone',
      row.address_required && 'MailingAddress',
    ];
    return {
      ...money,
      ...more,
      locatorkeyword: target?.keywords.join('\n') ?? '',
      locationtarget: target ? locationWords(target.location) : null,
      nationaltargeting: target?.location === 'national' ? ('T' as const) : ('F' as const),
      locatorstate: target?.states ?? [],
      locatorcity: target?.cities ?? [],
      locatorzip: target?.zips.join('\n') ?? '',
      locatordesc: target?.description ?? '',
      locatorrequire: target ? needed.filter(Boolean).join(',') : '',
      leadspeekID: row.id,
      leadspeek_api_id: Number(row.number),
      leadspeekType: row.module as Module,
      company_id: row.company_id,
      company_name: row.company_name,
      agency_name: row.agency_name ?? brandName,
      campaignName: row.name,
      status: row.state,
      statusReason: row.state === 'paused' ? (row.state_reason as StateReason | null) : null,
      urlCode: row.site_url,
      urlCodeThankyou: row.thank_you_url,
      phoneenabled: row.phone_required ? ('T' as const) : ('F' as const),
      homeaddressenabled: row.address_required ? ('T' as const) : ('F' as const),
      requireemailaddress: row.email_required ? ('T' as const) : ('F' as const),
      reidentificationtype: row.reidentify as 'never',
      minConfidence: row.min_confidence,
      LimitLead: row.daily_cap,
      startDate: row.starts_on,
      endDate: row.ends_on,
      balance_micros: Number(row.balance ?? 0n),
      leads_30d: Number(row.leads_30d ?? 0n),
      visits_30d: Number(row.visits_30d ?? 0n),
      pixel_check: row.pixel_check as 'found' | null,
      pixel_checked_at: row.pixel_checked_at?.toISOString() ?? null,
      last_visit_at: (lastVisit ?? row.last_hour)?.toISOString() ?? null,
      version: row.version,
      created_at: row.created_at.toISOString(),
    };
  }

  const since30 = (): Date => new Date(clock.now().getTime() - 30 * DAY_MS);

  async function one(tx: Tx, ctx: Ctx, id: string) {
    const { rows } = await store.pageOfCampaigns(tx, {
      id,
      sort: 'created_at',
      order: 'desc',
      limit: 1,
      offset: 0,
      since: since30(),
    });
    const row = rows[0] ?? missing();
    return wire(
      row,
      (await moneyOf(tx, ctx, [row]))(id),
      (await extras.of(tx, ctx, [row]))(id),
      ctx.tenant.companyName,
      await store.lastVisitAt(tx, id, new Date(clock.now().getTime() - 7 * DAY_MS)),
      (await targetsOf(tx, [id])).get(id),
    );
  }

  const columns = (given: Fields, module: Module) => ({
    name: given.campaignName,
    site_url: module === 'local' ? given.urlCode! : '',
    thank_you_url: (module === 'local' && given.urlCodeThankyou) || null,
    phone_required: given.phoneenabled === 'T',
    address_required: given.homeaddressenabled === 'T',
    email_required: given.requireemailaddress === 'T',
    ...(module === 'locator' ? needsOf(given) : {}),
    reidentify: given.reidentificationtype,
    min_confidence: given.minConfidence,
    daily_cap: given.LimitLead ?? null,
    starts_on: given.startDate ?? null,
    ends_on: given.endDate ?? null,
  });

  function checkSite(row: { module: string }): void {
    if (row.module !== 'local')
      throw new Refusal('conflict', 'This campaign has no site, and so no tag.', {
        errors: { leadspeekID: ['is not of Site ID'] },
      });
  }

  /** Sets what a campaign looks for, and tells. */
  async function aim(tx: Tx, row: Owner & { agency_id: string; id: string }, search: Search, text: string) {
    await setTarget(tx, row, row.id, search, text, clock.now());
    await platform.events.emit(tx, 'campaign.target_changed', { rootId: row.root_id, campaignId: row.id });
  }

  function checkFields(ctx: Ctx, given: Fields, module: Module): void {
    if (module === 'local' && given.urlCode === undefined)
      throw new Refusal('invalid', 'urlCode: is required', { errors: { urlCode: ['is required'] } });
    if (given.startDate && given.endDate && given.endDate < given.startDate) {
      throw new Refusal('invalid', 'endDate: must not be before the start date', {
        errors: { endDate: ['must not be before the start date'] },
      });
    }
    const priced = PRICED.find((field) => given[field as 'CostSet'] !== undefined);
    if (priced && !ctx.may('campaign.price')) {
      throw new Refusal('forbidden', `${priced}: the price is set by your agency.`, {
        errors: { [priced]: ['is set by the agency'] },
      });
    }
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

  /** Why a campaign, which the transaction has locked, could not sell its next lead; null: it could. */
  async function cannotSell(
    tx: Tx,
    row: { id: string; root_id: string; agency_id: string; company_id: string; module: string },
    at: Date,
  ): Promise<Stop | null> {
    const bar = await store.barOf(tx, row.agency_id, row.company_id);
    if (bar) return bar;
    const of = { rootId: row.root_id, agencyId: row.agency_id, clientId: row.company_id };
    const till = await billing.openTill(tx, [{ id: row.id, ...of }], at);
    return till.refusal({ ...of, campaignId: row.id, ...(await billing.selling(tx, [row], at))(row.id) });
  }

  const started = (tx: Tx, row: { id: string; root_id: string }): Promise<void> =>
    platform.events.emit(tx, 'campaign.started', { rootId: row.root_id, campaignId: row.id });

  /** Changes the state of a campaign, checked against what the change needs. */
  async function setState(
    tx: Tx,
    ctx: Ctx,
    id: string,
    to: 'active' | 'paused' | 'archived' | 'removed',
    action: string,
  ): Promise<void> {
    const row = (await store.campaignById(tx, id, true)) ?? missing();
    const from = row.state;
    const allowed = {
      active: ['paused', 'active'],
      paused: ['active', 'paused', 'archived'],
      archived: ['active', 'paused', 'archived'],
      removed: ['active', 'paused', 'archived'],
    }[to];
    if (!allowed.includes(from)) {
      throw new Refusal('conflict', `The campaign is ${from}; bring it back first.`, {
        errors: { status: [`cannot go from ${from} to ${to}`] },
      });
    }
    if (to === 'active') {
      const why = await cannotSell(tx, row, clock.now());
      if (why) {
        const rule = {
          balance_empty: 'needs balance',
          payment_failed: 'needs everything that is due to be paid',
          cancelled: 'needs a package',
          limit: 'is stopped by a limit',
        }[why.startsWith('cap_') ? 'limit' : (why as Exclude<Stop, `cap_${string}`>)];
        throw new Refusal('conflict', STOPPED[why], { errors: { status: [rule] } });
      }
    }
    if (to === 'removed')
      await platform.events.emit(tx, 'campaign.removing', { campaignId: id, owner: ownerOf(row) });
    await store.updateCampaign(tx, id, {
      state: to,
      state_reason: to === 'paused' ? 'person' : null,
      updated_at: clock.now(),
    });
    if (to === 'active' && from !== 'active') await started(tx, row);
    await audit.record(tx, ctx, {
      action,
      objectKind: 'campaign',
      objectId: id,
      description: `Campaign #${row.number} ${row.name}: ${from} to ${to}`,
      owner: ownerOf(row),
    });
  }

  /** Sets campaigns of a root going that a limit had stopped and no limit stops any more. Returns how many. */
  const resumeCapped = (rootId: string): Promise<number> =>
    inScope(db.app, { rootId }, async (tx) => {
      const waiting = await store.cappedCampaigns(tx, rootId);
      if (waiting.length === 0) return 0;
      const at = clock.now();
      const rows = (await store.lockCampaigns(tx, waiting)).filter(
        (row) => row.state === 'paused' && row.state_reason?.startsWith('cap_'),
      );
      let resumed = 0;
      for (const row of rows) {
        const why = await cannotSell(tx, row, at);
        if (why === row.state_reason) continue;
        await store.updateCampaign(tx, row.id, {
          state: why ? 'paused' : 'active',
          state_reason: why,
          updated_at: at,
        });
        if (why) continue;
        resumed++;
        await started(tx, row);
        await audit.recordSystem(tx, at, ownerOf(row), {
          action: 'campaign.resumed',
          objectKind: 'campaign',
          objectId: row.id,
          description: `Campaign #${row.number} goes on: no limit stops it any more`,
        });
      }
      return resumed;
    });

  return {
    list: (ctx: Ctx, asked: Omit<store.CampaignList, 'since' | 'id'>) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await store.pageOfCampaigns(tx, { ...asked, since: since30() });
        const moneyFor = await moneyOf(tx, ctx, rows);
        const targets = await targetsOf(
          tx,
          rows.filter((row) => row.module === 'locator').map((row) => row.id),
        );
        const moreOf = await extras.of(tx, ctx, rows);
        const brand = ctx.tenant.companyName;
        return {
          rows: rows.map((row) =>
            wire(row, moneyFor(row.id), moreOf(row.id), brand, null, targets.get(row.id)),
          ),
          total,
        };
      }),

    get: (ctx: Ctx, id: string) => inScope(db.app, ctx.scope, (tx) => one(tx, ctx, id)),

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
        const group = (await deps.groups.of(tx, ctx, [id])).get(id);
        if (group) await deps.groups.put(tx, ctx, copy, group);
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

    setState: (ctx: Ctx, id: string, to: 'active' | 'paused' | 'archived', action: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        await setState(tx, ctx, id, to, action);
        return one(tx, ctx, id);
      }),

    remove: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, (tx) => setState(tx, ctx, id, 'removed', 'campaign.remove')),

    /** The tag for the site: the script comes from the host of the campaign's agency. */
    snippet: async (ctx: Ctx, id: string) => {
      const row = await inScope(
        db.app,
        ctx.scope,
        async (tx) => (await store.campaignById(tx, id)) ?? missing(),
      );
      checkSite(row);
      const host = (await tenants.primaryHost(row.agency_id)) ?? ctx.tenant.host;
      const here = new URL(ctx.origin);
      const origin = `${here.protocol}//${host}${here.port ? `:${here.port}` : ''}`;
      const script = `${origin}/p/v1/${row.site_key}.js`;
      return {
        tag: `<script async src="${script}"></script>`,
        script_url: script,
        csp: [`script-src ${origin}`, `connect-src ${origin}`],
      };
    },

    /** Fetches the site and looks for the tag; a visit within the last day proves it, too. */
    checkPixel: async (ctx: Ctx, id: string) => {
      const now = clock.now();
      const { row, seen } = await inScope(db.app, ctx.scope, async (tx) => ({
        row: (await store.campaignById(tx, id)) ?? missing(),
        seen: await store.lastVisitAt(tx, id, new Date(now.getTime() - DAY_MS)),
      }));
      checkSite(row);
      await deps.limits.take(LOOKS, ctx.actor.userId);
      const record = (verdict: 'found' | 'not_found' | 'blocked') =>
        inScope(db.app, ctx.scope, async (tx) => {
          await store.updateCampaign(tx, id, { pixel_check: verdict, pixel_checked_at: now });
          await audit.record(tx, ctx, {
            action: 'campaign.pixel_check',
            objectKind: 'campaign',
            objectId: id,
            description: `Looked for the tag on ${row.site_url}: ${verdict}`,
            owner: ownerOf(row),
          });
        });
      try {
        const { result, message } = await checkPage({
          siteUrl: row.site_url,
          siteKey: row.site_key,
          outbound,
        });
        const found = result === 'found' || Boolean(seen);
        await record(found ? 'found' : 'not_found');
        return {
          result: 'success' as const,
          found,
          via: result === 'found' ? ('page' as const) : seen ? ('visit' as const) : ('none' as const),
          message:
            result !== 'found' && seen
              ? `${message} Visits have arrived in the last day, though, so it works.`
              : message,
        };
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'blocked') throw error;
        await record('blocked');
        throw new Refusal('blocked', messages.crawlBlocked);
      }
    },

    /** Records prepaid balance; a campaign that stood still for want of it goes on. */
    topUp: (ctx: Ctx, id: string, amount: string, key: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const amountMicros = microsOf(amount);
        if (amountMicros <= 0n)
          throw new Refusal('invalid', 'amount: must be above 0', {
            errors: { amount: ['must be above 0'] },
          });
        if (amountMicros % 10_000n !== 0n)
          throw new Refusal('invalid', 'amount: must be in whole cents', {
            errors: { amount: ['must be in whole cents'] },
          });
        // Locked before the balance, as everywhere, and before its state is read: it may be about to be paused.
        const row = (await store.campaignById(tx, id, true)) ?? missing();
        const of = { rootId: row.root_id, agencyId: row.agency_id, clientId: row.company_id, campaignId: id };
        const posted = await billing.topUp(tx, { ...of, amountMicros, key }, clock.now());
        const balance = (await billing.prepaidOf(tx, [id])).get(id) ?? 0n;
        if (balance > MOST_BALANCE) {
          throw new Refusal('invalid', 'amount: must not raise the balance above $1,000,000,000', {
            errors: { amount: ['must not raise the balance above $1,000,000,000'] },
          });
        }
        if (posted) {
          if (
            row.state === 'paused' &&
            row.state_reason === 'balance_empty' &&
            balance >= (await billing.leadCosts(tx, [row], clock.now()))(id).priceMicros &&
            !(await store.barOf(tx, row.agency_id, row.company_id))
          ) {
            await store.updateCampaign(tx, id, {
              state: 'active',
              state_reason: null,
              updated_at: clock.now(),
            });
            await started(tx, row);
          }
          await audit.record(tx, ctx, {
            action: 'campaign.topup',
            objectKind: 'campaign',
            objectId: id,
            description: `Recorded prepaid balance of ${usd(amountMicros)} for campaign #${row.number}`,
            owner: ownerOf(row),
          });
        }
        return balance;
      }),

    /** The keywords of a pasted text, each form once. */
    tags(text: string) {
      const tags = tagsOf(text).map((one) => one.text);
      const given = text.split(/[\n\r,;\t|]+/u).filter((part) => tagsOf(part).length > 0).length;
      return { tags, repeated: given - tags.length };
    },

    refusals: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await store.campaignById(tx, id))) return missing();
        return store.refusalsOf(tx, id, since30());
      }),

    // For the features above.
    /** What campaigns look for, by campaign. */
    targets: targetsOf,
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
    /** A campaign that the scope may see, whatever its state; null when there is none. */
    visible: async (tx: Tx, id: string) => (await store.campaignById(tx, id)) ?? null,
    lock: store.lockCampaigns,
    /** Pauses a campaign that cannot pay for another lead (its balance, a limit), and says why. */
    stop: async (
      tx: Tx,
      row: { id: string; number: bigint; root_id: string; agency_id: string; company_id: string },
      why: SaleRefusal,
      at: Date,
    ) => {
      await store.updateCampaign(tx, row.id, { state: 'paused', state_reason: why, updated_at: at });
      await audit.recordSystem(tx, at, ownerOf(row), {
        action: 'campaign.paused',
        objectKind: 'campaign',
        objectId: row.id,
        description: `Campaign #${row.number} was paused: ${STOPPED[why]}`,
      });
    },
    /** Sets a campaign of `lock` going that had stood still for want of balance, when the balance covers a lead again. */
    goOn: async (tx: Tx, row: Awaited<ReturnType<typeof store.lockCampaigns>>[number], at: Date) => {
      if (row.state !== 'paused' || row.state_reason !== 'balance_empty') return;
      const balance = (await billing.prepaidOf(tx, [row.id])).get(row.id) ?? 0n;
      if (balance < (await billing.leadCosts(tx, [row], at))(row.id).priceMicros) return;
      await store.updateCampaign(tx, row.id, { state: 'active', state_reason: null, updated_at: at });
      await audit.recordSystem(tx, at, ownerOf(row), {
        action: 'campaign.resumed',
        objectKind: 'campaign',
        objectId: row.id,
        description: `Campaign #${row.number} goes on: its balance covers leads again`,
      });
    },
    resumeCapped,
    /** Why no campaign of an agency, or of a client of it, may run; null: nothing of the kind. */
    barOf: store.barOf,
    /**
     * Stops all campaigns of an agency, or of a client of it, and says why. For 'payment_failed' those that run; for the
     * others also those that would go on by themselves. Answers those that were stopped; who asks records it.
     */
    async hold(
      tx: Tx,
      of: { agencyId: string; clientId?: string | undefined },
      reason: 'payment_failed' | 'cancelled' | 'billing_changed',
      at: Date,
    ) {
      // Paused ones are locked, too: one that is about to be activated is waited for, and stopped.
      const ids = await store.campaignsOf(tx, of);
      const held = ids.length ? await store.lockCampaigns(tx, ids) : [];
      const rows = held.filter(
        (row) =>
          row.state === 'active' ||
          (reason !== 'payment_failed' && row.state === 'paused' && PASSING.includes(row.state_reason ?? '')),
      );
      for (const row of rows)
        await store.updateCampaign(tx, row.id, { state: 'paused', state_reason: reason, updated_at: at });
      return rows;
    },
    /** Lets campaigns go on that stood still for want of a payment, as far as nothing else stops them. Answers those that do. */
    async release(tx: Tx, of: { agencyId: string; clientId?: string | undefined }, at: Date) {
      const ids = await store.campaignsOf(tx, of, 'payment_failed');
      const rows = (ids.length ? await store.lockCampaigns(tx, ids) : []).filter(
        (row) => row.state === 'paused' && row.state_reason === 'payment_failed',
      );
      const going: typeof rows = [];
      for (const row of rows) {
        const why = await cannotSell(tx, row, at);
        if (why === 'payment_failed') continue;
        await store.updateCampaign(tx, row.id, {
          state: why ? 'paused' : 'active',
          state_reason: why,
          updated_at: at,
        });
        if (why) continue;
        await started(tx, row);
        going.push(row);
      }
      return going;
    },
    countHours: (tx: Tx, rows: store.HourRow[]) =>
      rows.length ? store.addHours(tx, rows) : Promise.resolve(),
    countRefusals: (tx: Tx, rows: store.RefusalRow[]) =>
      rows.length ? store.addRefusals(tx, rows) : Promise.resolve(),
    leadsSince: store.leadsSince,
    /** Who hears of campaigns' leads (report.store.ts). */
    reports: {
      countForNotices: reportStore.countForNotices,
      lockReport: reportStore.lockReport,
      markTold: reportStore.markTold,
      dueReports: reportStore.dueReports,
      takeDue: reportStore.takeDue,
      settleReport: reportStore.settleReport,
      putOff: reportStore.putOff,
    },
    timeZones: store.timeZones,
    siteByKey: (key: string) => store.siteByKey(db.app, key),
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
    newSiteKey,
  };
}
