import type { z } from 'zod';
import {
  COST_FIELDS,
  COST_TERMS,
  MINIMUM_MODULES,
  MODULES,
  type ModuleType,
} from '../../../../contract/choices.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { priceOf } from '../../../../contract/money/lead-price.ts';
import type { CostAgency, RetailFields } from '../../../../contract/money/pricing.ts';
import { dollarsOf, type FREQUENCIES, microsOf, usd } from '../../../../contract/primitives.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import {
  amountText,
  beginOf,
  boundPlanned,
  type Fees,
  type FeesByName,
  feesOf,
  givenTerms,
  NO_FEES,
  namedFees,
  withGiven,
} from './policy.ts';
import * as store from './store.ts';
import { createSuppliers } from './supplier.service.ts';

type Company = NonNullable<Awaited<ReturnType<Tenants['company']>>>;
type RetailGiven = Inside<z.output<typeof RetailFields>>;
/** What a client pays, in its internal form. */
export type Retail = Omit<Awaited<ReturnType<typeof store.retailOf>>[number], 'campaign_id'>;
type Frequency = (typeof FREQUENCIES)[number];
/** The number of days in a limit's period, for scaling a daily minimum. */
export const FREQUENCY_DAYS: Record<Frequency, number> = { day: 1, week: 7, month: 30 };
/** The limits that a client's next campaign starts with. */
export interface RetailLimits {
  daily_cap: number | null;
  limit_every: Frequency;
  starts_on: string | null;
  ends_on: string | null;
}

const TERMS = Object.values(COST_TERMS);
const key = (module: string, term: string): string => `${module} ${term}`;
const NAMES: Record<string, string> = Object.fromEntries(MODULES.map((one) => [one.module, one.name]));

/** What a campaign costs when nothing has been set. */
export const FREE: Retail = {
  term: 'Prepaid',
  lead_micros: 0n,
  lead_advanced_micros: 0n,
  lead_b2b_micros: 0n,
  lead_company_micros: 0n,
  lead_max_micros: 0n,
  month_micros: 0n,
  setup_micros: 0n,
  topup: 'onetime',
  leads_buy: null,
  accepted_loss_micros: 0n,
};

const feesOfRow = (row: Awaited<ReturnType<typeof store.wholesaleAt>>[number]): Fees => ({
  setup: row.setup_micros,
  month: row.month_micros,
  lead: row.lead_micros,
  advanced: row.lead_advanced_micros,
  company: row.lead_company_micros,
});

/** The costs of a client as sent over the wire. */
export const retailWire = (row: Retail) => ({
  lead_price: dollarsOf(row.lead_micros),
  lead_price_advanced: dollarsOf(row.lead_advanced_micros),
  lead_price_b2b: dollarsOf(row.lead_b2b_micros),
  lead_price_company: dollarsOf(row.lead_company_micros),
  lead_price_max: dollarsOf(row.lead_max_micros),
  monthly_fee: dollarsOf(row.month_micros),
  platform_fee: dollarsOf(row.setup_micros),
  term: row.term as 'Prepaid',
  topup: row.topup as 'onetime',
  leads_buy: row.leads_buy,
});

/** Merges the given values into the existing ones. @throws Refusal 422 naming the field where they conflict */
export function retailWith(before: Retail, given: RetailGiven): Retail {
  const micros = (text: string | undefined, old: bigint): bigint =>
    text === undefined ? old : microsOf(text);
  const after: Retail = {
    term: given.term ?? before.term,
    lead_micros: micros(given.lead_price, before.lead_micros),
    lead_advanced_micros: micros(given.lead_price_advanced, before.lead_advanced_micros),
    lead_b2b_micros: micros(given.lead_price_b2b, before.lead_b2b_micros),
    lead_company_micros: micros(given.lead_price_company, before.lead_company_micros),
    lead_max_micros: micros(given.lead_price_max, before.lead_max_micros),
    month_micros: micros(given.monthly_fee, before.month_micros),
    setup_micros: micros(given.platform_fee, before.setup_micros),
    topup: given.topup ?? before.topup,
    leads_buy: given.leads_buy === undefined ? before.leads_buy : given.leads_buy,
    accepted_loss_micros: before.accepted_loss_micros,
  };
  if (after.lead_max_micros > 0n) {
    for (const [field, column] of [...PRICES, COMPANY_PRICE])
      if (after[column] > after.lead_max_micros)
        throw refusalOf(field, `must not be above the maximum cost per lead, ${usd(after.lead_max_micros)}`);
  }
  if (after.topup === 'continual' && after.term !== 'Prepaid')
    throw refusalOf('topup', 'can only be continual with the payment term Prepaid');
  if (after.topup === 'continual' && after.leads_buy === null)
    throw refusalOf('leads_buy', 'is required for a continual top-up');
  return after;
}

/** The price of a company without a person. The root's minimums are for people. */
const COMPANY_PRICE = ['lead_price_company', 'lead_company_micros'] as const;
/** The prices of a lead by their wire names. */
const PRICES = [
  ['lead_price', 'lead_micros'],
  ['lead_price_advanced', 'lead_advanced_micros'],
  ['lead_price_b2b', 'lead_b2b_micros'],
] as const;

/**
 * Refuses a price below the root's minimum for the term (spec product 5). A price of 0 counts as not set, except for
 * the plain one.
 * @throws Refusal 422 naming the field
 */
export function checkLeast(retail: Retail, least: bigint): void {
  for (const [field, column] of PRICES)
    if (retail[column] < least && (field === 'lead_price' || retail[column] > 0n))
      throw refusalOf(field, messages.costPerLeadMinimum.replace('{amount}', usd(least)));
}

/** The data fields that a campaign's leads come with, by id. */
interface Asked {
  advance_information?: readonly number[] | undefined;
  b2b_information?: readonly number[] | undefined;
}

/** Returns what a lead costs with the requested data, as the database calculates it (lead_price). */
export const priceWith = (retail: Retail, asked: Asked): bigint =>
  priceOf(
    {
      lead_price: retail.lead_micros,
      lead_price_advanced: retail.lead_advanced_micros,
      lead_price_b2b: retail.lead_b2b_micros,
    },
    { advance_information: asked.advance_information ?? [], b2b_information: asked.b2b_information ?? [] },
  );

/** Returns the same prices, each raised to at least the root's minimum. */
export const atLeast = (retail: Retail, least: bigint): Retail => ({
  ...retail,
  ...Object.fromEntries(
    PRICES.map(([field, column]) => [
      column,
      retail[column] < least && (field === 'lead_price' || retail[column] > 0n) ? least : retail[column],
    ]),
  ),
});

const same = (a: object, b: object): boolean =>
  Object.entries(a).every(([field, value]) => (b as Record<string, unknown>)[field] === value);

export type Pricing = ReturnType<typeof createPricing>;

/** What roots charge agencies and agencies charge clients, by date (docs/decisions/0034-costs.md). */
export function createPricing(platform: Platform, { tenants, audit }: { tenants: Tenants; audit: Audit }) {
  const { db, clock, events } = platform;
  const suppliers = createSuppliers(platform, { tenants, audit });
  /**
   * Returns when a change that begins on a given day takes effect, and what the campaign would cost then without it.
   * @throws Refusal 422 when the day is over
   */
  async function retailFrom(tx: Tx, campaign: { id: string; company_id: string }, day: string | undefined) {
    const zone = (await tenants.company(tx, campaign.company_id))?.time_zone ?? 'UTC';
    // Read once: costs that begin now must not begin before they are recorded.
    const recorded_at = clock.now();
    const valid_from = beginOf(day, zone, recorded_at);
    const [kept] = await store.retailOf(tx, [campaign.id], valid_from);
    const { campaign_id: _, ...before } = kept ?? { campaign_id: null, ...FREE };
    return { valid_from, recorded_at, before };
  }

  /** Returns the minimums that the scope's root sets for a lead. */
  async function leastOf(tx: Tx, at: Date): Promise<(module: string, term: string) => bigint> {
    const rows = await store.minimums(tx, MINIMUM_MODULES, TERMS, at);
    const least = new Map(rows.map((row) => [key(row.module, row.term), row.least]));
    return (module, term) => least.get(key(module, term)) ?? 0n;
  }

  /** Returns what a company's leads and months cost at an instant: as set, but never below the root's minimum. */
  async function wholesaleOf(
    tx: Tx,
    company: Pick<Company, 'id' | 'kind'>,
    at: Date,
  ): Promise<(module: string, term: string) => Fees> {
    const kept = new Map(
      (await store.wholesaleAt(tx, company.id, at)).map((row) => [key(row.module, row.term), feesOfRow(row)]),
    );
    const least = await leastOf(tx, at);
    return (module, term) => {
      const fees = kept.get(key(module, term)) ?? NO_FEES;
      const minimum = company.kind === 'agency' ? least(module, term) : 0n;
      return fees.lead < minimum ? { ...fees, lead: minimum } : fees;
    };
  }

  /** Returns the modules that have costs: Simplifi only in the master root's tree. */
  const modulesOf = (isMaster: boolean): string[] =>
    Object.keys(COST_FIELDS).filter((module) => module !== 'simplifi' || isMaster);
  const inMasterTree = async (tx: Tx, company: Company): Promise<boolean> =>
    (await tenants.frontDoor(company.root_id, tx)).master_id === company.root_id;

  /** Returns the cost setting of an agency, or the minimums of a root (spec product 3), with planned changes. */
  async function readAgency(tx: Tx, company: Company) {
    const now = clock.now();
    const modules = modulesOf(await inMasterTree(tx, company));
    const least = await leastOf(tx, now);
    const planned: { effective_from: string; data: FeesByName }[] = [];
    for (const row of await store.wholesaleAfter(tx, company.id, now)) {
      const effective_from = row.valid_from.toISOString();
      if (planned.at(-1)?.effective_from !== effective_from) planned.push({ effective_from, data: {} });
      const { data } = planned.at(-1)!;
      const term = Object.entries(COST_TERMS).find(([, name]) => name === row.term)![0];
      data[row.module] = {
        ...data[row.module],
        [term]: Object.fromEntries(
          feesOf(row.module).map(([name, part]) => [name, amountText(feesOfRow(row)[part])]),
        ),
      };
    }
    return {
      data: namedFees(modules, await wholesaleOf(tx, company, now)),
      root_costs: namedFees(modules, (module, term) => ({ ...NO_FEES, lead: least(module, term) })),
      planned,
    };
  }

  /**
   * Sets what a root charges an agency, or (for the root itself) the minimum for a lead. Returns what changed, in
   * words. Sales users cannot set a lead, with or without data fields, below what it costs the root, and are not shown
   * that cost.
   * @throws Refusal 422 naming the field
   */
  async function saveAgency(
    tx: Tx,
    company: Company,
    owner: Owner,
    value: Inside<z.output<typeof CostAgency>>,
    { from, bySales = false }: { from?: string | undefined; bySales?: boolean },
  ): Promise<string[]> {
    const now = clock.now();
    const zone = (await tenants.company(tx, company.root_id))?.time_zone ?? 'UTC';
    const valid_from = beginOf(from, zone, now);
    const before = await wholesaleOf(tx, company, valid_from);
    const least = await leastOf(tx, valid_from);
    const modules = modulesOf(await inMasterTree(tx, company));
    const rows: Parameters<typeof store.insertWholesale>[1] = [];
    const words: string[] = [];
    for (const { module, key: termKey, term, given } of givenTerms(value)) {
      const path = (name: string): string => `${module}.${termKey}.${name}`;
      if (!modules.includes(module)) throw refusalOf(module, 'is not available on this platform');
      const old = before(module, term);
      const fees = withGiven(old, module, given);
      for (const [name, part] of feesOf(module)) {
        if (
          company.kind === 'root' &&
          fees[part] > 0n &&
          !(part === 'lead' && MINIMUM_MODULES.includes(module))
        )
          throw refusalOf(path(name), 'has no minimum because it is set for each agency');
        if (company.kind === 'agency' && part === 'lead' && fees.lead < least(module, term))
          throw refusalOf(
            path(name),
            messages.costPerLeadMinimum.replace('{amount}', usd(least(module, term))),
          );
        // What a lead with data fields costs: the plain price if there is none of its own.
        const price = part === 'advanced' && fees.advanced === 0n ? fees.lead : fees[part];
        if (
          bySales &&
          (part === 'lead' || part === 'advanced') &&
          fees[part] !== old[part] &&
          price < (await suppliers.costAt(tx, company.root_id, module, valid_from))
        )
          throw refusalOf(path(name), 'is below the platform’s lead cost. Contact an administrator');
        if (fees[part] !== old[part])
          words.push(
            `${NAMES[module]} ${term} ${name} ${amountText(old[part])} to ${amountText(fees[part])}`,
          );
      }
      if (same(fees, old)) continue;
      rows.push({
        ...owner,
        module,
        term,
        valid_from,
        recorded_at: now,
        setup_micros: fees.setup,
        month_micros: fees.month,
        lead_micros: fees.lead,
        lead_advanced_micros: fees.advanced,
        lead_company_micros: fees.company,
      });
    }
    if (rows.length > 0 && valid_from > now)
      boundPlanned(await store.wholesaleAfter(tx, company.id, now), valid_from);
    await store.insertWholesale(tx, rows);
    if (rows.length > 0)
      await events.emit(tx, 'wholesale.changed', {
        rootId: company.root_id,
        agencyId: company.kind === 'agency' ? company.id : null,
        from: valid_from,
      });
    if (from !== undefined && words.length > 0) words.push(`from ${from}`);
    return words;
  }

  const lineOf = (before: Retail | undefined, after: Retail): string => {
    const old: Record<string, unknown> = before ? retailWire(before) : {};
    return Object.entries(retailWire(after))
      .filter(([field, value]) => old[field] !== value)
      .map(([field, value]) =>
        before ? `${field} ${old[field] ?? 'none'} to ${value ?? 'none'}` : `${field} ${value ?? 'none'}`,
      )
      .join(', ');
  };

  async function clientWire(tx: Tx, companyId: string, module: ModuleType) {
    const now = clock.now();
    const kept = await store.clientRetailAt(tx, companyId, module, now);
    return {
      company_id: companyId,
      module: module as 'local',
      ...retailWire(kept ?? FREE),
      daily_cap: kept?.daily_cap ?? null,
      limit_every: kept?.limit_every ?? 'day',
      limit_starts_on: kept?.starts_on ?? null,
      limit_ends_on: kept?.ends_on ?? null,
      is_set: kept !== undefined,
      version: await store.clientRetailVersion(tx, companyId, module),
      planned: (await store.clientRetailAfter(tx, companyId, module, now)).map((row) => ({
        ...retailWire(row),
        effective_from: row.valid_from.toISOString(),
      })),
    };
  }

  async function clientOf(tx: Tx, id: string): Promise<Company & { agency_id: string }> {
    const company = await tenants.company(tx, id);
    if (company?.kind !== 'client' || !company.agency_id)
      throw new Refusal('not_found', ownMessages.notFound);
    return { ...company, agency_id: company.agency_id };
  }

  return {
    readAgency,
    saveAgency,
    suppliers,

    /** Sets what a root charges an agency for a lead of a module, at every term, from an instant on. */
    setLeadCost: (
      tx: Tx,
      given: {
        rootId: string;
        agencyId: string;
        module: ModuleType;
        costMicros: bigint;
        /** Of a company without a person. */
        companyMicros?: bigint;
        from: Date;
      },
    ): Promise<void> =>
      store.insertWholesale(
        tx,
        TERMS.map((term) => ({
          root_id: given.rootId,
          agency_id: given.agencyId,
          company_id: given.agencyId,
          module: given.module,
          term,
          valid_from: given.from,
          recorded_at: given.from,
          setup_micros: 0n,
          month_micros: 0n,
          lead_micros: given.costMicros,
          lead_advanced_micros: 0n,
          lead_company_micros: given.companyMicros ?? 0n,
        })),
      ),

    /** Returns what an agency pays for a lead at an instant, in micro-dollars. */
    wholesaleLead: async (
      tx: Tx,
      agencyId: string,
      module: string,
      term: string,
      at: Date,
    ): Promise<bigint> => (await wholesaleOf(tx, { id: agencyId, kind: 'agency' }, at))(module, term).lead,

    /**
     * Returns what a lead of each campaign costs at an instant: the client (`priceMicros`) and, at the campaign's
     * payment term, the agency (`costMicros`; 0 in a client's scope, which sees no wholesale cost). `company`: the same
     * of a company without a person. One query for all of them.
     */
    async prices(tx: Tx, campaigns: readonly store.Priced[], at: Date) {
      const rows = await store.prices(tx, campaigns, at);
      const found = new Map(
        rows.map((row) => [
          row.id,
          {
            term: row.term,
            priceMicros: row.price,
            costMicros: row.cost,
            isManual: row.manual,
            company: {
              priceMicros: row.company_price,
              costMicros: row.company_cost,
              excessMicros: row.company_excess,
            },
          },
        ]),
      );
      return (id: string) =>
        found.get(id) ?? {
          term: FREE.term,
          priceMicros: 0n,
          costMicros: 0n,
          isManual: false,
          company: { priceMicros: 0n, costMicros: 0n, excessMicros: 0n },
        };
    },

    /** The fees of campaigns at an instant, both sides (micro-dollars), in the scope of the root. */
    fees: store.fees,

    /** Returns what campaigns cost their clients at an instant, with planned changes, as sent over the wire. */
    async campaignCosts(tx: Tx, campaignIds: readonly string[], at: Date) {
      const now = new Map((await store.retailOf(tx, campaignIds, at)).map((row) => [row.campaign_id, row]));
      const later = await store.retailAfter(tx, campaignIds, at);
      return (id: string) => ({
        ...retailWire(now.get(id) ?? FREE),
        planned_costs: later
          .filter((row) => row.campaign_id === id)
          .map((row) => ({ ...retailWire(row), effective_from: row.valid_from.toISOString() })),
      });
    },

    /** Sets the initial costs of a new campaign. */
    beginCampaign: (
      tx: Tx,
      owner: Owner & { agency_id: string },
      campaign: { id: string; module: ModuleType; at: Date },
      retail: Partial<Retail>,
    ): Promise<void> =>
      store.insertRetail(tx, {
        ...owner,
        ...FREE,
        ...retail,
        accepted_loss_micros: 0n,
        campaign_id: campaign.id,
        module: campaign.module,
        valid_from: campaign.at,
        recorded_at: campaign.at,
      }),

    /**
     * Changes what a campaign costs its client from now on, or from a given day on. Returns in words what changed (''
     * if nothing did). @throws Refusal 422 naming the field
     */
    async changeCampaign(
      tx: Tx,
      campaign: { id: string; module: ModuleType } & Owner & { agency_id: string },
      given: RetailGiven & { effective_from?: string | undefined },
    ): Promise<string> {
      if (!Object.keys(retailWire(FREE)).some((field) => given[field as keyof RetailGiven] !== undefined))
        return '';
      const { valid_from, recorded_at, before } = await retailFrom(tx, campaign, given.effective_from);
      const after = retailWith(before, given);
      if (same(after, before)) return '';
      checkLeast(after, (await leastOf(tx, valid_from))(campaign.module, after.term));
      if (valid_from > recorded_at)
        boundPlanned(await store.retailAfter(tx, [campaign.id], recorded_at), valid_from);
      const { root_id, agency_id, company_id } = campaign;
      await store.insertRetail(tx, {
        root_id,
        agency_id,
        company_id,
        ...after,
        accepted_loss_micros: 0n,
        campaign_id: campaign.id,
        module: campaign.module,
        valid_from,
        recorded_at,
      });
      return `${lineOf(before, after)}${given.effective_from ? ` from ${given.effective_from}` : ''}`;
    },

    /**
     * Sets whether a campaign's prepaid leads are bought again once used up, from now on. Applies to the current and
     * planned costs, as far as they are prepaid.
     * @throws Refusal 422 when it is not prepaid, or does not say how many leads to buy
     */
    async setTopUp(
      tx: Tx,
      campaign: { id: string; module: ModuleType } & Owner & { agency_id: string },
      topup: 'onetime' | 'continual',
    ): Promise<void> {
      const at = clock.now();
      const now = (await store.retailOf(tx, [campaign.id], at)).map((row) => ({ ...row, valid_from: at }));
      if (topup === 'continual') retailWith(now[0] ?? FREE, { topup: topup });
      for (const { campaign_id, valid_from, ...before } of [
        ...now,
        ...(await store.retailAfter(tx, [campaign.id], at)),
      ]) {
        if (
          before.topup === topup ||
          (topup === 'continual' && (before.term !== 'Prepaid' || !before.leads_buy))
        )
          continue;
        await store.insertRetail(tx, {
          root_id: campaign.root_id,
          agency_id: campaign.agency_id,
          company_id: campaign.company_id,
          ...before,
          topup,
          campaign_id,
          module: campaign.module,
          valid_from,
          recorded_at: at,
        });
      }
    },

    /**
     * Records that the agency accepts the loss per lead, now and under planned changes. The agency has set what
     * campaigns cost and ask for, and knows what it pays. Runs in the agency's own scope.
     */
    async acceptLoss(
      tx: Tx,
      campaign: { id: string; module: ModuleType } & Owner & { agency_id: string },
    ): Promise<void> {
      const now = clock.now();
      const planned = await store.retailAfter(tx, [campaign.id], now);
      for (const at of [now, ...planned.map((row) => row.valid_from)]) {
        const excess = (await store.excessOf(tx, [campaign.id], at)).get(campaign.id);
        const [row] = excess ? await store.retailOf(tx, [campaign.id], at) : [];
        if (!row || !excess) continue;
        const { campaign_id, ...costs } = row;
        await store.insertRetail(tx, {
          root_id: campaign.root_id,
          agency_id: campaign.agency_id,
          company_id: campaign.company_id,
          ...costs,
          accepted_loss_micros: costs.accepted_loss_micros + excess,
          campaign_id,
          module: campaign.module,
          valid_from: at,
          recorded_at: now,
        });
      }
    },

    /**
     * Raises what a campaign costs its client to what the agency pays, now and in all planned changes. Returns whether
     * it could; it never exceeds the maximum price of a lead. In the root's or the agency's scope.
     */
    async raiseToCost(
      tx: Tx,
      campaign: { id: string; module: ModuleType } & Owner & { agency_id: string },
    ): Promise<boolean> {
      const now = clock.now();
      const planned = await store.retailAfter(tx, [campaign.id], now);
      const rows: Parameters<typeof store.insertRetail>[1][] = [];
      for (const at of [now, ...planned.map((row) => row.valid_from)]) {
        const [row] = await store.retailOf(tx, [campaign.id], at);
        const cost = (await store.leadCosts(tx, [campaign.id], at)).get(campaign.id);
        if (!row || !cost) continue;
        const { campaign_id, ...before } = row;
        const most = (a: bigint, b: bigint) => (a > b ? a : b);
        const after = {
          ...before,
          lead_micros: most(before.lead_micros, cost.plain),
          // 0 means the same as the plain price, which must then cover the cost of the data.
          lead_advanced_micros:
            before.lead_advanced_micros > 0n || cost.advanced > most(before.lead_micros, cost.plain)
              ? most(before.lead_advanced_micros, cost.advanced)
              : 0n,
          lead_b2b_micros: before.lead_b2b_micros > 0n ? most(before.lead_b2b_micros, cost.plain) : 0n,
          accepted_loss_micros: 0n,
        };
        const highest = PRICES.map(([, column]) => after[column]).reduce(most);
        if (after.lead_max_micros > 0n && highest > after.lead_max_micros) return false;
        if (same(after, before)) continue;
        const { root_id, agency_id, company_id } = campaign;
        rows.push({
          root_id,
          agency_id,
          company_id,
          ...after,
          campaign_id,
          module: campaign.module,
          valid_from: at,
          recorded_at: now,
        });
      }
      for (const row of rows) await store.insertRetail(tx, row);
      return true;
    },

    /** By how much leads of campaigns would be sold below what their agencies pay and accept (store.ts). */
    excessOf: store.excessOf,
    /**
     * Returns what agencies have chosen for campaigns when a lead's cost rises above its price, by agency id; hold
     * where nothing was chosen.
     */
    async marginRules(tx: Tx, agencyIds: readonly string[]): Promise<(agencyId: string) => store.MarginRule> {
      const rules = await store.marginRules(tx, agencyIds);
      return (id) => rules.get(id) ?? 'hold';
    },
    putMarginRule: store.putMarginRule,

    /** Returns the costs and limits of a client's next campaign, where the agency has set them. */
    clientRetail: (tx: Tx, companyId: string, module: ModuleType, at: Date) =>
      store.clientRetailAt(tx, companyId, module, at),
    retailOf: store.retailOf,
    /** Whether a change would change what automatic purchases cost, or turn them on. @throws Refusal 422 */
    changesPurchases: async (
      tx: Tx,
      campaign: { id: string; company_id: string } & Record<keyof Asked, number[]>,
      given: RetailGiven & { effective_from?: string | undefined } & Asked,
    ): Promise<boolean> => {
      const { before } = await retailFrom(tx, campaign, given.effective_from);
      if ((given.topup ?? before.topup) !== 'continual') return false;
      const after = retailWith(before, given);
      const asked = {
        advance_information: given.advance_information ?? campaign.advance_information,
        b2b_information: given.b2b_information ?? campaign.b2b_information,
      };
      return !same(after, before) || priceWith(after, asked) !== priceWith(before, campaign);
    },
    leadPrices: store.leadPrices,
    leastLeads: store.enhanceLeast,

    /**
     * The minimum that the scope's root sets for a lead, by module and term, in micro-dollars; 0 if it sets no minimum
     * (not in a client's scope).
     */
    leastOf,

    /** Returns the costs of a client's next campaigns, for any user who may see the client. */
    client: (ctx: Ctx, companyId: string, module: ModuleType) =>
      inScope(db.app, ctx.scope, async (tx) => clientWire(tx, (await clientOf(tx, companyId)).id, module)),

    /**
     * Sets the costs of a client's next campaigns. @throws Refusal 403 that asks for a confirmation where they are bought
     * automatically, 404, 422 naming the field, 409 when `version` is not
     * the newest
     */
    saveClient: async (
      ctx: Ctx,
      given: RetailGiven & {
        company_id: string;
        module: ModuleType;
        daily_cap?: number | null | undefined;
        limit_every?: Frequency | undefined;
        limit_starts_on?: string | null | undefined;
        limit_ends_on?: string | null | undefined;
        effective_from?: string | undefined;
        version?: string | undefined;
      },
    ) => {
      // Before the transaction: a request that holds one connection must not wait for another.
      const asks = await inScope(db.app, ctx.scope, async (tx) => {
        const { id, time_zone } = await clientOf(tx, given.company_id);
        const from = beginOf(given.effective_from, time_zone, clock.now());
        const before = (await store.clientRetailAt(tx, id, given.module, from)) ?? FREE;
        const after = retailWith(before, given);
        return after.topup === 'continual' && !same(after, before);
      });
      if (asks) await ctx.mustBeConfirmed();
      return inScope(db.app, ctx.scope, async (tx) => {
        const company = await clientOf(tx, given.company_id);
        await store.lockClientRetail(tx, company.id);
        if (
          given.version !== undefined &&
          given.version !== (await store.clientRetailVersion(tx, company.id, given.module))
        )
          throw new Refusal('conflict', ownMessages.costStale);
        const now = clock.now();
        const valid_from = beginOf(given.effective_from, company.time_zone, now);
        const kept = await store.clientRetailAt(tx, company.id, given.module, valid_from);
        const { daily_cap, limit_every, starts_on, ends_on, ...before } = kept ?? {
          ...FREE,
          daily_cap: null,
          limit_every: 'day' as const,
          starts_on: null,
          ends_on: null,
        };
        const retail = retailWith(before, given);
        checkLeast(retail, (await leastOf(tx, valid_from))(given.module, retail.term));
        if (valid_from > now)
          boundPlanned(await store.clientRetailAfter(tx, company.id, given.module, now), valid_from);
        const limits: RetailLimits = {
          daily_cap: given.daily_cap === undefined ? daily_cap : given.daily_cap,
          limit_every: given.limit_every ?? limit_every,
          starts_on: given.limit_starts_on === undefined ? starts_on : given.limit_starts_on,
          ends_on: given.limit_ends_on === undefined ? ends_on : given.limit_ends_on,
        };
        // The root's minimum is per day.
        const leastLeads =
          given.module === 'enhance'
            ? ((await store.enhanceLeast(tx)) ?? 0) * FREQUENCY_DAYS[limits.limit_every]
            : 0;
        const isChanged = given.daily_cap !== undefined || given.limit_every !== undefined;
        if (isChanged && limits.daily_cap !== null && limits.daily_cap < leastLeads)
          throw refusalOf('daily_cap', `must be at least ${leastLeads}`);
        if (limits.starts_on && limits.ends_on && limits.ends_on < limits.starts_on)
          throw refusalOf('limit_ends_on', 'must be on or after limit_starts_on');
        const owner = { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id };
        await store.insertRetail(tx, {
          ...owner,
          ...retail,
          ...limits,
          campaign_id: null,
          module: given.module,
          valid_from,
          recorded_at: now,
        });
        await audit.record(tx, ctx, {
          action: 'cost.client',
          objectKind: 'company',
          objectId: company.id,
          description: `Set the price of ${NAMES[given.module]} campaigns for ${company.name}: ${lineOf(kept && before, retail)}${given.effective_from ? ` from ${given.effective_from}` : ''}`,
          owner,
        });
        return clientWire(tx, company.id, given.module);
      });
    },
  };
}
