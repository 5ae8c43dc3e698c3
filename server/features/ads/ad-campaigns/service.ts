import type { z } from 'zod';
import type { adCampaigns } from '../../../../contract/ads/ad-campaigns.ts';
import type { AdPlatform, Channel } from '../../../../contract/ads/ad-rules.ts';
import type { Area } from '../../../../contract/ads/area-rules.ts';
import type { STATE_REASONS } from '../../../../contract/campaigns/campaigns.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { dollarsOf, microsOf, usd } from '../../../../contract/primitives.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Auth } from '../../accounts/auth/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Users } from '../../accounts/users/index.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Billing } from '../../money/billing/index.ts';
import type { Payments } from '../../money/payments/index.ts';
import type { Prepaid } from '../../money/prepaid/index.ts';
import type { Pricing } from '../../money/pricing/index.ts';
import type { SpendingLimits } from '../../money/spending-limits/index.ts';
import type { Retention } from '../../operations/retention/index.ts';
import type { AdAudiences } from '../ad-audiences/index.ts';
import { createCreatives } from './creative.service.ts';
import { createMedia } from './media.service.ts';
import {
  type Budgets,
  dayIn,
  dueOf,
  mayStillReport,
  remainingDays,
  roomOf,
  type Used,
  unknownCity,
} from './policy.ts';
import { createSpending } from './spend.service.ts';
import { countImpressions, forgetImpressions } from './spend.store.ts';
import * as store from './store.ts';

type Given = Inside<z.output<(typeof adCampaigns.update)['~orpc']['inputSchema'] & z.ZodType>>;
type Fields = Omit<Given, 'campaign_id' | 'version'>;
type StateReason = (typeof STATE_REASONS)[number];

/** A price of 1,000 impressions is that many of one. */
const THOUSAND = 1000n;

export interface AdDeps {
  audit: Audit;
  tenants: Tenants;
  campaigns: Campaigns;
  billing: Billing;
  pricing: Pricing;
  prepaid: Prepaid;
  spendingLimits: SpendingLimits;
  payments: Payments;
  auth: Auth;
  users: Users;
  adAudiences: AdAudiences;
  retention: Retention;
}

export type AdCampaigns = ReturnType<typeof createAdCampaigns>;
export type { AdRow } from './store.ts';

/** Where a campaign is shown; areas as they are stored, or about to be. */
interface Placed {
  platform: AdPlatform;
  states: readonly string[];
  zips: readonly string[];
  cities: readonly string[];
  areas: string | readonly Area[];
}

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
const refuse = (field: string, rule: string): never => {
  throw refusalOf(field, rule);
};
/** Percent as people write it, in hundredths of a percent. */
const pointsOf = (percent: string): number => Math.round(Number(percent) * 100);
const percentOf = (points: number): string => String(points / 100);
const ownerOf = (row: { root_id: string; agency_id: string; company_id: string }) => ({
  root_id: row.root_id,
  agency_id: row.agency_id,
  company_id: row.company_id,
});

/** Ad campaigns: their budgets, what they may bid, and what they spend (docs/decisions/0400-ad-campaigns.md). */
export function createAdCampaigns(platform: Platform, deps: AdDeps) {
  const { db, clock, config, events } = platform;
  const { audit, tenants, campaigns, billing, pricing, prepaid, payments, auth, users, adAudiences } = deps;
  const spending = createSpending(platform, deps);
  prepaid.keepBack(spending.unbooked);
  // Nothing is charged for a campaign once it is removed, however its clients are billed.
  events.on('campaign.removing', async (tx, { campaignId }) => {
    const row = await store.adCampaignById(tx, campaignId, true);
    if (!row) return;
    // Without its keys no one can be asked any more.
    const readUntil = config.simplifi ? row.synced_at : clock.now();
    if (row.held_micros + row.unposted_micros > 0n || mayStillReport(row, readUntil))
      throw new Refusal('conflict', ownMessages.adsNotBilled, {
        errors: { status: ['must be paused until its ads are billed'] },
      });
  });
  deps.retention.keep('ad_impressions', { of: 'root', count: countImpressions, remove: forgetImpressions });

  /** The columns that fields set. @throws Refusal naming the field */
  function columnsOf(given: Fields) {
    const micros = (text: string | undefined) => (text === undefined ? undefined : microsOf(text));
    const set = {
      max_bid_micros: micros(given.max_bid),
      daily_micros: micros(given.daily_budget),
      monthly_micros: micros(given.monthly_budget),
      total_micros:
        given.total_budget === undefined ? undefined : given.total_budget && microsOf(given.total_budget),
      goal_type: given.goal_type,
      goal_micros:
        given.goal_type === null
          ? null
          : given.goal_value === undefined
            ? undefined
            : given.goal_value && microsOf(given.goal_value),
      markup_bp: given.agency_markup === undefined ? undefined : pointsOf(given.agency_markup),
      frequency_cap: given.frequency_cap,
      frequency_hours: given.frequency_hours,
      click_days: given.click_days,
      view_hours: given.view_hours,
      states: given.states,
      zips: given.zips,
      cities: given.cities,
      areas: given.areas && JSON.stringify(given.areas),
    };
    return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined)) as Partial<{
      [K in keyof typeof set]: K extends 'total_micros' | 'goal_micros'
        ? bigint | null
        : Exclude<(typeof set)[K], undefined>;
    }>;
  }

  /** Checks where a campaign would be shown. @throws Refusal naming the field */
  function checkPlaces({
    platform: by,
    states = [],
    zips = [],
    cities = [],
    areas = [],
  }: Partial<Placed>): void {
    const unknown = unknownCity(cities);
    if (unknown) refuse('cities', `must be cities of the United States. ${unknown} is not known`);
    const outside = cities.find((city) => !states.includes(city.slice(-2)));
    if (outside) refuse('cities', `must be in the states of the campaign. ${outside} is not`);
    const count = typeof areas === 'string' ? (JSON.parse(areas) as unknown[]).length : areas.length;
    // It shows ads where all kinds of its places meet, and a campaign here is for whoever is in any of them.
    if (by === 'simplifi' && count > 0 && states.length + zips.length > 0)
      refuse('areas', 'cannot be combined with states or ZIP codes at Simpli.fi');
  }

  /** Checks what a campaign would be after a change; `before`: its total budget until then. @throws Refusal naming the field */
  async function check(
    tx: Tx,
    after: Budgets & {
      max_bid_micros: bigint;
      goal_type: string | null;
      goal_micros: bigint | null;
      starts_on: string | null;
      ends_on: string | null;
      held_micros?: bigint;
      spent_micros?: bigint;
    } & Partial<Placed>,
    before?: bigint | null,
  ): Promise<void> {
    checkPlaces(after);
    const least = await store.minimumsOf(tx);
    const atLeast = (field: string, amount: bigint, minimum: bigint) =>
      amount < minimum && refuse(field, `must be at least ${usd(minimum)}`);
    atLeast('max_bid', after.max_bid_micros, least.minimum_bid_micros);
    atLeast('daily_budget', after.daily_micros, least.minimum_daily_micros);
    atLeast('monthly_budget', after.monthly_micros, least.minimum_monthly_micros);
    if (after.daily_micros < after.max_bid_micros / THOUSAND)
      refuse('daily_budget', 'must cover at least one impression at the maximum bid');
    if (after.monthly_micros < after.daily_micros)
      refuse('monthly_budget', `must be at least the daily budget, ${usd(after.daily_micros)}`);
    const used = (after.held_micros ?? 0n) + (after.spent_micros ?? 0n);
    // One that stays may be below what came in of days before it was lowered.
    if (after.total_micros !== null && after.total_micros !== before && after.total_micros < used)
      refuse('total_budget', `must be at least what has been spent, ${usd(used)}`);
    if (after.goal_type && after.goal_micros === null) refuse('goal_value', 'is required');
    if (!after.goal_type && after.goal_micros !== null) refuse('goal_type', 'is required');
    if (after.goal_type === 'ctr' && after.goal_micros! > 100_000_000n)
      refuse('goal_value', 'must not exceed 100 percent');
    if (after.starts_on && after.ends_on && after.ends_on < after.starts_on)
      refuse('ends_on', 'must not be before the start date');
  }

  /** @throws Refusal 403 if someone else than the agency sets what the agency adds */
  function mayPrice(ctx: Ctx, given: Fields): void {
    if (given.agency_markup !== undefined && !ctx.may('campaign.price'))
      throw new Refusal('forbidden', 'agency_markup: the markup is set by your agency.', {
        errors: { agency_markup: ['is set by the agency'] },
      });
  }

  /** Who shows the ads of a new campaign. @throws Refusal 409 if there is no exchange */
  function platformOf(channel: Channel) {
    if (channel === 'house') return 'house' as const;
    if (config.simplifi) return 'simplifi' as const;
    // A sandbox shows ads to no one, so no real money may pay for them.
    if (payments.gateway.provider === 'sandbox') return 'sandbox' as const;
    throw new Refusal('conflict', 'No ad exchange is connected to this platform. Choose house ads instead.', {
      errors: { channel: ['has no ad exchange'] },
    });
  }

  const daysOf = (row: store.AdRow): number => remainingDays(dayIn(clock.now(), row.time_zone), row);

  /** Campaigns as they are shown. */
  async function shown(tx: Tx, ctx: Ctx, rows: readonly store.AdRow[]) {
    const balances = await billing.prepaidOf(
      tx,
      rows.map((row) => row.id),
    );
    const aims = await adAudiences.aimsOf(
      tx,
      rows.map((row) => row.id),
    );
    const aimed = (id: string, isExcluded: boolean) =>
      (aims.get(id) ?? []).flatMap((aim) => (aim.isExcluded === isExcluded ? [aim.id] : []));
    return Promise.all(
      rows.map(async (row) => {
        const isHidden =
          row.state_reason === 'payment_failed' &&
          ctx.actor.kind === 'client' &&
          (await campaigns.barOf(tx, null, row.company_id)) !== 'payment_failed';
        return {
          campaign_id: row.id,
          campaign_number: Number(row.number),
          company_id: row.company_id,
          company_name: row.company_name,
          campaign_name: row.name,
          status: row.state,
          state_reason:
            row.state === 'paused'
              ? isHidden
                ? ('agency_paused' as const)
                : (row.state_reason as StateReason | null)
              : null,
          channel: row.platform === 'house' ? ('house' as const) : ('exchange' as const),
          platform: row.platform,
          max_bid: dollarsOf(row.max_bid_micros),
          daily_budget: dollarsOf(row.daily_micros),
          monthly_budget: dollarsOf(row.monthly_micros),
          total_budget: row.total_micros === null ? null : dollarsOf(row.total_micros),
          goal_type: row.goal_type,
          goal_value: row.goal_micros === null ? null : dollarsOf(row.goal_micros),
          agency_markup: ctx.actor.kind === 'client' ? null : percentOf(row.markup_bp),
          remaining_days: daysOf(row),
          total_spend: Number(row.spent_micros),
          balance_micros: Number(balances.get(row.id) ?? 0n),
          starts_on: row.starts_on,
          ends_on: row.ends_on,
          frequency_cap: row.frequency_cap,
          frequency_hours: row.frequency_hours,
          click_days: row.click_days,
          view_hours: row.view_hours,
          states: row.states,
          zips: row.zips,
          cities: row.cities,
          areas: row.areas,
          audiences: aimed(row.id, false),
          excluded_audiences: aimed(row.id, true),
          creatives: Number(row.creatives),
          sync_error: row.sync_error,
          version: row.version,
          created_at: row.created_at.toISOString(),
        };
      }),
    );
  }
  const one = async (tx: Tx, ctx: Ctx, id: string) =>
    (await shown(tx, ctx, [(await store.adCampaignById(tx, id)) ?? missing()]))[0]!;

  /** What is charged for an amount due: whole impressions at the maximum bid, in whole cents. */
  function chargeOf(row: store.AdRow, due: bigint): { units: number; amount: bigint } {
    const price = row.max_bid_micros / THOUSAND;
    const units = (due + price - 1n) / price;
    return { units: Number(units), amount: ((units * price + 9_999n) / 10_000n) * 10_000n };
  }

  /** What a campaign has used of its budgets today. The root alone sees how its agency is billed. */
  const usedToday = (row: store.AdRow): Promise<Used> =>
    inScope(db.app, { rootId: row.root_id }, (tx) =>
      spending.usedOf(tx, row, dayIn(clock.now(), row.time_zone)),
    );
  const visible = (ctx: Ctx, id: string): Promise<store.AdRow> =>
    inScope(db.app, ctx.scope, async (tx) => (await store.adCampaignById(tx, id)) ?? missing());

  const termsShown = (least: Awaited<ReturnType<typeof store.minimumsOf>>, share: number | null) => ({
    minimum_bid: dollarsOf(least.minimum_bid_micros),
    minimum_daily: dollarsOf(least.minimum_daily_micros),
    minimum_monthly: dollarsOf(least.minimum_monthly_micros),
    platform_share: share === null ? null : percentOf(share),
  });

  /** Aims a campaign at audiences, as far as they are given. @throws Refusal 422 naming the field */
  async function aim(tx: Tx, of: Parameters<AdAudiences['aim']>[1], given: Fields): Promise<void> {
    if (given.audiences === undefined && given.excluded_audiences === undefined) return;
    const before = (await adAudiences.aimsOf(tx, [of.campaignId])).get(of.campaignId) ?? [];
    const kept = (isExcluded: boolean) =>
      before.flatMap((one) => (one.isExcluded === isExcluded ? [one.id] : []));
    await adAudiences.aim(tx, of, {
      included: given.audiences ?? kept(false),
      excluded: given.excluded_audiences ?? kept(true),
    });
  }

  /** Saves a change of a campaign that the caller may make. */
  const save = (ctx: Ctx, id: string, given: Fields, version?: number) =>
    inScope(db.app, ctx.scope, async (tx) => {
      const row = (await store.adCampaignById(tx, id, true)) ?? missing();
      const set = columnsOf(given);
      const flight = {
        starts_on: given.starts_on === undefined ? row.starts_on : given.starts_on,
        ends_on: given.ends_on === undefined ? row.ends_on : given.ends_on,
      };
      const after = { ...row, ...set, ...flight };
      await check(tx, after, row.total_micros);
      const at = clock.now();
      const saved = await campaigns.edit(
        tx,
        row.id,
        { name: given.campaign_name ?? row.name, ...flight, updated_at: at },
        version ?? row.version,
      );
      if (!saved)
        throw new Refusal(
          'conflict',
          'Someone else changed this campaign in the meantime. Reload to see their changes, then make yours again.',
          { errors: { version: ['is not the current one'] } },
        );
      await store.updateAdCampaign(tx, row.id, { ...set, updated_at: at });
      await aim(tx, { owner: ownerOf(row), campaignId: row.id, platform: row.platform }, given);
      if (after.max_bid_micros !== row.max_bid_micros)
        await pricing.changeCampaign(
          tx,
          { ...ownerOf(row), id: row.id, module: 'simplifi' },
          { lead_price: dollarsOf(after.max_bid_micros / THOUSAND) },
        );
      const words = (
        [
          ['maximum bid', row.max_bid_micros, after.max_bid_micros],
          ['daily budget', row.daily_micros, after.daily_micros],
          ['monthly budget', row.monthly_micros, after.monthly_micros],
          ['total budget', row.total_micros, after.total_micros],
        ] as const
      )
        .filter(([, before, now]) => before !== now)
        .map(
          ([name, before, now]) =>
            `${name} ${before === null ? 'none' : usd(before)} to ${now === null ? 'none' : usd(now)}`,
        );
      if (after.markup_bp !== row.markup_bp)
        words.push(`agency markup ${percentOf(row.markup_bp)}% to ${percentOf(after.markup_bp)}%`);
      await events.emit(tx, 'ads.changed', { rootId: row.root_id, campaignId: row.id });
      await audit.record(tx, ctx, {
        action: 'campaign.update',
        objectKind: 'campaign',
        objectId: row.id,
        description: `Changed ad campaign #${row.number} ${after.name}${words.length > 0 ? `: ${words.join(', ')}` : ''}`,
        owner: ownerOf(row),
      });
      return one(tx, ctx, row.id);
    });

  return {
    spending,
    /** Gives back what is promised too long, and posts what was billed, in each root whatever fails in another. */
    settle: (): Promise<void> =>
      tenants.eachRoot(async (rootId) => {
        await spending.expire(rootId);
        await spending.endLeases(rootId);
        await spending.postAll(rootId);
      }),
    creatives: createCreatives(platform, { audit }),
    media: createMedia(platform, { audit, tenants, auth, users }),
    /** For the features above: campaigns as they are stored. */
    rows: {
      /** Locks the client of a campaign, then the campaign, as whoever charges it does. */
      async lock(tx: Tx, id: string): Promise<store.AdRow | undefined> {
        await campaigns.lock(tx, [id]);
        return store.adCampaignById(tx, id, true);
      },
      byId: store.adCampaignById,
      active: store.activeOf,
      outside: store.outsideOf,
      creatives: store.creativesOf,
      outsideCreatives: store.outsideCreativesOf,
      file: store.fileOf,
      clickUrls: store.clickUrlsOf,
      set: store.updateAdCampaign,
      placeCreative: store.placeCreative,
    },

    /** Adds a campaign as it is, with its row in `campaign`. */
    async insert(
      tx: Tx,
      row: Parameters<Campaigns['insert']>[1],
      ad: Omit<
        Parameters<typeof store.insertAdCampaign>[1],
        'campaign_id' | 'root_id' | 'agency_id' | 'company_id' | 'created_at' | 'updated_at'
      >,
    ): Promise<void> {
      await campaigns.insert(tx, row);
      const { root_id, agency_id, company_id, created_at, updated_at } = row;
      await store.insertAdCampaign(tx, {
        ...ad,
        campaign_id: row.id,
        root_id,
        agency_id,
        company_id,
        created_at,
        updated_at,
      });
    },
    insertCreative: store.insertCreative,
    putTerms: store.putTerms,

    /** Creates a campaign for a client; a client's own people need not name it. @throws Refusal 403, 404, 409, 422 */
    async create(
      ctx: Ctx,
      given: Required<Pick<Fields, 'campaign_name' | 'max_bid' | 'daily_budget' | 'monthly_budget'>> &
        Fields & { company_id?: string | undefined; channel: Channel },
    ) {
      mayPrice(ctx, given);
      const companyId = given.company_id ?? (ctx.actor.kind === 'client' ? ctx.actor.companyId : undefined);
      if (!companyId) return refuse('company_id', 'is required');
      const company = await inScope(db.app, ctx.scope, async (tx) => {
        await campaigns.mayAdd(tx, ctx, companyId);
        return tenants.company(tx, companyId);
      });
      if (company?.kind !== 'client' || !company.agency_id) return missing();
      if (!(await campaigns.modulesOf(company)).includes('simplifi'))
        throw new Refusal('forbidden', 'module: is not one of this client’s products', {
          errors: { module: ['is not one of this client’s products'] },
        });
      const platformName = platformOf(given.channel);
      const owner = { root_id: company.root_id, agency_id: company.agency_id, company_id: companyId };
      const now = clock.now();
      const id = newId(now);
      const set = columnsOf(given);
      const flight = { starts_on: given.starts_on ?? null, ends_on: given.ends_on ?? null };
      const budgets = {
        max_bid_micros: set.max_bid_micros!,
        daily_micros: set.daily_micros!,
        monthly_micros: set.monthly_micros!,
        total_micros: set.total_micros ?? null,
        goal_type: set.goal_type ?? null,
        goal_micros: set.goal_micros ?? null,
      };
      return inScope(db.app, ctx.scope, async (tx) => {
        if (!(await tenants.keepCompany(tx, companyId))) return missing();
        await boundedBy(tx, 'campaigns', companyId, 'company_id');
        await check(tx, { ...set, ...budgets, ...flight, platform: platformName });
        await campaigns.insert(tx, {
          id,
          ...owner,
          module: 'simplifi',
          name: given.campaign_name,
          ...flight,
          state: 'paused',
          state_reason: 'person',
          site_key: campaigns.newSiteKey(),
          // What is sold is an impression, and this is the most that one costs.
          price_micros: budgets.max_bid_micros / THOUSAND,
          created_at: now,
          updated_at: now,
        });
        await store.insertAdCampaign(tx, {
          ...set,
          ...budgets,
          campaign_id: id,
          ...owner,
          platform: platformName,
          created_at: now,
          updated_at: now,
        });
        await aim(tx, { owner, campaignId: id, platform: platformName }, given);
        await events.emit(tx, 'ads.changed', { rootId: owner.root_id, campaignId: id });
        await audit.record(tx, ctx, {
          action: 'campaign.create',
          objectKind: 'campaign',
          objectId: id,
          description: `Created ad campaign ${given.campaign_name} with a daily budget of ${usd(budgets.daily_micros)}`,
          owner,
        });
        return one(tx, ctx, id);
      });
    },

    /** Changes a campaign. @throws Refusal 403, 404; 409 if someone else changed it; 422 naming the field */
    async update(ctx: Ctx, { campaign_id, version, ...given }: Given) {
      mayPrice(ctx, given);
      return save(ctx, campaign_id, given, version);
    },

    /** Sets what the agency adds to what ads cost. @throws Refusal 404 */
    setMarkup: (ctx: Ctx, id: string, markup: string) => save(ctx, id, { agency_markup: markup }),

    details: (ctx: Ctx, id: string) => inScope(db.app, ctx.scope, (tx) => one(tx, ctx, id)),
    list: (ctx: Ctx, asked: Parameters<typeof store.pageOfAdCampaigns>[1]) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await store.pageOfAdCampaigns(tx, asked);
        return { rows: await shown(tx, ctx, rows), total };
      }),

    /** What is left of a campaign's budgets, and what its balance lacks. @throws Refusal 404 */
    async remaining(ctx: Ctx, id: string) {
      const row = await visible(ctx, id);
      const used = await usedToday(row);
      const room = roomOf(row, used);
      const days = daysOf(row);
      return {
        day_micros: Number(room.day),
        month_micros: Number(room.month),
        total_micros: room.total === null ? null : Number(room.total),
        balance_micros: Number(room.funds),
        remaining_micros: Number(room.all),
        remaining_days: days,
        due_micros: Number(chargeOf(row, dueOf(row, used, days)).amount),
      };
    },

    /** Whether budgets could be changed to these, and what that would cost. Stores nothing. @throws Refusal 404 */
    async checkIncrease(
      ctx: Ctx,
      id: string,
      given: Pick<Fields, 'daily_budget' | 'monthly_budget' | 'total_budget'>,
    ) {
      const row = await visible(ctx, id);
      const after = { ...row, ...columnsOf(given) };
      const used = await usedToday(row);
      const days = daysOf(row);
      const reason = await inScope(db.app, ctx.scope, (tx) => check(tx, after, row.total_micros)).then(
        () => '',
        (error: unknown) => {
          if (error instanceof Refusal) return error.message;
          throw error;
        },
      );
      return {
        is_increase:
          after.daily_micros > row.daily_micros ||
          after.monthly_micros > row.monthly_micros ||
          (row.total_micros !== null &&
            (after.total_micros === null || after.total_micros > row.total_micros)),
        allowed: reason === '',
        reason,
        daily_increase_micros: Number(after.daily_micros - row.daily_micros),
        remaining_days: days,
        due_micros: Number(chargeOf(row, dueOf(after, used, days)).amount),
      };
    },

    /**
     * Buys what the balance lacks for the rest of the month with the client's card. The same key buys only once.
     * @throws Refusal 404; 409 if nothing is due, the amount is not the current one, or the card cannot be charged
     */
    async charge(ctx: Ctx, id: string, given: { amount: string; key: string }) {
      const row = await visible(ctx, id);
      const asked = microsOf(given.amount);
      const due = chargeOf(row, dueOf(row, await usedToday(row), daysOf(row)));
      if (!(await prepaid.hasOrdered(ctx, id, given.key))) {
        if (due.amount === 0n)
          throw new Refusal('conflict', 'The balance already covers the remaining days.', {
            errors: { amount: ['is not due'] },
          });
        if (asked !== due.amount)
          throw new Refusal('conflict', `The amount due is now ${usd(due.amount)}. Check it and try again.`, {
            errors: { amount: ['is not the current one'] },
          });
      }
      return prepaid.topUp(ctx, id, {
        leads: due.units,
        amount: given.amount,
        key: given.key,
        what: 'impressions',
      });
    },

    /** The minimums of a root's ad campaigns; the root itself sees its share, too. */
    minimums: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) =>
        termsShown(
          await store.minimumsOf(tx),
          ctx.actor.kind === 'root' ? ((await store.termsOf(tx, ctx.actor.rootId))?.share_bp ?? 0) : null,
        ),
      ),

    saveMinimums: (
      ctx: Ctx,
      given: {
        minimum_bid?: string | undefined;
        minimum_daily?: string | undefined;
        minimum_monthly?: string | undefined;
        platform_share?: string | undefined;
      },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rootId } = ctx.actor;
        const before = {
          ...(await store.minimumsOf(tx)),
          share_bp: (await store.termsOf(tx, rootId))?.share_bp ?? 0,
        };
        const micros = (text: string | undefined, kept: bigint) =>
          text === undefined ? kept : microsOf(text);
        const after = {
          minimum_bid_micros: micros(given.minimum_bid, before.minimum_bid_micros),
          minimum_daily_micros: micros(given.minimum_daily, before.minimum_daily_micros),
          minimum_monthly_micros: micros(given.minimum_monthly, before.minimum_monthly_micros),
          share_bp: given.platform_share === undefined ? before.share_bp : pointsOf(given.platform_share),
        };
        await store.putTerms(tx, {
          root_id: rootId,
          agency_id: null,
          company_id: rootId,
          ...after,
          updated_at: clock.now(),
        });
        await audit.record(tx, ctx, {
          action: 'setting.save',
          objectKind: 'setting',
          objectId: rootId,
          description: `Set the minimums of ad campaigns: bid ${usd(after.minimum_bid_micros)}, daily ${usd(after.minimum_daily_micros)}, monthly ${usd(after.minimum_monthly_micros)}, share ${percentOf(after.share_bp)}%`,
        });
        return termsShown(after, after.share_bp);
      }),
  };
}
