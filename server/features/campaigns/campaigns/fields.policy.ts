import { INFORMATION_FIELDS, type InformationType } from '../../../../contract/audience/enrichment-fields.ts';
import {
  type CampaignRules,
  type RulesGiven,
  rulesAfter,
  rulesStored,
} from '../../../../contract/campaigns/campaign-rules.ts';
import { type Sites, sitesOf } from '../../../../contract/campaigns/site-hosts.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { RetailFields } from '../../../../contract/money/pricing.ts';
import { insideName } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { FREQUENCY_DAYS } from '../../money/pricing/index.ts';
import type { Fields, Module } from './base.ts';
import type { Frequency } from './period.policy.ts';
import {
  ANYBODY,
  type Audience,
  changedSearch,
  isSearch,
  needsOf,
  readAudience,
  type Search,
  searchOf,
} from './target.policy.ts';

/** The fields that may be sent only by users who may set a price. */
const PRICED = [...Object.keys(RetailFields.shape).map(insideName), 'effective_from'];

/** The columns of `campaign` that the form fills directly. */
export const columns = (given: Fields, module: Module) => ({
  name: given.campaign_name,
  site_url: module === 'local' ? given.site_url! : '',
  thank_you_url: (module === 'local' && given.thank_you_url) || null,
  ...(given.site_hosts ? { site_hosts: module === 'local' ? given.site_hosts : [] } : {}),
  ...rulesStored(given, module),
  ...(isSearch(module) ? needsOf(given) : {}),
  daily_cap: given.daily_cap ?? null,
  starts_on: given.starts_on ?? null,
  ends_on: given.ends_on ?? null,
});

/** The fields that a change may omit, because they have no default there. */
type Core = 'campaign_name' | keyof RulesGiven;
/** A change of a campaign. */
export type Change = Omit<Fields, Core> & { [field in Core]?: Fields[field] | undefined };

/** The form's fields as stored in a campaign. */
interface Kept extends CampaignRules {
  module: string;
  name: string;
  site_url: string;
  thank_you_url: string | null;
  daily_cap: number | null;
  starts_on: string | null;
  ends_on: string | null;
}

/** Fills the form fields that a change omits from the campaign's current values. */
export function keptOf(row: Kept, change: Change) {
  const kept = <T>(given: T | undefined, value: T): T => (given === undefined ? value : given);
  return {
    campaign_name: change.campaign_name ?? row.name,
    site_url: row.module === 'local' ? (change.site_url ?? row.site_url) : change.site_url,
    thank_you_url: kept(change.thank_you_url, row.thank_you_url),
    ...rulesAfter(row, change),
    daily_cap: kept(change.daily_cap, row.daily_cap),
    starts_on: kept(change.starts_on, row.starts_on),
    ends_on: kept(change.ends_on, row.ends_on),
  };
}

/** The sites of a campaign. */
export const sitesOfRow = (row: {
  site_url: string;
  thank_you_url: string | null;
  site_hosts: readonly string[];
}): Sites => sitesOf({ siteUrl: row.site_url, thankYouUrl: row.thank_you_url, others: row.site_hosts });

/**
 * What a campaign with keywords should look for.
 * @throws Refusal naming the field
 */
export const searchFor = (given: Fields, module: Module): Search =>
  module === 'b2b' ? { ...searchOf(given), ...readAudience(given) } : searchOf(given);

const AUDIENCE = ['job_titles', 'seniority', 'department', 'industry', 'company_size'] as const;

/**
 * What a campaign looks for after a change: omitted fields stay unchanged; undefined if the change names none of them.
 * @throws Refusal naming the field
 */
export function searchAfter(
  given: Fields,
  module: Module,
  kept: (Search & { description: string }) | undefined,
): { search: Search; description: string } | undefined {
  if (!isSearch(module) || !kept) return undefined;
  const changed = changedSearch(given, kept);
  if (module !== 'b2b') return changed;
  if (!changed && AUDIENCE.every((field) => given[field] === undefined)) return undefined;
  const before: Audience = { ...ANYBODY, ...kept };
  const after = readAudience(given);
  return {
    description: changed?.description ?? kept.description,
    search: {
      ...(changed?.search ?? kept),
      titles: given.job_titles ? after.titles : before.titles,
      seniorities: given.seniority ? after.seniorities : before.seniorities,
      departments: given.department ? after.departments : before.departments,
      industries: given.industry ? after.industries : before.industries,
      sizes: given.company_size ? after.sizes : before.sizes,
    },
  };
}

/** The minimum limit of an Enhance ID campaign given the root's minimum leads per day; null if the root sets none. */
const neededLimit = (least: number | null, every: Frequency): number => (least ?? 0) * FREQUENCY_DAYS[every];

/** A copied limit, raised to the root's minimum. */
export const limitAtLeast = (least: number | null, cap: number | null, every: Frequency): number | null =>
  cap === null ? null : Math.max(cap, neededLimit(least, every));

/**
 * Refuses a limit of an Enhance ID campaign below the root's minimum leads per day.
 * @throws Refusal naming the field
 */
export function leastLimit(least: number | null, cap: number | null, every: Frequency): void {
  const needed = neededLimit(least, every);
  if (cap !== null && cap < needed)
    throw new Refusal('invalid', `daily_cap: must be at least ${needed}`, {
      errors: { daily_cap: [`must be at least ${needed}`] },
    });
}

/** Which data fields a module's campaigns may ask for. */
const ASKS: Record<Module, InformationType> = {
  local: 'advanced',
  locator: 'advanced',
  enhance: 'advanced',
  b2b: 'b2b',
};

/**
 * The columns of the data that a campaign requests; omitted ones stay. `offered`: ids of the fields that its company
 * may use.
 * @throws Refusal naming the field
 */
export function askedOf(given: Fields, module: Module, offered: ReadonlySet<number>) {
  const read = (field: 'advance_information' | 'b2b_information', type: InformationType) => {
    const ids = given[field];
    if (!ids) return undefined;
    const refuse = (rule: string): never => {
      throw refusalOf(field, rule);
    };
    if (ids.length > 0 && ASKS[module] !== type)
      refuse(type === 'b2b' ? 'is for B2B ID campaigns only' : 'is not for B2B ID campaigns');
    for (const id of ids) {
      const known = INFORMATION_FIELDS.find((one) => one.id === id && one.type === type);
      if (!known) refuse(`has ${id}, which is not a data field of this list`);
      else if (!offered.has(id)) refuse(`has ${id} (${known.name}), which is not available`);
    }
    return ids;
  };
  const advance_information = read('advance_information', 'advanced');
  const b2b_information = read('b2b_information', 'b2b');
  return {
    ...(advance_information ? { advance_information } : {}),
    ...(b2b_information ? { b2b_information } : {}),
  };
}

/** What a campaign requests, without the fields that its company may no longer use. */
export const stillAsked = (
  row: { advance_information: number[]; b2b_information: number[] },
  offered: ReadonlySet<number>,
) => ({
  advance_information: row.advance_information.filter((id) => offered.has(id)),
  b2b_information: row.b2b_information.filter((id) => offered.has(id)),
});

export function checkSite(row: { module: string }): void {
  if (row.module !== 'local')
    throw new Refusal('conflict', 'This campaign has no site, so it has no pixel.', {
      errors: { campaign_id: ['is not a Site ID campaign'] },
    });
}

/**
 * Checks fields against each other and against the user who sends them.
 * @throws Refusal naming the field
 */
export function checkFields(ctx: Ctx, given: Fields, module: Module): void {
  if (module === 'local' && given.site_url === undefined)
    throw new Refusal('invalid', 'site_url: is required', { errors: { site_url: ['is required'] } });
  if (given.starts_on && given.ends_on && given.ends_on < given.starts_on) {
    throw new Refusal('invalid', 'ends_on: must not be before the start date', {
      errors: { ends_on: ['must not be before the start date'] },
    });
  }
  const priced = PRICED.find((field) => given[field as 'lead_price'] !== undefined);
  if (priced && !ctx.may('campaign.price')) {
    throw new Refusal('forbidden', `${priced}: the price is set by your agency.`, {
      errors: { [priced]: ['is set by the agency'] },
    });
  }
}
