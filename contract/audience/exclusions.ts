import { z } from 'zod';
import { call } from '../base.ts';
import { Country, Done, Flag, Id, Instant, Page, PageQuery } from '../primitives.ts';

/** The level a list applies to; on the wire `campaigntype` and `campaignType`. */
export const LEVELS = ['root', 'agency', 'client', 'campaign'] as const;
export const Level = z.enum(LEVELS);

/** What a list is for. */
const Use = z
  .enum(['exclude', 'customers'])
  .default('exclude')
  .describe(
    'exclude: people who never become leads. customers: known customers, who are never charged for but can trigger alerts',
  );

/** The progress of a file being processed (spec product 3, Suppression job progress). */
export const SuppressionProgress = z.object({
  id: Id,
  filename: z.string(),
  percentage: z.number(),
  current_row: z.int(),
  total_row: z.int(),
});

/** The result of a file. Rows are those of the file; entries are what they contain, each counted once per list. */
export const ExclusionList = z.object({
  id: Id,
  filename: z.string(),
  campaignType: Level,
  use: z.enum(['exclude', 'customers']),
  state: z.enum(['queued', 'loading', 'held', 'active', 'failed', 'removed']),
  error: z.string().nullable(),
  rows_read: z.int(),
  ignore_aliases: z
    .boolean()
    .describe('Whether dots and anything after a plus sign are ignored in Gmail addresses'),
  country: z.string().describe('The country of phone numbers without a country code'),
  entries_added: z.int(),
  entries_same: z.int(),
  rows_bad: z.int(),
  emails: z.int(),
  phones: z.int(),
  domains: z.int(),
  created_at: Instant,
  finished_at: Instant.nullable(),
  removed_at: Instant.nullable(),
  connectionID: Id.nullable().describe('The connection that its customers come from. null: a file'),
  refreshed_at: Instant.nullable().describe('When its customers were last read from there'),
  refresh_error: z.string().nullable().describe('Why the last refresh failed. The previous customers stay'),
  is_standing: z.boolean().describe('Filled by privacy requests. It cannot be undone or purged'),
});

const FileName = z.string('is required').min(1, 'is required').max(255, 'must not exceed 255 characters');

/** The form that uploads a list for a client or one of its campaigns. */
export const ExclusionForm = z
  .object({
    ClientCompanyID: Id,
    campaigntype: z.enum(['client', 'campaign']).default('client'),
    leadspeekID: Id.optional(),
    clientoptoutfile: z.unknown().optional(),
    ignoreAliases: Flag.default('T'),
  })
  .describe(
    'Uploads an exclusion list for a client (campaigntype client) or one of its campaigns (campaigntype campaign with leadspeekID). Send a multipart form with ClientCompanyID, campaigntype, and clientoptoutfile, a CSV file of up to 10,000 email addresses, in plain text or as MD5. ignoreAliases (T unless it is F): ignores dots and anything after a plus sign in Gmail addresses',
  );

/** The query of an upload for an agency, client, or campaign, whose body is the file. */
export const ExclusionUpload = z
  .object({
    paramID: Id,
    campaigntype: z.enum(['agency', 'client', 'campaign']),
    file_name: FileName,
    use: Use,
    ignoreAliases: Flag.default('F'),
    country: Country.default('US'),
  })
  .describe(
    'Uploads an exclusion list for an agency, client, or campaign with any kind of entry (?campaigntype=agency&paramID=…&file_name=list.csv): email addresses, in plain text or as MD5 or SHA-256, phone numbers, and domains. Up to 10,000 records for a client or campaign, 256 MB for an agency. ignoreAliases=T: ignores dots and anything after a plus sign in Gmail addresses. country=GB: the country for phone numbers without a country code (default US). use=customers: known customers of a client or campaign, as email addresses, hashes of them, or phone numbers, with a name column if you like; no domains',
  );

/** The same for a root's own list. */
export const RootExclusionUpload = z
  .object({
    file_name: FileName,
    ignoreAliases: Flag.default('T'),
    country: Country.default('US'),
  })
  .describe(
    'Uploads to the root’s own list (?file_name=list.csv), which applies to everyone in its system. Accepts any kind of entry and any number of entries, up to 2 GiB. Ignores dots and anything after a plus sign in Gmail addresses unless ignoreAliases=F. country=GB: the country for phone numbers without a country code (default US)',
  );

/** The answer to an upload. */
export const ExclusionUploaded = Done.extend({ data: ExclusionList });

const Which = z.object({ id: Id });

export const exclusions = {
  jobProgress: call
    .route({
      method: 'GET',
      path: '/leadspeek/suppressionlist/progress',
      tags: ['Exclusions'],
      summary:
        'Lists exclusion list files in progress and those that finished in the last hour. companyId is the company, or the campaign if campaignType is campaign',
    })
    .meta({ access: 'exclusion.read' })
    .input(z.object({ companyId: Id, campaignType: Level.default('client'), use: Use }))
    .output(z.object({ jobProgress: z.array(SuppressionProgress), jobDone: z.array(ExclusionList) })),
  purgeSuppressionList: call
    .route({
      method: 'POST',
      path: '/leadspeek/suppressionlist/purge',
      tags: ['Exclusions'],
      summary: 'Deactivates all lists of an agency, client, or campaign and deletes their entries',
    })
    .meta({ access: 'exclusion.write' })
    .input(
      z.object({
        paramID: Id,
        campaignType: z.enum(['agency', 'client', 'campaign']).default('client'),
        use: Use,
      }),
    )
    .output(z.object({ result: z.literal('success'), title: z.string(), msg: z.string() })),
  purgeOptOutList: call
    .route({
      method: 'POST',
      path: '/tools/optout/purge',
      tags: ['Exclusions'],
      summary: "Deactivates all of the root's own lists and deletes their entries",
    })
    .meta({ access: 'optout.write' })
    .output(z.object({ result: z.literal('success'), title: z.string(), msg: z.string() })),
  lists: call
    .route({
      method: 'GET',
      path: '/exclusions/lists',
      tags: ['Exclusions'],
      summary: 'Lists the lists of a root, agency, client, or campaign, including removed ones, newest first',
    })
    .meta({ access: 'exclusion.read' })
    .input(PageQuery.extend({ paramID: Id, campaignType: Level, use: Use }))
    .output(Page(ExclusionList)),
  report: call
    .route({
      method: 'GET',
      path: '/exclusions/lists/{id}',
      tags: ['Exclusions'],
      summary: 'Returns the result of a file, with its first 100 invalid rows by line',
    })
    .meta({ access: 'exclusion.read' })
    .input(Which)
    .output(
      z.object({
        list: ExclusionList,
        bad: z.array(z.object({ line: z.int(), reason: z.string(), value: z.string().nullable() })),
      }),
    ),
  tryAgain: call
    .route({
      method: 'POST',
      path: '/exclusions/lists/{id}/again',
      tags: ['Exclusions'],
      summary: 'Retries a list that is on hold because the server stopped twice while reading it',
    })
    .meta({ access: 'exclusion.write' })
    .input(Which)
    .output(Done),
  undo: call
    .route({
      method: 'POST',
      path: '/exclusions/lists/{id}/undo',
      tags: ['Exclusions'],
      summary: 'Undoes one list. It stops applying immediately, then its entries are deleted',
    })
    .meta({ access: 'exclusion.write' })
    .input(Which)
    .output(Done),
};
