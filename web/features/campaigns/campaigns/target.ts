import { US_STATES } from '../../../../contract/choices.ts';

/** Where a Search ID campaign or a count looks, and for what, as forms hold it. */
export interface TargetValues {
  keywords: string;
  location: 'National Targeting' | 'State' | 'Zip Code';
  states: string[];
  cities: string[];
  zips: string;
}

export const NEW_TARGET: TargetValues = {
  keywords: '',
  location: 'National Targeting',
  states: [],
  cities: [],
  zips: '',
};

/** A campaign's target as the form holds it. */
export const targetOf = (
  campaign: Omit<TargetValues, 'location'> & { location: TargetValues['location'] | null },
): TargetValues => ({
  keywords: campaign.keywords,
  location: campaign.location ?? 'National Targeting',
  states: campaign.states,
  cities: campaign.cities,
  zips: campaign.zips,
});

/** Splits a text into keywords: one per line, or separated by commas, semicolons, tabs, or pipes. */
export const keywordsOf = (text: string): string[] =>
  text
    .split(/[\n\r,;\t|]+/)
    .map((part) => part.trim())
    .filter(Boolean);

/**
 * What a zip code field keeps of the typed text: digits and line breaks. Spaces and commas become line breaks; blank
 * lines are dropped.
 */
export function zipText(typed: string): string {
  return typed
    .replace(/[\s,]+/g, '\n')
    .replace(/[^\d\n]/g, '')
    .replace(/\n{2,}/g, '\n')
    .replace(/^\n/, '');
}

/** The rules that the forms check themselves; the server has the final say. */
export const TARGET_RULES = {
  keywords: (text: string): string | null => {
    const many = keywordsOf(text).length;
    if (many === 0) return 'Enter at least one keyword';
    return many > 1000 ? `Use up to 1,000 keywords. You have ${many.toLocaleString('en-US')}` : null;
  },
  states: (states: string[], all: TargetValues): string | null =>
    all.location === 'State' && states.length === 0 ? 'Choose at least one state' : null,
  zips: (text: string, all: TargetValues): string | null => {
    if (all.location !== 'Zip Code') return null;
    const zips = text.split('\n').filter(Boolean);
    if (zips.length === 0) return 'Enter at least one zip code';
    const wrong = zips.find((zip) => !/^\d{5}$/.test(zip));
    if (wrong) return `${wrong} is not a five-digit zip code`;
    return zips.length > 40_000 ? 'Use up to 40,000 zip codes' : null;
  },
};

/** Describes a location in a few words: '2 states', 'Austin, TX', '40 zip codes'. */
export function placeWords(place: {
  states: string[];
  cities: string[];
  zips: number;
  location: string;
}): string {
  if (place.location === 'National Targeting') return 'National Targeting';
  if (place.location === 'Zip Code')
    return place.zips === 1 ? '1 zip code' : `${place.zips.toLocaleString('en-US')} zip codes`;
  const whole = place.states.filter((code) => !place.cities.some((city) => city.endsWith(`, ${code}`)));
  const names = [...whole.map((code) => US_STATES[code] ?? code), ...place.cities];
  return names.length > 3 ? `${names.slice(0, 2).join('; ')} and ${names.length - 2} more` : names.join('; ');
}
