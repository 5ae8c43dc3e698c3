import { z } from 'zod';
import { call } from '../base.ts';

const tags = ['Ads'];

/** A city as a map shows it. */
const City = z.object({
  name: z.string().describe('Such as Austin, TX'),
  latitude: z.number(),
  longitude: z.number(),
});

/** What the map on which areas are drawn needs (spec calls 7). */
export const adMaps = {
  map: call
    .route({ method: 'GET', path: '/ads/map', tags, summary: 'Returns what the map of areas shows' })
    .meta({ access: 'campaign.read' })
    .output(
      z.object({
        tiles: z
          .object({ url: z.string(), attribution: z.string() })
          .nullable()
          .describe(
            'Address of a vendor’s tiles, with {z}, {x}, and {y}. null: boundaries and cities are all there is',
          ),
        cities: z.array(City).describe('The largest cities first'),
      }),
    ),
  places: call
    .route({
      method: 'GET',
      path: '/ads/map/places',
      tags,
      summary: 'Finds cities by the beginning of their name',
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ search: z.string().trim().max(100, 'must not exceed 100 characters') }))
    .output(z.object({ data: z.array(City).describe('Up to 20, the largest first') })),
};
