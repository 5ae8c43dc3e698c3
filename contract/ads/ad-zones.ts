import { z } from 'zod';
import { call } from '../base.ts';
import { SiteHosts } from '../campaigns/site-hosts.ts';
import { Dollars, Done, given, Id, Instant, Line } from '../primitives.ts';
import { AD_SIZES } from './ad-rules.ts';

const tags = ['Ads'];
/** What 1,000 viewable impressions cost, US dollars. */
const Cpm = given(
  Dollars.regex(/^\d+(\.\d{0,3}0*)?$/, 'must have up to 3 decimal places').refine(
    (text) => Number(text) <= 10_000,
    'must not exceed 10000',
  ),
);
const Hosts = SiteHosts.pipe(z.array(z.string()).min(1, 'is required').max(20, 'must not exceed 20 entries'));

/** A zone: a place on a site where the house ad server shows ads. */
export const AdZone = z.object({
  id: Id,
  company_id: Id,
  company_name: z.string(),
  name: z.string(),
  hosts: z.array(z.string()),
  size: z.enum(AD_SIZES),
  cpm: z.string(),
  tag: z.string().describe('What the site pastes where the ad appears'),
  impressions_30d: z.int(),
  created_at: Instant,
});

export const adZones = {
  list: call
    .route({ method: 'GET', path: '/ads/zones', tags, summary: 'Lists the zones of house ads' })
    .meta({ access: 'campaign.read' })
    .output(z.object({ data: z.array(AdZone) })),
  create: call
    .route({ method: 'POST', path: '/ads/zones', tags, summary: 'Creates a zone for house ads' })
    .meta({ access: 'campaign.create' })
    .input(
      z.object({
        companyID: Id.optional().describe(
          'A client, whose zones show only its own ads. Defaults to your company',
        ),
        name: Line,
        hosts: Hosts.describe('The hosts of the site: news.example.com, or *.example.com'),
        size: z.enum(AD_SIZES),
        cpm: Cpm.default('0').describe('Price of 1,000 viewable impressions, in US dollars'),
      }),
    )
    .output(Done.extend({ data: AdZone })),
  update: call
    .route({ method: 'PUT', path: '/ads/zones/{id}', tags, summary: 'Updates a zone' })
    .meta({ access: 'campaign.write' })
    .input(z.object({ id: Id, name: Line.optional(), hosts: Hosts.optional(), cpm: Cpm.optional() }))
    .output(Done.extend({ data: AdZone })),
  remove: call
    .route({
      method: 'DELETE',
      path: '/ads/zones/{id}',
      tags,
      summary: 'Removes a zone, which then shows nothing',
    })
    .meta({ access: 'campaign.remove' })
    .input(z.object({ id: Id }))
    .output(Done),
};
