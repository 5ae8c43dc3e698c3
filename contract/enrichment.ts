import { z } from 'zod';
import { call } from './base.ts';
import { US_STATES } from './choices.ts';
import { INFORMATION_FIELDS } from './enrichment-fields.ts';
import { Done, Id, Instant } from './primitives.ts';

/** Where the values of data fields come from. `embedded`: the people data of the root, which is always looked at first. */
export const DATA_PROVIDERS = ['embedded', 'pdl'] as const;
export const DataProvider = z.enum(DATA_PROVIDERS);

const Type = z.enum(['advanced', 'b2b']);
const Information = z.object({
  id: z.int().describe('As in advanceInformation and b2bInformation of a campaign'),
  key: z.string().describe('As in the files and webhooks of leads'),
  name: z.string(),
  type: Type,
});

/** Ids of data fields, each once. */
const InformationIds = z
  .array(z.int())
  .max(INFORMATION_FIELDS.length, 'must name each field once')
  .transform((ids) => [...new Set(ids)]);

const ChoiceField = Information.extend({
  offered: z.boolean().describe('By the companies above'),
  selected: z.boolean(),
  campaigns: z
    .int()
    .describe('How many running or paused campaigns of the company and of those below it ask for it'),
});

const ProviderRow = z.object({
  provider: DataProvider,
  name: z.string(),
  offered: z.boolean(),
  selected: z.boolean(),
  connected: z.boolean().describe('Whether there is a key to ask it with'),
});

export const DataChoice = z.object({
  companyID: Id,
  company_name: z.string(),
  kind: z.enum(['root', 'agency', 'client']),
  can_change: z.boolean(),
  set_by: z.enum(['root', 'agency']).nullable().describe('Which company above may change it; null: the own'),
  narrowed: z.boolean().describe('False: everything that is offered, also what will be'),
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
      summary: "The consumer data fields that a company's campaigns may ask for",
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ companyID: Id.optional().describe('Empty: the own company') }))
    .output(z.object({ data: z.array(Information) })),
  fieldsOfType: call
    .route({
      method: 'GET',
      path: '/configuration/list-advance-information/{type}',
      tags: ['Data'],
      summary: 'The same of one type: advanced (about consumers) or b2b (about people at work)',
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ type: Type, companyID: Id.optional().describe('Empty: the own company') }))
    .output(z.object({ data: z.array(Information) })),
  choice: call
    .route({
      method: 'GET',
      path: '/configuration/data-enrichment',
      tags: ['Data'],
      summary: "What data fields and sources a company's campaigns may use",
    })
    .meta({ access: 'setting.read' })
    .input(z.object({ companyID: Id.optional().describe('Empty: the own company') }))
    .output(z.object({ data: DataChoice })),
  choose: call
    .route({
      method: 'PUT',
      path: '/configuration/data-enrichment',
      tags: ['Data'],
      summary: 'Narrow them: a root its own and those of its agencies, an agency those of its clients',
      description:
        'Whoever has everything that is offered also gets what will be offered. A field that a running or paused campaign asks for cannot be taken away.',
    })
    .meta({ access: 'setting.write' })
    .input(
      z.object({
        companyID: Id,
        information: InformationIds,
        providers: z.array(DataProvider).max(10).describe('Besides embedded, which is always used'),
      }),
    )
    .output(Done.extend({ data: DataChoice })),
  sources: call
    .route({
      method: 'GET',
      path: '/configuration/data-enrichment/sources',
      tags: ['Data'],
      summary: 'The vendors that a root may have an account with, and how asking them went',
    })
    .meta({ access: 'data.source' })
    .output(z.object({ data: z.array(ProviderState) })),
  setSource: call
    .route({
      method: 'PUT',
      path: '/configuration/data-enrichment/sources',
      tags: ['Data'],
      summary: 'Keep the key of an account with a vendor, sealed; an empty one takes it away',
    })
    .meta({ access: 'data.source', notInView: true })
    .input(
      z.object({
        provider: z.enum(['pdl']),
        key: z
          .string()
          .trim()
          .max(200, 'must not exceed 200 characters')
          .regex(/^[\x21-\x7e]*$/, 'must not contain spaces or other than ASCII characters'),
      }),
    )
    .output(Done.extend({ data: z.array(ProviderState) })),
  config: call
    .route({
      method: 'GET',
      path: '/bigdbm/services/configdata',
      tags: ['Data'],
      summary: 'The days that there are signals of, and the data fields that may be asked for',
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ companyID: Id.optional().describe('Empty: the own company') }))
    .output(
      z.object({
        startDate: z.string().nullable().describe('YYYY-MM-DD (UTC); null: there are no signals'),
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
      summary: 'States, cities and zip codes that a text may mean; without a text all states',
    })
    .meta({ access: 'campaign.read' })
    .input(
      z.object({
        search: z.string().trim().max(120, 'must not exceed 120 characters').optional(),
        state: z
          .string()
          .toUpperCase()
          .refine((code) => code in US_STATES, 'must be a state of the list')
          .optional()
          .describe('Only what lies in this state'),
      }),
    )
    .output(
      z.object({
        states: z.array(z.object({ code: z.string(), name: z.string() })),
        cities: z.array(z.object({ name: z.string().describe("Such as 'Austin, TX'"), state: z.string() })),
        zips: z.array(z.object({ zip: z.string(), state: z.string() })),
      }),
    ),
};
