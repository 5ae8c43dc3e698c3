import { type Insertable, sql } from 'kysely';
import type { ModuleType } from '../../../../contract/choices.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export async function insertWholesale(tx: Tx, rows: Insertable<Schema['wholesale_cost']>[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto('wholesale_cost').values(rows).execute();
}

/** Returns what a root charges a company by module and term, at an instant. */
export async function wholesaleAt(tx: Tx, companyId: string, at: Date) {
  return tx
    .selectFrom('wholesale_cost')
    .distinctOn(['module', 'term'])
    .select(['module', 'term', 'setup_micros', 'month_micros', 'lead_micros', 'lead_advanced_micros'])
    .select('lead_company_micros')
    .where('company_id', '=', companyId)
    .where('valid_from', '<=', at)
    .orderBy('module')
    .orderBy('term')
    .orderBy('valid_from', 'desc')
    .orderBy('serial', 'desc')
    .execute();
}

/** Returns what a root will charge a company, soonest first. */
export async function wholesaleAfter(tx: Tx, companyId: string, at: Date) {
  return tx
    .selectFrom('wholesale_cost')
    .distinctOn(['valid_from', 'module', 'term'])
    .select([
      'valid_from',
      'module',
      'term',
      'setup_micros',
      'month_micros',
      'lead_micros',
      'lead_advanced_micros',
      'lead_company_micros',
    ])
    .where('company_id', '=', companyId)
    .where('valid_from', '>', at)
    .orderBy('valid_from')
    .orderBy('module')
    .orderBy('term')
    .orderBy('serial', 'desc')
    .execute();
}

/** Returns the minimum that the scope's root sets for a lead by module and term; those without one are left out. */
export async function minimums(tx: Tx, modules: readonly string[], terms: readonly string[], at: Date) {
  const { rows } = await sql<{ module: string; term: string; least: bigint | null }>`
    select m.module, t.term, root_minimum(m.module, t.term, ${at}) as least
    from unnest(${modules}::text[]) m (module) cross join unnest(${terms}::text[]) t (term)`.execute(tx);
  return rows.flatMap((row) => (row.least === null ? [] : [{ ...row, least: row.least }]));
}

const RETAIL = [
  'term',
  'lead_micros',
  'lead_advanced_micros',
  'lead_b2b_micros',
  'lead_company_micros',
  'lead_max_micros',
  'month_micros',
  'setup_micros',
  'topup',
  'leads_buy',
  'accepted_loss_micros',
] as const;
const LIMITS = ['daily_cap', 'limit_every', 'starts_on', 'ends_on'] as const;

/** The module of a campaign and who it belongs to. */
export interface Priced {
  id: string;
  agency_id: string;
  module: string;
}

/**
 * Returns what leads of campaigns cost at an instant: the client (with the term) and the agency, each null where
 * unknown; also whether the agency bills its clients outside.
 */
export async function prices(tx: Tx, campaigns: readonly Priced[], at: Date) {
  if (campaigns.length === 0) return [];
  const { rows } = await sql<{
    id: string;
    term: string;
    price: bigint;
    cost: bigint;
    manual: boolean;
    company_price: bigint;
    company_cost: bigint;
    company_excess: bigint;
  }>`
    select c.id, r.term, bills_manually(c.agency_id) as manual,
      lead_price(r.lead_micros, r.lead_advanced_micros, r.lead_b2b_micros, k.advance_information, k.b2b_information) as price,
      greatest(coalesce(case when c.module = 'local' and cardinality(k.advance_information) > 0 and w.lead_advanced_micros > 0
                             then w.lead_advanced_micros else w.lead_micros end, 0), root_minimum.least) as cost,
      r.lead_company_micros as company_price, coalesce(w.lead_company_micros, 0) as company_cost,
      case when bills_manually(c.agency_id) or exists (select from margin_rule g where g.company_id = c.agency_id and g.rule = 'sell')
           then 0 else greatest(0, coalesce(w.lead_company_micros, 0) - r.lead_company_micros) end as company_excess
    from unnest(${campaigns.map((c) => c.id)}::uuid[], ${campaigns.map((c) => c.agency_id)}::uuid[],
                ${campaigns.map((c) => c.module)}::text[]) c (id, agency_id, module)
    join campaign k on k.id = c.id
    join lateral (select term, lead_micros, lead_advanced_micros, lead_b2b_micros, lead_company_micros from retail_cost where campaign_id = c.id and valid_from <= ${at}
                  order by valid_from desc, serial desc limit 1) r on true
    left join lateral (select lead_micros, lead_advanced_micros, lead_company_micros from wholesale_cost
                       where company_id = c.agency_id and module = c.module and term = r.term and valid_from <= ${at}
                       order by valid_from desc, serial desc limit 1) w on true
    left join lateral (select case when c.module in ('enhance', 'b2b') then root_minimum(c.module, r.term, ${at}) end as least)
      root_minimum on true`.execute(tx);
  return rows;
}

/**
 * Returns the fees of campaigns at an instant, one-time and monthly: the client's (none where its agency bills outside)
 * and, at the campaign's payment term, the agency's.
 */
export async function fees(tx: Tx, campaigns: readonly Priced[], at: Date) {
  if (campaigns.length === 0) return [];
  const { rows } = await sql<{
    id: string;
    term: string;
    setup: bigint;
    month: bigint;
    wholesale_setup: bigint;
    wholesale_month: bigint;
  }>`
    select c.id, coalesce(r.term, 'Prepaid') as term,
      case when bills_manually(c.agency_id) then 0 else coalesce(r.setup_micros, 0) end as setup,
      case when bills_manually(c.agency_id) then 0 else coalesce(r.month_micros, 0) end as month,
      coalesce(w.setup_micros, 0) as wholesale_setup, coalesce(w.month_micros, 0) as wholesale_month
    from unnest(${campaigns.map((c) => c.id)}::uuid[], ${campaigns.map((c) => c.agency_id)}::uuid[],
                ${campaigns.map((c) => c.module)}::text[]) c (id, agency_id, module)
    left join lateral (select term, setup_micros, month_micros from retail_cost where campaign_id = c.id and valid_from <= ${at}
                       order by valid_from desc, serial desc limit 1) r on true
    left join lateral (select setup_micros, month_micros from wholesale_cost
                       where company_id = c.agency_id and module = c.module and term = coalesce(r.term, 'Prepaid') and valid_from <= ${at}
                       order by valid_from desc, serial desc limit 1) w on true`.execute(tx);
  return rows;
}

/**
 * Returns by how much a lead of each campaign costs its agency more than the client pays plus the loss the agency has
 * accepted, at an instant, in micro-dollars; with `plain`, as if the campaigns asked for no data. Works in any scope;
 * campaigns without such an excess are left out.
 */
export async function excessOf(
  tx: Tx,
  campaignIds: readonly string[],
  at: Date,
  plain = false,
): Promise<Map<string, bigint>> {
  if (campaignIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; excess: bigint }>`
    select id, excess from campaign_excess(${[...campaignIds]}::uuid[], ${at}, ${plain}) where excess > 0`.execute(
    tx,
  );
  return new Map(rows.map((row) => [row.id, row.excess]));
}

/** What an agency has chosen for campaigns when a lead's cost rises above its price. */
export type MarginRule = Schema['margin_rule']['rule'];

/** Returns the rules of agencies in the scope; agencies that have not chosen one are left out. */
export async function marginRules(tx: Tx, agencyIds: readonly string[]): Promise<Map<string, MarginRule>> {
  if (agencyIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom('margin_rule')
    .select(['company_id', 'rule'])
    .where('company_id', 'in', agencyIds)
    .execute();
  return new Map(rows.map((row) => [row.company_id, row.rule]));
}

export async function putMarginRule(
  tx: Tx,
  agency: { root_id: string; agency_id: string },
  rule: MarginRule,
  at: Date,
): Promise<void> {
  await tx
    .insertInto('margin_rule')
    .values({ ...agency, company_id: agency.agency_id, rule, updated_at: at })
    .onConflict((on) => on.column('company_id').doUpdateSet({ rule, updated_at: at }))
    .execute();
}

/**
 * Returns what agencies pay for a lead of campaigns at an instant, by what they would ask for: no data, or advanced
 * data.
 */
export async function leadCosts(tx: Tx, campaignIds: readonly string[], at: Date) {
  const { rows } = await sql<{ id: string; plain: bigint; advanced: bigint }>`
    select k.id, greatest(coalesce(w.lead_micros, 0), m.least) as plain,
      greatest(coalesce(case when k.module = 'local' and w.lead_advanced_micros > 0 then w.lead_advanced_micros else w.lead_micros end, 0), m.least) as advanced
    from campaign k
    join lateral (select term from retail_cost where campaign_id = k.id and valid_from <= ${at}
                  order by valid_from desc, serial desc limit 1) r on true
    left join lateral (select lead_micros, lead_advanced_micros from wholesale_cost
                       where company_id = k.agency_id and module = k.module and term = r.term and valid_from <= ${at}
                       order by valid_from desc, serial desc limit 1) w on true
    cross join lateral (select case when k.module in ('enhance', 'b2b') then root_minimum(k.module, r.term, ${at}) end as least) m
    where k.id = any(${[...campaignIds]}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** What campaigns cost their clients at an instant. */
export async function retailOf(tx: Tx, campaignIds: readonly string[], at: Date) {
  if (campaignIds.length === 0) return [];
  return tx
    .selectFrom('retail_cost')
    .distinctOn('campaign_id')
    .select(['campaign_id', ...RETAIL])
    .where('campaign_id', 'in', campaignIds)
    .where('valid_from', '<=', at)
    .orderBy('campaign_id')
    .orderBy('valid_from', 'desc')
    .orderBy('serial', 'desc')
    .execute();
}

/** Returns what a lead of campaigns costs their clients at an instant, with the data they ask for, in micro-dollars. */
export async function leadPrices(
  tx: Tx,
  campaignIds: readonly string[],
  at: Date,
): Promise<Map<string, bigint>> {
  if (campaignIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; price: bigint }>`
    select c.id, lead_price(r.lead_micros, r.lead_advanced_micros, r.lead_b2b_micros, c.advance_information, c.b2b_information) as price
    from campaign c
    join lateral (select lead_micros, lead_advanced_micros, lead_b2b_micros from retail_cost where campaign_id = c.id and valid_from <= ${at}
                  order by valid_from desc, serial desc limit 1) r on true
    where c.id = any(${[...campaignIds]}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row.price]));
}

/** What campaigns will cost, soonest first. */
export async function retailAfter(tx: Tx, campaignIds: readonly string[], at: Date) {
  if (campaignIds.length === 0) return [];
  return tx
    .selectFrom('retail_cost')
    .distinctOn(['campaign_id', 'valid_from'])
    .select(['campaign_id', 'valid_from', ...RETAIL])
    .where('campaign_id', 'in', campaignIds)
    .where('valid_from', '>', at)
    .orderBy('campaign_id')
    .orderBy('valid_from')
    .orderBy('serial', 'desc')
    .execute();
}

/** Returns what a client's next campaign costs, at an instant. */
export async function clientRetailAt(tx: Tx, companyId: string, module: ModuleType, at: Date) {
  return tx
    .selectFrom('retail_cost')
    .select([...RETAIL, ...LIMITS])
    .where('company_id', '=', companyId)
    .where('campaign_id', 'is', null)
    .where('module', '=', module)
    .where('valid_from', '<=', at)
    .orderBy('valid_from', 'desc')
    .orderBy('serial', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns what a client's next campaign will cost, soonest first. */
export async function clientRetailAfter(tx: Tx, companyId: string, module: ModuleType, at: Date) {
  return tx
    .selectFrom('retail_cost')
    .distinctOn('valid_from')
    .select(['valid_from', ...RETAIL, ...LIMITS])
    .where('company_id', '=', companyId)
    .where('campaign_id', 'is', null)
    .where('module', '=', module)
    .where('valid_from', '>', at)
    .orderBy('valid_from')
    .orderBy('serial', 'desc')
    .execute();
}

/** Returns the newest row of a client's costs, whenever it takes effect; it serves as their version. */
export async function clientRetailVersion(tx: Tx, companyId: string, module: ModuleType): Promise<string> {
  const row = await tx
    .selectFrom('retail_cost')
    .select((eb) => eb.fn.max('serial').as('serial'))
    .where('company_id', '=', companyId)
    .where('campaign_id', 'is', null)
    .where('module', '=', module)
    .executeTakeFirst();
  return String(row?.serial ?? 0);
}

/** Locks a client's costs against other changes until the transaction ends. */
export async function lockClientRetail(tx: Tx, companyId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${companyId}, 34))`.execute(tx);
}

export async function insertRetail(tx: Tx, row: Insertable<Schema['retail_cost']>): Promise<void> {
  await tx.insertInto('retail_cost').values(row).execute();
}

/**
 * The minimum number of leads a day that the scope's root allows as an Enhance ID campaign's limit; null if it has not
 * set one.
 */
export async function enhanceLeast(tx: Tx): Promise<number | null> {
  return (await sql<{ least: number | null }>`select enhance_least_leads() as least`.execute(tx)).rows[0]!
    .least;
}
