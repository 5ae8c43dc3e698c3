import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import {
  type AudienceChoice,
  COMPANY_SIZES,
  DEPARTMENTS,
  MOST_NAMES,
  SENIORITIES,
} from '../../../../contract/audience/audience.ts';
import {
  MOST_KEYWORDS,
  MOST_ZIPS,
  type TARGET_LOCATIONS,
  type TargetFields,
} from '../../../../contract/audience/target.ts';
import { refusalOf } from '../../../../contract/errors.ts';
import type { Inside } from '../../../../contract/wire.ts';
import { cityOf, stateCode, type Target, tagsOf } from '../../audience/keywords/index.ts';

type Location = (typeof TARGET_LOCATIONS)[number];

/** The modules that look for people by keywords. */
export const SEARCH_MODULES = ['locator', 'enhance', 'b2b'] as const;
export type SearchModule = (typeof SEARCH_MODULES)[number];
export const isSearch = (module: string): module is SearchModule =>
  (SEARCH_MODULES as readonly string[]).includes(module);

/** Which people at work are wanted; an empty list: anyone (contract/audience/audience.ts). */
export interface Audience {
  titles: string[];
  seniorities: string[];
  departments: string[];
  industries: string[];
  /** Numbers of COMPANY_SIZES. */
  sizes: number[];
}
export const ANYBODY: Audience = { titles: [], seniorities: [], departments: [], industries: [], sizes: [] };

/** What to look for and where: a place, the keywords as users typed them, and the audience (B2B ID). */
export type Search = Target & { keywords: string[] } & Partial<Audience>;

/** Whether two searches look for the same, in the same order and spelling. */
export const isSameSearch = (a: Search, b: Search): boolean => {
  const told = ({ location, states, cities, zips, keywords, ...more }: Search) => {
    const { titles, seniorities, departments, industries, sizes } = { ...ANYBODY, ...more };
    return [location, states, cities, zips, keywords, titles, seniorities, departments, industries, sizes];
  };
  return isDeepStrictEqual(told(a), told(b));
};

/** A search as received, with a call's own names. */
export interface GivenSearch {
  location: Location;
  states?: string[] | undefined;
  cities?: string[] | undefined;
  zips?: string | undefined;
  keywords: string;
}

const LOCATIONS: Record<Location, Target['location']> = {
  'National Targeting': 'national',
  State: 'state',
  'Zip Code': 'zip',
};

/** A location as named on the wire. */
export const locationWords = (location: Target['location']): Location =>
  location === 'national' ? 'National Targeting' : location === 'state' ? 'State' : 'Zip Code';

/**
 * Parses what to look for. Values that belong to another kind of location are left out; each keyword, state, city and
 * zip code is kept once.
 * @param names the call's name for each field
 * @throws Refusal (invalid) naming the field
 */
export function readSearch(
  given: GivenSearch,
  names: Record<'keywords' | 'states' | 'cities' | 'zips', string>,
): Search {
  const refuse = (field: keyof typeof names, rule: string): never => {
    throw refusalOf(names[field], rule);
  };
  const tags = tagsOf(given.keywords);
  if (tags.empty[0])
    refuse('keywords', `has “${tags.empty[0].slice(0, 20)}”, which contains no letters or digits`);
  const keywords = tags.keywords.map((one) => one.text);
  if (keywords.length === 0) refuse('keywords', 'needs at least one keyword');
  if (keywords.length > MOST_KEYWORDS)
    refuse('keywords', `has ${keywords.length} keywords. Up to ${MOST_KEYWORDS} are allowed`);
  const location = LOCATIONS[given.location];
  const search: Search = { location, states: [], cities: [], zips: [], keywords };
  if (location === 'zip') {
    const parts = (given.zips ?? '').split(/[\s,]+/u).filter(Boolean);
    const wrong = parts.find((part) => !/^\d{5}$/.test(part));
    if (wrong) refuse('zips', `has ${wrong.slice(0, 20)}, which is not a five-digit zip code`);
    search.zips = [...new Set(parts)];
    if (search.zips.length === 0) refuse('zips', 'needs at least one zip code');
    if (search.zips.length > MOST_ZIPS)
      refuse('zips', `has ${search.zips.length} zip codes. Up to ${MOST_ZIPS} are allowed`);
  }
  if (location === 'state') {
    const states = new Set<string>();
    for (const text of given.states ?? [])
      states.add(stateCode(text) ?? refuse('states', `has ${text.slice(0, 40)}, which is not a state`));
    const cities = new Set<string>();
    for (const text of given.cities ?? []) {
      const one =
        cityOf(text) ?? refuse('cities', `has ${text.slice(0, 60)}, which must be in the form 'Austin, TX'`);
      cities.add(`${one.city}, ${one.code}`);
      states.add(one.code);
    }
    search.states = [...states].sort();
    search.cities = [...cities].sort();
    if (states.size === 0) refuse('states', 'needs at least one state');
  }
  return search;
}

type Given = Inside<z.output<typeof TargetFields>>;
const refuse = (field: keyof Given, rule: string): never => {
  throw refusalOf(field, rule);
};

/**
 * What a Search ID campaign should look for, from its fields.
 * @throws Refusal (invalid) naming the field
 */
export function searchOf(given: Given): Search {
  const { is_national } = given;
  const location = is_national === 'T' ? ('National Targeting' as const) : given.location;
  if (!location) return refuse('location', 'is required');
  if (is_national && given.location && (is_national === 'T') !== (given.location === 'National Targeting'))
    return refuse('is_national', `conflicts with the location, which is ${given.location}`);
  return readSearch(
    {
      location,
      states: given.states,
      cities: given.cities,
      zips: given.zips,
      keywords: given.keywords ?? '',
    },
    { keywords: 'keywords', states: 'states', cities: 'cities', zips: 'zips' },
  );
}

/**
 * What a campaign looks for after a change: omitted fields stay unchanged.
 * @returns undefined if the change names none of them
 * @throws Refusal (invalid) naming the field
 */
export function changedSearch(
  given: Given,
  present: Search & { description: string },
): { search: Search; description: string } | undefined {
  const { keywords, states, cities, zips, description } = given;
  const place = { is_national: given.is_national, location: given.location };
  const named = [keywords, states, cities, zips, description, ...Object.values(place)];
  if (named.every((value) => value === undefined)) return undefined;
  const isSaid = place.is_national !== undefined || place.location !== undefined;
  return {
    search: searchOf({
      ...(isSaid ? place : { location: locationWords(present.location) }),
      keywords: keywords ?? present.keywords.join('\n'),
      // When states are given again, the previous cities are dropped.
      states: states ?? present.states,
      cities: cities ?? (states ? [] : present.cities),
      zips: zips ?? present.zips.join('\n'),
    }),
    description: description ?? present.description,
  };
}

const NEEDS = {
  email: 'email_required',
  phone: 'phone_required',
  mailingaddress: 'address_required',
} as const;

/**
 * What a lead must have, from requirements; nothing if it is omitted.
 * @throws Refusal (invalid) naming it
 */
export function needsOf(given: Given): Partial<Record<(typeof NEEDS)[keyof typeof NEEDS], boolean>> {
  if (given.requirements === undefined) return {};
  const needs = { email_required: false, phone_required: false, address_required: false };
  for (const name of given.requirements
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)) {
    const column = Object.hasOwn(NEEDS, name.toLowerCase())
      ? NEEDS[name.toLowerCase() as keyof typeof NEEDS]
      : refuse(
          'requirements',
          `has ${name.slice(0, 40)}, which is not one of Email, Phone, or MailingAddress`,
        );
    needs[column] = true;
  }
  return needs;
}

/** An audience as received, with the wire's names. */
export interface GivenAudience {
  job_titles?: string[] | undefined;
  seniority?: string[] | undefined;
  department?: string[] | undefined;
  industry?: string[] | undefined;
  company_size?: string[] | undefined;
}

/**
 * Parses the wanted audience, each value once, in the order of the choices.
 * @throws Refusal (invalid) naming the field
 */
export function readAudience(given: GivenAudience): Audience {
  const refuse = (field: keyof GivenAudience, rule: string): never => {
    throw refusalOf(field, rule);
  };
  const chosen = (field: keyof GivenAudience, choices: readonly { name: string }[]): string[] => {
    const asked = given[field] ?? [];
    const wrong = asked.find((one) => !choices.some((choice) => choice.name === one));
    if (wrong !== undefined) refuse(field, `has ${wrong.slice(0, 40)}, which cannot be selected`);
    return choices.flatMap(({ name }) => (asked.includes(name) ? [name] : []));
  };
  const named = (field: 'job_titles' | 'industry'): string[] => {
    const once = new Map<string, string>();
    for (const text of given[field] ?? []) {
      const tidy = text.replace(/\s+/gu, ' ').trim().slice(0, 120);
      if (!/[\p{L}\p{N}]/u.test(tidy)) continue;
      if (!once.has(tidy.toLowerCase())) once.set(tidy.toLowerCase(), tidy);
    }
    if (once.size > MOST_NAMES) refuse(field, `has ${once.size} entries. Up to ${MOST_NAMES} are allowed`);
    return [...once.values()];
  };
  const sizes = chosen('company_size', COMPANY_SIZES);
  return {
    titles: named('job_titles'),
    seniorities: chosen('seniority', SENIORITIES),
    departments: chosen('department', DEPARTMENTS),
    industries: named('industry'),
    sizes: COMPANY_SIZES.filter(({ name }) => sizes.includes(name)).map(({ id }) => id),
  };
}

/** An audience in the wire's names. */
export const audienceWire = (audience: Audience) => ({
  job_titles: audience.titles,
  seniority: audience.seniorities,
  department: audience.departments,
  industry: audience.industries,
  company_size: COMPANY_SIZES.filter(({ id }) => audience.sizes.includes(id)).map(
    ({ name }) => name as string,
  ),
});

/**
 * Returns an audience in the form in which people's values are compared with it: choices with every name that sources
 * use for them, sizes as ranges.
 */
export function formsOf(audience: Audience) {
  const forms = (names: string[], choices: readonly AudienceChoice[]): string[] =>
    choices
      .filter(({ name }) => names.includes(name))
      .flatMap(({ name, also }) => [name, ...also])
      .map((text) => text.toLowerCase().replace(/[^a-z0-9]+/g, ''))
      .flatMap((text) => [text, `${text}level`]);
  const ranges = COMPANY_SIZES.filter(({ id }) => audience.sizes.includes(id)).map(
    ({ from, to }) => `[${from},${to === null ? '' : to + 1})`,
  );
  return {
    titles: audience.titles,
    industries: audience.industries,
    seniorities: forms(audience.seniorities, SENIORITIES),
    departments: forms(audience.departments, DEPARTMENTS),
    sizes: `{${ranges.join(',')}}`,
  };
}
