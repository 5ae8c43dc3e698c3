import { z } from 'zod';
import { ExclusionList } from '../audience/exclusions.ts';
import { call } from '../base.ts';
import { Country, Done, Id, Instant, Page, PageQuery } from '../primitives.ts';

/** Whose customers: a client's or one campaign's. */
const Place = z.object({ paramID: Id, campaignType: z.enum(['client', 'campaign']).default('client') });

/** Known customers (BEY-20). Their lists are exclusion lists whose use is customers (contract/audience/exclusions.ts). */
export const customers = {
  sources: call
    .route({
      method: 'GET',
      path: '/customers/sources',
      tags: ['Customers'],
      summary: 'Lists the connections of a client whose customers can become a list of known customers',
    })
    .meta({ access: 'exclusion.read' })
    .input(Place)
    .output(
      z.object({
        data: z.array(
          z.object({
            id: Id,
            name: z.string(),
            vendor: z.string(),
            who: z.string().describe('Contacts that the vendor marks as customers'),
          }),
        ),
      }),
    ),
  connect: call
    .route({
      method: 'POST',
      path: '/customers/lists',
      tags: ['Customers'],
      summary: 'Adds a list of known customers from a connection, refreshed every day',
    })
    .meta({ access: 'exclusion.write' })
    .input(
      Place.extend({
        connectionID: Id,
        country: Country.default('US').describe('The country of phone numbers without a country code'),
      }),
    )
    .output(Done.extend({ data: ExclusionList })),
  refresh: call
    .route({
      method: 'POST',
      path: '/customers/lists/{id}/refresh',
      tags: ['Customers'],
      summary: 'Refreshes a list of known customers from its connection',
    })
    .meta({ access: 'exclusion.write' })
    .input(z.object({ id: Id }))
    .output(Done),
  visits: call
    .route({
      method: 'GET',
      path: '/customers/visits',
      tags: ['Customers'],
      summary: 'Lists the visits of known customers, newest first',
    })
    .meta({ access: 'exclusion.read' })
    .input(PageQuery.extend(Place.shape))
    .output(
      Page(
        z.object({
          id: Id,
          customer: z.string().describe('As on the client’s list'),
          list_name: z.string(),
          leadspeekID: Id,
          campaign_name: z.string(),
          page_url: z.string().nullable().describe('The last page viewed'),
          first_at: Instant,
          at: Instant,
        }),
      ),
    ),
};
