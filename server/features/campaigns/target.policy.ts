import type { z } from 'zod';
import { Refusal } from '../../../contract/errors.ts';
import {
  MOST_KEYWORDS,
  MOST_ZIPS,
  type TARGET_LOCATIONS,
  type TargetFields,
} from '../../../contract/target.ts';
import { cityOf, stateCode, type Target, tagsOf } from '../keywords/index.ts';

type Location = (typeof TARGET_LOCATIONS)[number];

/** Where and for what is looked: a place, and the keywords as people wrote them. */
export type Search = Target & { keywords: string[] };

/** A search as it comes in, in a call's own names. */
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

/** A location in the words of the wire. */
export const locationWords = (location: Target['location']): Location =>
  location === 'national' ? 'National Targeting' : location === 'state' ? 'State' : 'Zip Code';

/**
 * Reads what is to be looked for. What belongs to another location is left out; each keyword, state, city and zip code once.
 * @param names what the call calls each field
 * @throws Refusal (invalid) naming the field
 */
export function readSearch(
  given: GivenSearch,
  names: Record<'keywords' | 'states' | 'cities' | 'zips', string>,
): Search {
  const refuse = (field: keyof typeof names, rule: string): never => {
    throw new Refusal('invalid', `${names[field]}: ${rule}`, { errors: { [names[field]]: [rule] } });
  };
  const keywords = tagsOf(given.keywords).map((one) => one.text);
  if (keywords.length === 0) refuse('keywords', 'needs at least one keyword');
  if (keywords.length > MOST_KEYWORDS)
    refuse('keywords', `has ${keywords.length} keywords; at most ${MOST_KEYWORDS} are allowed`);
  const location = LOCATIONS[given.location];
  const search: Search = { location, states: [], cities: [], zips: [], keywords };
  if (location === 'zip') {
    const parts = (given.zips ?? '').split(/[\s,]+/u).filter(Boolean);
    const wrong = parts.find((part) => !/^\d{5}$/.test(part));
    if (wrong) refuse('zips', `has ${wrong.slice(0, 20)}, which is not a zip code of five digits`);
    search.zips = [...new Set(parts)];
    if (search.zips.length === 0) refuse('zips', 'needs at least one zip code');
    if (search.zips.length > MOST_ZIPS)
      refuse('zips', `has ${search.zips.length} zip codes; at most ${MOST_ZIPS} are allowed`);
  }
  if (location === 'state') {
    const states = new Set<string>();
    for (const text of given.states ?? [])
      states.add(stateCode(text) ?? refuse('states', `has ${text.slice(0, 40)}, which is no state`));
    const cities = new Set<string>();
    for (const text of given.cities ?? []) {
      const one = cityOf(text) ?? refuse('cities', `has ${text.slice(0, 60)}, which is not as 'Austin, TX'`);
      cities.add(`${one.city}, ${one.code}`);
      states.add(one.code);
    }
    search.states = [...states].sort();
    search.cities = [...cities].sort();
    if (states.size === 0) refuse('states', 'needs at least one state');
  }
  return search;
}

type Given = z.output<typeof TargetFields>;
const refuse = (field: keyof Given, rule: string): never => {
  throw new Refusal('invalid', `${field}: ${rule}`, { errors: { [field]: [rule] } });
};

/** What a Search ID campaign is to look for, of its fields. @throws Refusal (invalid) naming the field */
export function searchOf(given: Given): Search {
  const { nationaltargeting, locationtarget } = given;
  const location = nationaltargeting === 'T' ? ('National Targeting' as const) : locationtarget;
  if (!location) return refuse('locationtarget', 'is required');
  if (
    nationaltargeting &&
    locationtarget &&
    (nationaltargeting === 'T') !== (locationtarget === 'National Targeting')
  )
    return refuse('nationaltargeting', `contradicts locationtarget, which is ${locationtarget}`);
  return readSearch(
    {
      location,
      states: given.locatorstate,
      cities: given.locatorcity,
      zips: given.locatorzip,
      keywords: given.locatorkeyword ?? '',
    },
    { keywords: 'locatorkeyword', states: 'locatorstate', cities: 'locatorcity', zips: 'locatorzip' },
  );
}

/**
 * What a campaign looks for after a change: what the change leaves out stays as it is.
 * @returns undefined where the change names none of it
 * @throws Refusal (invalid) naming the field
 */
export function changedSearch(
  given: Given,
  present: Search & { description: string },
): { search: Search; description: string } | undefined {
  const { locatorkeyword, locatorstate, locatorcity, locatorzip, locatordesc } = given;
  const place = { nationaltargeting: given.nationaltargeting, locationtarget: given.locationtarget };
  const named = [locatorkeyword, locatorstate, locatorcity, locatorzip, locatordesc, ...Object.values(place)];
  if (named.every((value) => value === undefined)) return undefined;
  const isSaid = place.nationaltargeting !== undefined || place.locationtarget !== undefined;
  return {
    search: searchOf({
      ...(isSaid ? place : { locationtarget: locationWords(present.location) }),
      locatorkeyword: locatorkeyword ?? present.keywords.join('\n'),
      // Named anew, states bring no city of those before.
      locatorstate: locatorstate ?? present.states,
      locatorcity: locatorcity ?? (locatorstate ? [] : present.cities),
      locatorzip: locatorzip ?? present.zips.join('\n'),
    }),
    description: locatordesc ?? present.description,
  };
}

const NEEDS = {
  email: 'email_required',
  phone: 'phone_required',
  mailingaddress: 'address_required',
} as const;

/** What a lead must have, of locatorrequire; nothing where it is left out. @throws Refusal (invalid) naming it */
export function needsOf(given: Given): Partial<Record<(typeof NEEDS)[keyof typeof NEEDS], boolean>> {
  if (given.locatorrequire === undefined) return {};
  const needs = { email_required: false, phone_required: false, address_required: false };
  for (const name of given.locatorrequire
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)) {
    const column = Object.hasOwn(NEEDS, name.toLowerCase())
      ? NEEDS[name.toLowerCase() as keyof typeof NEEDS]
      : refuse('locatorrequire', `has ${name.slice(0, 40)}, which is none of Email, Phone, MailingAddress`);
    needs[column] = true;
  }
  return needs;
}
