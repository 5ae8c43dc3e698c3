import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Id, Instant, Line } from '../primitives.ts';

const tags = ['Ads'];

/** An exchange that may ask our bidder for bids. */
export const AdExchange = z.object({ id: Id, name: z.string(), created_at: Instant });

export const adExchanges = {
  list: call
    .route({
      method: 'GET',
      path: '/ads/exchanges',
      tags,
      summary: 'Lists the exchanges that may ask the bidder for bids',
    })
    .meta({ access: 'data.source' })
    .output(z.object({ data: z.array(AdExchange) })),
  create: call
    .route({
      method: 'POST',
      path: '/ads/exchanges',
      tags,
      summary: 'Creates an exchange with its key, which is told only once',
    })
    .meta({ access: 'data.source', notInView: true })
    .input(z.object({ name: Line }))
    .output(
      Done.extend({
        data: AdExchange.extend({
          endpoint: z
            .string()
            .describe('Where the exchange posts OpenRTB 2.6 bid requests. It contains the key'),
        }),
      }),
    ),
  remove: call
    .route({
      method: 'DELETE',
      path: '/ads/exchanges/{id}',
      tags,
      summary: 'Removes an exchange, which then gets no bids',
    })
    .meta({ access: 'data.source', notInView: true })
    .input(z.object({ id: Id }))
    .output(Done),
};
