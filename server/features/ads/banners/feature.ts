import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { bannerRoutes } from './routes.ts';
import { type Banners, createBanners } from './service.ts';

export const feature = defineFeature({
  name: 'ads/banners',
  about: 'Banners: ads designed once, in every size.',
  tables: ['banner'],
  reads: ['company'],
  create: (platform, below: Parameters<typeof createBanners>[1]) => ({
    banners: createBanners(platform, below),
  }),
  http: ({ banners }: { banners: Banners }) => ({ calls: [serve(contract.banners, bannerRoutes(banners))] }),
  exports,
});
