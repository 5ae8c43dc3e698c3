import { contract } from '../../../../contract/index.ts';
import { adTagFile } from '../../../platform/dist.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { addBidRoutes, bidRoutes, exchangeRoutes } from './bid.routes.ts';
import { exports } from './exports.ts';
import { addAdRoutes, adRoutes, zoneRoutes } from './routes.ts';
import { type AdServing, createAdServing } from './service.ts';

export const feature = defineFeature({
  name: 'ads/ad-serving',
  about:
    'Who shows ads: the house ad server with its zones, the sandbox exchange with our bidder, and Simpli.fi.',
  tables: ['ad_exchange', 'ad_zone'],
  reads: ['ad_impression', 'company'],
  create: (platform, below: Parameters<typeof createAdServing>[1]) => ({
    adServing: createAdServing(platform, below),
  }),
  http: ({ adServing }: { adServing: AdServing }) => ({
    calls: [
      serve(contract.adExchanges, exchangeRoutes(adServing.exchanges)),
      serve(contract.adZones, zoneRoutes(adServing.zones)),
    ],
    documented: [...adRoutes, ...bidRoutes],
  }),
  ingest: ({ adServing }: { adServing: AdServing }, server) => {
    addAdRoutes(server, adServing.house, adTagFile);
    addBidRoutes(server, adServing.bidder);
  },
  work: async ({ adServing }: { adServing: AdServing }) => void (await adServing.start()),
  exports,
});
