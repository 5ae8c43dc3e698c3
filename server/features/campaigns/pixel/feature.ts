import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { pixelRoutes } from './routes.ts';
import { createPixel, type Pixel } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/pixel',
  about: "The pixel on a client's site: its code, whether it works, and its latest events.",
  tables: ['pixel_report'],
  reads: ['campaign_refusal', 'visit'],
  create: (platform, below: Parameters<typeof createPixel>[1]) => ({ pixel: createPixel(platform, below) }),
  http: ({ pixel }: { pixel: Pixel }) => ({
    calls: [serve(contract.pixel, pixelRoutes(pixel))],
    // A request that has a page open goes on by reading it.
    mount: (server) => void server.addHook('preClose', pixel.close),
  }),
  exports,
});
