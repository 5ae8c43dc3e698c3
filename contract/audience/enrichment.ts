import { z } from 'zod';
import { call } from '../base.ts';
import { US_STATES } from '../choices.ts';
import { Done, Id, Instant } from '../primitives.ts';
import { INFORMATION_FIELDS } from './enrichment-fields.ts';

/** Where the values of data fields come from. `embedded`: the root's own people data, which is always checked first. */
export const DATA_PROVIDERS = ['embedded', 'pdl'] as const;
export const DataProvider = z.enum(DATA_PROVIDERS);

const Type = z.enum(['advanced', 'b2b']);
const Information = z.object({
  id: z.int().describe('As in advanceInformation and b2bInformation of a campaign'),
  key: z.string().describe('As in lead files and webhooks'),
  name: z.string(),
  type: Type,
});

/** Ids of data fields, without duplicates. */
const InformationIds = z
  .array(z.int())
  .max(INFORMATION_FIELDS.length, 'must list each field only once')
  .transform((ids) => [...new Set(ids)]);

const ChoiceField = Information.extend({
  offered: z.boolean().describe('Whether the companies above offer it'),
  selected: z.boolean(),
  campaigns: z
    .int()
    .describe(
      'Number of active or paused campaigns of the company and the companies below it that request this field',
    ),
});

const ProviderRow = z.object({
  provider: DataProvider,
  name: z.string(),
  offered: z.boolean(),
  selected: z.boolean(),
  connected: z.boolean().describe('Whether a key is saved for it'),
});

export const DataChoice = z.object({
  companyID: Id,
  company_name: z.string(),
  kind: z.enum(['root', 'agency', 'client']),
  can_change: z.boolean(),
  set_by: z
    .enum(['root', 'agency'])
    .nullable()
    .describe('The company above that can change it. null if it is your company'),
  narrowed: z.boolean().describe('false: everything offered, including future additions'),
  fields: z.array(ChoiceField),
  providers: z.array(ProviderRow),
});

export const ProviderState = z.object({
  provider: DataProvider,
  connected: z.boolean(),
  asked: z.int(),
  found: z.int(),
  failed: z.int(),
  last_error: z.string().nullable(),
  last_error_at: Instant.nullable(),
});

export const enrichment = {
  fields: call
    .route({
      method: 'GET',
      path: '/configuration/list-advance-information',
      tags: ['Data'],
      summary: "Lists the consumer data fields that a company's campaigns can request",
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ companyID: Id.optional().describe('Defaults to your company') }))
    .output(z.object({ data: z.array(Information) })),
  fieldsOfType: call
    .route({
      method: 'GET',
      path: '/configuration/list-advance-information/{type}',
      tags: ['Data'],
      summary: 'Lists the data fields of one type: advanced (about consumers) or b2b (about people at work)',
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ type: Type, companyID: Id.optional().describe('Defaults to your company') }))
    .output(z.object({ data: z.array(Information) })),
  choice: call
    .route({
      method: 'GET',
      path: '/configuration/data-enrichment',
      tags: ['Data'],
      summary: "Returns the data fields and sources that a company's campaigns can use",
    })
    .meta({ access: 'setting.read' })
    .input(z.object({ companyID: Id.optional().describe('Defaults to your company') }))
    .output(z.object({ data: DataChoice })),
  choose: call
    .route({
      method: 'PUT',
      path: '/configuration/data-enrichment',
      tags: ['Data'],
      summary:
        'Limits the data fields and sources. Roots can limit their own and their agencies’, and agencies their clients’',
      description:
        'Companies that have everything offered also get future additions. A field that an active or paused campaign requests cannot be removed.',
    })
    .meta({ access: 'setting.write' })
    .input(
      z.object({
        companyID: Id,
        information: InformationIds,
        providers: z.array(DataProvider).max(10).describe('In addition to embedded, which is always used'),
      }),
    )
    .output(Done.extend({ data: DataChoice })),
  sources: call
    .route({
      method: 'GET',
      path: '/configuration/data-enrichment/sources',
      tags: ['Data'],
      summary: 'Lists the vendors that a root can have an account with, and the results of recent lookups',
    })
    .meta({ access: 'data.source' })
    .output(z.object({ data: z.array(ProviderState) })),
  setSource: call
    .route({
      method: 'PUT',
      path: '/configuration/data-enrichment/sources',
      tags: ['Data'],
      summary: 'Saves the encrypted key of a vendor account. An empty key removes it',
    })
    .meta({ access: 'data.source', notInView: true })
    .input(
      z.object({
        provider: z.enum(['pdl']),
        key: z
          .string()
          .trim()
          .max(200, 'must not exceed 200 characters')
          .regex(/^[\x21-\x7e]*$/, 'must have only ASCII characters without spaces'),
      }),
    )
    .output(Done.extend({ data: z.array(ProviderState) })),
  config: call
    .route({
      method: 'GET',
      path: '/bigdbm/services/configdata',
      tags: ['Data'],
      summary: 'Returns the days that have signals and the data fields that can be requested',
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ companyID: Id.optional().describe('Defaults to your company') }))
    .output(
      z.object({
        startDate: z.string().nullable().describe('YYYY-MM-DD (UTC). null if there are no signals'),
        endDate: z.string().nullable(),
        advanceInformation: z.array(Information),
        b2bInformation: z.array(Information),
      }),
    ),
  location: call
    .route({
      method: 'GET',
      path: '/general/enhance/location',
      tags: ['Data'],
      summary: 'Lists the states, cities, and ZIP codes that match a text. Without a text, lists all states',
    })
    .meta({ access: 'campaign.read' })
    .input(
      z.object({
        search: z.string().trim().max(120, 'must not exceed 120 characters').optional(),
        state: z
          .string()
          .toUpperCase()
          .refine((code) => code in US_STATES, 'must be a listed state')
          .optional()
          .describe('Only results in this state'),
      }),
    )
    .output(
      z.object({
        states: z.array(z.object({ code: z.string(), name: z.string() })),
        cities: z.array(
          z.object({ name: z.string().describe("For example, 'Austin, TX'"), state: z.string() }),
        ),
        zips: z.array(z.object({ zip: z.string(), state: z.string() })),
      }),
    ),
};
