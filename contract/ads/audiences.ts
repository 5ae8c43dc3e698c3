import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Flag, Id, Instant, Line, Page, PageQuery, Whole } from '../primitives.ts';
import {
  AUDIENCE_KINDS,
  AUDIENCE_ORIGINS,
  AUDIENCE_PLACES,
  AUDIENCE_SOURCES,
  AUDIENCE_STATES,
  LEAST_AIMED,
  LEAST_COUNTED,
  MOST_AUDIENCE_ROWS,
} from './audience-rules.ts';

const tags = ['Audiences'];
const Which = z.object({ id: Id });
/** A count that may say something about single people. */
const Told = (about: string) =>
  z
    .int()
    .nullable()
    .describe(
      `${about}. Full tens. null if it has fewer than ${LEAST_AIMED} people, or an uploaded list fewer than ${LEAST_COUNTED} entries`,
    );
/** The client of a new audience. */
const Client = Id.optional().describe('The client. Required when an agency calls');

/** An audience as it is shown. Its people are never returned. */
export const Audience = z.object({
  id: Id,
  company_id: Id,
  company_name: z.string(),
  name: z.string(),
  source: z.enum(AUDIENCE_SOURCES),
  kind: z.enum(AUDIENCE_KINDS).nullable().describe('What an uploaded list identifies people by'),
  origin: z.enum(AUDIENCE_ORIGINS).nullable().describe('Where an uploaded list comes from'),
  leadspeekID: Id.nullable().describe('The campaign whose leads these are'),
  campaignName: z.string().nullable(),
  days: z.int().nullable().describe('Leads of how many days. null: all'),
  keywords: z.array(z.string()).describe('The first 100 keywords'),
  state: z.enum(AUDIENCE_STATES),
  error: z.string().nullable(),
  filename: z.string().nullable(),
  total_rows: z.int(),
  rows_read: z.int(),
  rows_added: z.int(),
  rows_same: z.int().describe('Rows that repeat another one'),
  rows_bad: z.int(),
  size: z
    .int()
    .describe('People, or entries of a list. Of a keyword count: full tens, and 0 if fewer than 20'),
  matched: Told('Of these, recognized among the people and visitors of the platform'),
  match_rate: z
    .number()
    .nullable()
    .describe('In percent. null for an empty audience, and where matched is null'),
  excluded: Told('Of these, on an exclusion list: no ad is aimed at them'),
  reachable: Told('Of these, whom ads on this platform can recognize'),
  addresses: Told('Of these, with a postal address, for Simpli.fi'),
  refreshed_at: Instant.nullable().describe('When its people were last matched and checked'),
  place_error: z.string().nullable().describe('Why Simpli.fi did not take it'),
  campaigns: z.int().describe('Ad campaigns that use it'),
  created_at: Instant,
});

/** The query of an upload, whose body is the file. */
export const AudienceUpload = z
  .object({
    companyID: Client,
    name: Line,
    kind: z.enum(AUDIENCE_KINDS),
    origin: z
      .enum(AUDIENCE_ORIGINS)
      .describe(
        'customers: people who gave the client their details themselves. other: bought, rented, or collected by others',
      ),
    consent: Flag.refine((value) => value === 'T', 'must be T: the client may use this list for advertising'),
    filename: z.string('is required').min(1, 'is required').max(255, 'must not exceed 255 characters'),
  })
  .describe(
    `Uploads a list as an audience of a client (?name=Customers&kind=email&origin=customers&consent=T&filename=list.csv). The body is a CSV file of up to ${MOST_AUDIENCE_ROWS.toLocaleString('en-US')} rows and 32 MB: email addresses, in plain text or as SHA-256 or MD5; postal addresses, in columns named address, city, state, and zip; mobile device IDs (IDFA, GAID); or IP addresses`,
  );
export const AudienceUploaded = Done.extend({ data: Audience });

export const audiences = {
  list: call
    .route({
      method: 'GET',
      path: '/leadspeek/simplifi/audience',
      tags,
      summary: 'Lists audiences, newest first, paginated',
    })
    .meta({ access: 'campaign.read' })
    .input(PageQuery.extend({ companyID: Id.optional() }))
    .output(Page(Audience)),
  get: call
    .route({
      method: 'GET',
      path: '/leadspeek/simplifi/audience/{id}',
      tags,
      summary: 'Returns an audience, its first 100 refused rows, and where it may be used',
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(
      z.object({
        audience: Audience,
        bad: z.array(z.object({ line: z.int(), reason: z.string(), value: z.string().nullable() })),
        used_by: z.array(z.object({ leadspeekID: Id, campaignName: z.string(), is_excluded: z.boolean() })),
        places: z.array(
          z.object({
            place: z.enum(AUDIENCE_PLACES),
            allowed: z.boolean(),
            reason: z.string().describe('Why not. Empty if it is allowed'),
          }),
        ),
      }),
    ),
  create: call
    .route({
      method: 'POST',
      path: '/leadspeek/simplifi/audience',
      tags,
      summary: 'Creates an audience of a campaign’s leads or of a keyword count, which is kept up to date',
    })
    .meta({ access: 'campaign.create' })
    .input(
      z.object({
        companyID: Client,
        name: Line,
        source: z.enum(['leads', 'keywords']),
        leadspeekID: Id.optional().describe('The campaign whose leads are meant. Required for leads'),
        days: Whole(1, 730).optional().describe('Only leads of the last days. All if omitted'),
        count_id: Id.optional().describe('The keyword count. Required for keywords'),
      }),
    )
    .output(Done.extend({ data: Audience })),
  refresh: call
    .route({
      method: 'POST',
      path: '/leadspeek/simplifi/audience/{id}/refresh',
      tags,
      summary: 'Matches an audience again, or retries one that is on hold',
    })
    .meta({ access: 'campaign.write' })
    .input(Which)
    .output(Done),
  remove: call
    .route({
      method: 'DELETE',
      path: '/leadspeek/simplifi/audience/{id}',
      tags,
      summary: 'Deletes an audience with its people, also at Simpli.fi. Refused while an ad campaign uses it',
    })
    .meta({ access: 'campaign.remove' })
    .input(Which)
    .output(Done),
};
