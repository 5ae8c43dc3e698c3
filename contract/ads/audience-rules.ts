// Plain lists and rules of audiences, shared by server and browser: no schema here, so that none is sent to the browser.

/** Where the people of an audience come from. */
export const AUDIENCE_SOURCES = ['upload', 'leads', 'keywords'] as const;
export type AudienceSource = (typeof AUDIENCE_SOURCES)[number];
export const AUDIENCE_SOURCE_NAMES: Record<AudienceSource, string> = {
  upload: 'Uploaded list',
  leads: 'Leads of a campaign',
  keywords: 'Keyword count',
};

/** What an uploaded list identifies people by. */
export const AUDIENCE_KINDS = ['email', 'address', 'device', 'ip'] as const;
export type AudienceKind = (typeof AUDIENCE_KINDS)[number];
export const AUDIENCE_KIND_NAMES: Record<AudienceKind, string> = {
  email: 'Email addresses',
  address: 'Postal addresses',
  device: 'Mobile device IDs',
  ip: 'IP addresses',
};

/** Where an uploaded list comes from: from people who gave their details to the client itself, or anywhere else. */
export const AUDIENCE_ORIGINS = ['customers', 'other'] as const;
export type AudienceOrigin = (typeof AUDIENCE_ORIGINS)[number];

/** The state of an audience; a removed one is no longer shown. */
export const AUDIENCE_STATES = ['queued', 'loading', 'held', 'ready', 'failed'] as const;
export type AudienceState = (typeof AUDIENCE_STATES)[number];

/** The most rows and bytes of an uploaded list, and the most people of an audience. */
export const MOST_AUDIENCE_ROWS = 250_000;
export const MOST_AUDIENCE_BYTES = 32 * 1024 ** 2;
/**
 * An uploaded list of fewer entries is not counted, and makes no file: what a count says of a single person is not for
 * whoever has their address (docs/decisions/0363-small-audiences.md).
 */
export const LEAST_COUNTED = 100;
/**
 * Ads are not aimed at fewer people, or internet addresses, than that: when they are shown would say what one household
 * does (docs/decisions/0365-small-aims.md). An uploaded list also needs LEAST_COUNTED entries, as for its counts.
 */
export const LEAST_AIMED = 20;
/** The most audiences that a campaign is shown to, and as many that it is not shown to. */
export const MOST_AIMS = 20;
/** How many hours pass until an audience is compared with the people and the exclusion lists again. */
export const AUDIENCE_REFRESH_HOURS = 6;

/** What an audience of a keyword count looks for, as it was counted. */
export interface AudienceSearch {
  module: 'locator' | 'enhance' | 'b2b';
  location: 'national' | 'state' | 'zip';
  states: string[];
  cities: string[];
  zips: string[];
  keywords: string[];
  titles: string[];
  seniorities: string[];
  departments: string[];
  industries: string[];
  sizes: number[];
}

/** Where an audience can be used. Google and Meta are reached by a file that the client uploads there. */
export const AUDIENCE_PLACES = ['platform', 'simplifi', 'google', 'meta'] as const;
export type AudiencePlace = (typeof AUDIENCE_PLACES)[number];
export const AUDIENCE_PLACE_NAMES: Record<AudiencePlace, string> = {
  platform: 'Ad campaigns here',
  simplifi: 'Simpli.fi',
  google: 'Google Customer Match',
  meta: 'Meta custom audiences',
};
/** The places that take a file. */
export const FILE_PLACES = ['google', 'meta'] as const;
export type FilePlace = (typeof FILE_PLACES)[number];

/** What the rules of a place ask of an audience. */
export interface Placeable {
  source: AudienceSource;
  kind: AudienceKind | null;
  origin: AudienceOrigin | null;
}

/**
 * Why an audience may not be used in a place, or null if it may. Google's and Meta's terms take lists of people who gave
 * their details to the advertiser itself, and forbid bought ones.
 */
export function whyNotIn(place: AudiencePlace, { source, kind, origin }: Placeable): string | null {
  if (place === 'platform') return null;
  if (place === 'simplifi')
    return kind === 'device' || kind === 'ip'
      ? 'It takes postal addresses, which this list has none of.'
      : null;
  const name = place === 'google' ? 'Google' : 'Meta';
  if (source === 'leads')
    return `${name} takes only people who gave you their details themselves. Leads were identified by this platform.`;
  if (source === 'keywords')
    return `${name} takes only people who gave you their details themselves. These people come from this platform’s data.`;
  if (origin !== 'customers')
    return `${name} forbids lists that were bought, rented, or collected by others. This list was uploaded as one.`;
  if (kind === 'ip') return `${name} does not take IP addresses.`;
  if (kind === 'address')
    return `${name} takes postal addresses only with names, which this list does not have.`;
  return null;
}
