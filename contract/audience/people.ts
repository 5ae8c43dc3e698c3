import { z } from 'zod';
import { call } from '../base.ts';
import { Country, Done, Id, Instant, Page, PageQuery } from '../primitives.ts';
import { PROFILE_KEYS } from './enrichment-fields.ts';
import { personTexts } from './person-texts.ts';

/** What a column of an import can mean. */
export const PERSON_FIELDS = [
  'external_id',
  ...personTexts,
  'full_name',
  'email',
  'email_sha256',
  'email_sha1',
  'email_md5',
  'phone',
  'phone2',
  'phone_dnc',
  'phone_dnc_date',
  'country',
  'ip',
  'device_id',
  ...PROFILE_KEYS,
  // Only for intent signals.
  'keyword',
  'page_url',
  'seen_at',
  'ignore',
] as const;

/** What an import contains: people, or intent signals of people. */
export const IMPORT_KINDS = ['people', 'signals'] as const;

export const PersonField = z.enum(PERSON_FIELDS);

/** Column header -> meaning. */
export const Mapping = z.record(z.string(), PersonField);

export const ImportJob = z.object({
  id: Id,
  kind: z.enum(IMPORT_KINDS),
  file_name: z.string(),
  file_bytes: z.int(),
  state: z.enum(['mapping', 'queued', 'running', 'held', 'done', 'failed', 'cancelled']),
  error: z.string().nullable(),
  country: z.string().describe('The country of phone numbers without a country code, such as US'),
  percentage: z.number(),
  rows_read: z.int(),
  rows_added: z.int(),
  rows_changed: z.int(),
  rows_same: z.int(),
  rows_bad: z.int(),
  keys_added: z.int(),
  values_bad: z.int().describe('Values left out of imported rows'),
  phones_marked: z.int().describe('Phone numbers that the file marks as do-not-call'),
  left_out: z
    .array(
      z.object({
        what: z.enum(['row', 'value']),
        field: z.string().nullable(),
        reason: z.string(),
        count: z.int(),
      }),
    )
    .describe('Number of rows, and of values in imported rows, left out for each reason'),
  ignored: z
    .array(z.object({ column: z.string(), reason: z.string() }))
    .describe('File columns that were not used'),
  created_at: Instant,
  started_at: Instant.nullable(),
  finished_at: Instant.nullable(),
});

const Which = z.object({ id: Id });

const Text = z.string().nullable();

/**
 * A person in the graph as shown to the users who maintain it; for merged people, everything known about any of them.
 */
export const GraphPerson = z.object({
  id: Id,
  first_name: Text,
  last_name: Text,
  email: Text,
  phone: Text,
  address: Text,
  city: Text,
  state: Text,
  zip: Text,
  company_name: Text,
  source: z.string(),
  created_at: Instant,
  updated_at: Instant,
  rows: z.int().describe('Number of people data rows for this person. One unless people were merged'),
});

/** Two people who are probably the same person, because they share a key. */
export const Duplicate = z.object({
  key: z.enum(['email_sha256', 'email_sha1', 'email_md5', 'phone']),
  people: z.tuple([GraphPerson, GraphPerson]),
});

/** Two people merged into one: `kept` stands for `absorbed` until the merge is undone. Null: erased since. */
export const Merge = z.object({
  id: Id,
  kept: GraphPerson.pick({
    id: true,
    first_name: true,
    last_name: true,
    email: true,
    phone: true,
  }).nullable(),
  absorbed: GraphPerson.pick({
    id: true,
    first_name: true,
    last_name: true,
    email: true,
    phone: true,
  }).nullable(),
  merged_at: Instant,
  undone_at: Instant.nullable(),
});

export const people = {
  imports: call
    .route({
      method: 'GET',
      path: '/identity/imports',
      tags: ['Identity'],
      summary: 'Lists imports of people or intent signals, newest first',
    })
    .meta({ access: 'people.import' })
    .input(PageQuery.extend({ kind: z.enum(IMPORT_KINDS).default('people') }))
    .output(Page(ImportJob)),
  get: call
    .route({
      method: 'GET',
      path: '/identity/imports/{id}',
      tags: ['Identity'],
      summary: 'Returns one import with its progress',
    })
    .meta({ access: 'people.import' })
    .input(Which)
    .output(ImportJob),
  preview: call
    .route({
      method: 'GET',
      path: '/identity/imports/{id}/preview',
      tags: ['Identity'],
      summary: 'Returns the columns, their recognized fields, and the first rows',
    })
    .meta({ access: 'people.import' })
    .input(Which)
    .output(
      z.object({
        columns: z.array(
          z.object({
            name: z.string(),
            field: PersonField,
            ignored: z.string().nullable().describe('Why the column is not used by default'),
            samples: z.array(z.string()),
          }),
        ),
      }),
    ),
  start: call
    .route({
      method: 'POST',
      path: '/identity/imports/{id}/start',
      tags: ['Identity'],
      summary: 'Starts an uploaded import with this mapping',
    })
    .meta({ access: 'people.import' })
    .input(
      Which.extend({
        mapping: Mapping,
        country: Country.default('US').describe(
          'The country of phone numbers when neither the number nor a column gives it',
        ),
      }),
    )
    .output(Done.extend({ data: ImportJob })),
  cancel: call
    .route({
      method: 'POST',
      path: '/identity/imports/{id}/cancel',
      tags: ['Identity'],
      summary: 'Stops an import and keeps what was already imported',
    })
    .meta({ access: 'people.import' })
    .input(Which)
    .output(Done),
  tryAgain: call
    .route({
      method: 'POST',
      path: '/identity/imports/{id}/again',
      tags: ['Identity'],
      summary: 'Retries an import that is on hold because the server stopped twice while reading it',
    })
    .meta({ access: 'people.import' })
    .input(Which)
    .output(Done.extend({ data: ImportJob })),
  duplicates: call
    .route({
      method: 'GET',
      path: '/identity/duplicates',
      tags: ['Identity'],
      summary: 'Lists people who are likely duplicates, by email address or by phone and name',
      description:
        'Each response scans a limited number of index keys and returns in `next` where to continue. null when complete.',
    })
    .meta({ access: 'people.merge' })
    .input(z.object({ after: z.string().max(200).optional() }))
    .output(z.object({ data: z.array(Duplicate), next: z.string().nullable() })),
  merges: call
    .route({
      method: 'GET',
      path: '/identity/merges',
      tags: ['Identity'],
      summary: 'Lists merges of people, newest first',
    })
    .meta({ access: 'people.merge' })
    .input(PageQuery)
    .output(Page(Merge)),
  merge: call
    .route({
      method: 'POST',
      path: '/identity/merges',
      tags: ['Identity'],
      summary: 'Merges two people. Repeating the call changes nothing',
    })
    .meta({ access: 'people.merge' })
    .input(z.object({ kept: Id, absorbed: Id }))
    .output(Done.extend({ data: Merge })),
  unmerge: call
    .route({
      method: 'POST',
      path: '/identity/merges/{id}/undo',
      tags: ['Identity'],
      summary: 'Undoes a merge, as if the people had never been merged. Repeating the call changes nothing',
    })
    .meta({ access: 'people.merge' })
    .input(Which)
    .output(Done.extend({ data: Merge })),
  totals: call
    .route({
      method: 'GET',
      path: '/identity/totals',
      tags: ['Identity'],
      summary: 'Returns the number of people and keys in the graph, and of signals from the last 7 days',
    })
    .meta({ access: 'people.import' })
    .output(
      z.object({
        people: z.int(),
        keys: z.int(),
        signals: z.int().describe('From the last 7 days'),
        keywords: z.int().describe('Distinct signal keywords'),
      }),
    ),
};
