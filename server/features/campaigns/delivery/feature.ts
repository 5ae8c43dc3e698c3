import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { startDelivery } from './jobs.ts';
import { deliveryRoutes } from './routes.ts';
import { createDelivery, type Delivery } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/delivery',
  about: 'Sending leads to webhooks and services, with every attempt recorded.',
  tables: [
    'delivery',
    'delivery_attempt',
    'delivery_day',
    'delivery_exchange',
    'delivery_turn',
    'destination_document',
    'integration',
  ],
  reads: ['campaign', 'company', 'connection', 'lead_contact'],
  create: (platform, below: Parameters<typeof createDelivery>[1]) => ({
    delivery: createDelivery(platform, below),
  }),
  http({ delivery }: { delivery: Delivery }) {
    const { handlers, spreadsheets, plain } = deliveryRoutes(delivery);
    return { calls: [serve(contract.delivery, handlers), serve(contract.spreadsheets, spreadsheets)], plain };
  },
  work: async ({ delivery }: { delivery: Delivery }) => void (await startDelivery(delivery)),
  exports,
});
