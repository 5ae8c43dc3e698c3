import type { contract } from '../../../../contract/index.ts';
import type { Config } from '../../../platform/config.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { citiesLike, largestCities } from '../../../platform/places.ts';

/** Cities that a map can name: more than fit on it at once. */
const MOST_CITIES = 600;

/** The calls of the map on which areas are drawn. */
export function adMapRoutes({ mapTiles }: Pick<Config, 'mapTiles'>): Handlers<typeof contract.adMaps> {
  return {
    map: async () => ({ tiles: mapTiles ?? null, cities: largestCities(MOST_CITIES) }),
    places: async (_ctx, { search }) => ({ data: citiesLike(search) }),
  };
}
