import { z } from 'zod';
import { ofLeadTexts } from '../audience/person-texts.ts';
import { call } from '../base.ts';
import { Day, Done, Email, GivenDay, Id, Instant, Page, PageQuery, WebUrl } from '../primitives.ts';
import { Values } from './connections.ts';
import { CONNECTION_STATES, DELIVERY_STATES, DESK_STATES } from './destinations.ts';
import { LeadScore } from './leads.ts';
import { LONGEST_TEMPLATE, MOST_FIELDS, PAYLOAD_FORMATS } from './payloads.ts';
import { LONGEST_RULE_VALUE, MOST_CONDITIONS, RULE_MATCHES, RULE_OPS, type RuleOp } from './rules.ts';

const MOST_RECIPIENTS = 20;

const Clock = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 09:00');
/** When something is sent, in the client's time zone. */
export const Hours = z.object({
  days: z.array(z.int().min(1).max(7)).max(7).describe('The days on which it opens. 1 is Monday'),
  from: Clock,
  to: Clock.describe('Before from: on the following day'),
});
/** Which leads a destination gets and when. */
export const Rules = z.object({
  match: z
    .enum(RULE_MATCHES, `must be one of ${RULE_MATCHES.join(', ')}`)
    .default('all')
    .describe('How many of the conditions must be true'),
  conditions: z
    .array(
      z.object({
        field: z.string().max(100).describe('The key of a lead field, or data_… for a data field'),
        op: z.enum(Object.keys(RULE_OPS) as [RuleOp, ...RuleOp[]], 'is not a comparison'),
        value: z
          .string()
          .max(LONGEST_RULE_VALUE, `must not exceed ${LONGEST_RULE_VALUE} characters`)
          .default('')
          .describe(
            'Compared without regard to case. For is_one_of: a list with commas. None for is_known and is_unknown',
          ),
      }),
    )
    .max(MOST_CONDITIONS, `must have at most ${MOST_CONDITIONS} rows`)
    .default([]),
  hours: Hours.nullable()
    .default(null)
    .describe('When leads are sent, in the time zone of the client. null for any time'),
  rotation: z
    .boolean()
    .default(false)
    .describe('Each lead goes to only one of the destinations that take turns and whose conditions match'),
});

export const Integration = z.object({
  id: Id,
  leadspeekID: Id,
  kind: z.string().describe('webhook, or the service of its connection'),
  name: z.string().describe('The URL of a webhook, or the names of the service and the connection'),
  url: z.string().nullable(),
  connectionID: Id.nullable(),
  connection_state: z.enum(CONNECTION_STATES).nullable(),
  settings: z.record(z.string(), z.string()),
  mapping: z.record(z.string(), z.string()),
  payload_format: z.enum(PAYLOAD_FORMATS),
  rules: Rules.nullable().describe('Which leads it gets and when. null: every lead at any time'),
  time_zone: z.string().describe('The client’s. The hours are in it'),
  state: z.enum(['enabled', 'disabled']),
  state_reason: z.string().nullable(),
  delivered: z.int(),
  pending: z.int(),
  failed: z.int(),
  skipped: z.int().describe('Left out by its rules'),
  created_at: Instant,
});

const Attempt = z.object({
  number: z.int(),
  started_at: Instant,
  duration_ms: z.int(),
  status: z.int().nullable(),
  answer: z
    .string()
    .nullable()
    .describe('The last response. null once it is older than the platform keeps it, by default 30 days'),
  error: z.string().nullable(),
});

export const Delivery = z.object({
  id: Id,
  message_id: z.string(),
  lead_id: Id.nullable(),
  lead_name: z.string().nullable(),
  state: z.enum(DELIVERY_STATES),
  is_test: z.boolean(),
  attempts: z.int(),
  next_at: Instant.nullable(),
  delivered_at: Instant.nullable(),
  created_at: Instant,
  tries: z.array(Attempt),
});

const Company = z.object({ companyID: Id.optional().describe('The company. Defaults to your company') });

/** A delivery among those of all destinations of a company. */
export const DeskDelivery = z.object({
  id: Id,
  destination_id: Id,
  destination: z.string().describe('The URL of a webhook, or the names of the service and the connection'),
  kind: z.string().describe('webhook, or the service of its connection'),
  destination_state: z.enum(['enabled', 'disabled', 'removed']),
  leadspeekID: Id,
  leadspeekType: z.string(),
  campaign_name: z.string(),
  company_name: z.string().describe('The client that the campaign belongs to'),
  message_id: z.string(),
  lead_id: Id.nullable(),
  lead_name: z.string().nullable(),
  state: z.enum(DELIVERY_STATES),
  may_resend: z.boolean().describe('Whether you can resend it'),
  cause: z.string().nullable().describe('Why the last attempt failed'),
  attempts: z.int(),
  next_at: Instant.nullable(),
  delivered_at: Instant.nullable(),
  created_at: Instant,
});

const Exchange = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
  body: z.string().nullable(),
  status: z.int().nullable().describe('null: no response came'),
  answer: z.string().nullable(),
  ms: z.int(),
});

/** What narrows the list of a company's deliveries, and what is resent. */
const DeskFilter = Company.extend({
  destination_id: Id.optional().describe('Only those of this destination'),
  cause: z
    .string()
    .max(300, 'must not exceed 300 characters')
    .optional()
    .describe('Only those that failed for this reason'),
  startDate: GivenDay.optional().describe('First day of the leads, in the time zone of the company'),
  endDate: GivenDay.optional(),
});

const Which = z.object({ id: Id });
const Mapping = Values(500).describe(
  'By field of the service: the key of a lead field, text:… for a fixed text, or empty for nothing. Other fields keep their defaults',
);
const Settings = Values(4000);

const Format = z
  .enum(PAYLOAD_FORMATS)
  .describe(
    'standard: the signed message with everything about a lead. flat: one JSON object with the fields. form: the same, form-encoded. template: your JSON',
  );
const Fields = z
  .array(
    z.object({
      name: z
        .string()
        .trim()
        .min(1, 'is required')
        .max(100, 'must not exceed 100 characters')
        .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters'),
      source: z
        .string()
        .max(500, 'must not exceed 500 characters')
        .describe('The key of a lead field, data_… for a data field, or text:… for a fixed text'),
    }),
  )
  .max(MOST_FIELDS, `must have at most ${MOST_FIELDS} rows`);
const Template = z
  .string()
  .max(LONGEST_TEMPLATE, `must not exceed ${LONGEST_TEMPLATE.toLocaleString('en-US')} characters`);
/** What a webhook sends, as it is stored. */
export const StoredPayload = z.object({ format: Format, fields: Fields, template: Template });
/** What a webhook sends; what is left out stays as it is. */
const GivenPayload = Which.extend({
  format: Format,
  fields: Fields.optional().describe('For flat and form. Defaults to all lead fields under their own keys'),
  template: Template.optional().describe(
    'For template: JSON with placeholders such as {{first_name}} in its texts',
  ),
  headers: z
    .array(z.object({ name: z.string(), value: z.string().describe('Empty keeps the stored value') }))
    .max(100)
    .optional()
    .describe('Up to 10 headers sent with each request. Their values are never returned'),
});

export const delivery = {
  list: call
    .route({
      method: 'GET',
      path: '/integrations/custom/{leadspeekID}',
      tags: ['Integrations'],
      summary: 'Lists the webhooks and other destinations of a campaign',
    })
    .meta({ access: 'integration.read' })
    .input(z.object({ leadspeekID: Id }))
    .output(z.object({ data: z.array(Integration) })),
  create: call
    .route({
      method: 'POST',
      path: '/integrations/custom',
      tags: ['Integrations'],
      summary: 'Adds a webhook. Its signing secret is shown once',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(z.object({ leadspeekID: Id, url: WebUrl }))
    .output(Done.extend({ data: Integration, secret: z.string().describe('whsec_..., shown once') })),
  attach: call
    .route({
      method: 'POST',
      path: '/integrations/destinations',
      tags: ['Integrations'],
      summary: 'Delivers the leads of a campaign through a connection',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(
      z.object({
        leadspeekID: Id,
        connectionID: Id,
        settings: Settings.default({}),
        mapping: Mapping.default({}),
      }),
    )
    .output(Done.extend({ data: Integration })),
  configure: call
    .route({
      method: 'PUT',
      path: '/integrations/destinations/{id}',
      tags: ['Integrations'],
      summary: 'Changes the settings and the field mapping of a destination',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(Which.extend({ settings: Settings, mapping: Mapping }))
    .output(Done.extend({ data: Integration })),
  preview: call
    .route({
      method: 'POST',
      path: '/integrations/destinations/preview',
      tags: ['Integrations'],
      summary: 'Shows what the newest lead of a campaign, or a made-up one, becomes with a field mapping',
    })
    .meta({ access: 'integration.read' })
    .input(z.object({ leadspeekID: Id, connectionID: Id, mapping: Mapping }))
    .output(
      z.object({
        is_example: z.boolean().describe('The campaign has no leads yet'),
        fields: z.array(z.object({ key: z.string(), value: z.string() })),
        missing: z.array(z.string()).describe('Required fields without a value'),
      }),
    ),
  undelivered: call
    .route({
      method: 'GET',
      path: '/integrations/undelivered',
      tags: ['Integrations'],
      summary:
        'Counts what could not be delivered, by destination and cause. An agency’s count includes its clients',
    })
    .meta({ access: 'integration.read' })
    .input(z.object({ companyID: Id.optional().describe('The company. Defaults to your company') }))
    .output(
      z.object({
        data: z.array(
          z.object({
            id: Id.describe('The destination'),
            name: z.string(),
            kind: z.string(),
            connectionID: Id.nullable(),
            connection_company_id: Id.nullable().describe('The owner of the connection, if you can see it'),
            may_resend: z.boolean().describe('false: it uses the agency’s connection'),
            company_name: z.string().describe('The client that the campaign belongs to'),
            leadspeekID: Id,
            leadspeekType: z.string(),
            campaign_name: z.string(),
            state: z
              .enum(['failed', 'retrying', 'waiting'])
              .describe('retrying: more attempts follow. waiting: for its connection'),
            cause: z.string(),
            leads: z.int(),
            first_at: Instant,
            last_at: Instant,
          }),
        ),
      }),
    ),
  desk: call
    .route({
      method: 'GET',
      path: '/integrations/deliveries',
      tags: ['Integrations'],
      summary:
        'Lists deliveries of a company in a state, newest first, up to 10,000. For an agency, those of its clients',
    })
    .meta({ access: 'integration.read' })
    .input(PageQuery.extend({ ...DeskFilter.shape, state: z.enum(DESK_STATES).default('failed') }))
    .output(Page(DeskDelivery)),
  one: call
    .route({
      method: 'GET',
      path: '/integrations/deliveries/{id}',
      tags: ['Integrations'],
      summary:
        'Returns a delivery with its attempts, requests, and responses, without credentials and personal data',
    })
    .meta({ access: 'integration.read' })
    .input(Which)
    .output(
      DeskDelivery.extend({
        can_erase: z.boolean().describe('Whether its record at the service can be deleted from here'),
        tries: z.array(
          Attempt.extend({
            exchanges: z
              .array(Exchange)
              .describe('Empty once they are older than the platform keeps them, by default 30 days'),
          }),
        ),
      }),
    ),
  erase: call
    .route({
      method: 'POST',
      path: '/integrations/deliveries/{id}/erase',
      tags: ['Integrations'],
      summary:
        'Deletes the record that a delivery created at its service. The delivery is then listed as skipped',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(Which)
    .output(Done),
  destinations: call
    .route({
      method: 'GET',
      path: '/integrations/destinations',
      tags: ['Integrations'],
      summary:
        'Lists the destinations of a company, or of an agency’s clients, with the results of the last seven days',
    })
    .meta({ access: 'integration.read' })
    .input(PageQuery.extend(Company.shape))
    .output(
      Page(
        z.object({
          id: Id,
          name: z.string(),
          kind: z.string(),
          leadspeekID: Id,
          leadspeekType: z.string(),
          campaign_name: z.string(),
          company_name: z.string(),
          state: z.enum(['enabled', 'disabled']),
          connection_state: z.enum(CONNECTION_STATES).nullable(),
          days: z
            .array(
              z.object({
                day: Day,
                delivered: z.int(),
                failed: z.int().describe('Attempts that did not deliver'),
              }),
            )
            .describe('Today and the six days before (UTC), oldest first'),
          half_took_ms: z.int().nullable().describe('Half of the attempts took at most this long'),
          most_took_ms: z.int().nullable().describe('95 % of the attempts took at most this long'),
          waiting: z.int().describe('Deliveries that are pending or being checked, up to 10,000'),
          failed: z.int().describe('Deliveries that failed, up to 10,000'),
        }),
      ),
    ),
  resend: call
    .route({
      method: 'POST',
      path: '/integrations/deliveries/resend',
      tags: ['Integrations'],
      summary:
        'Resends the failed deliveries of a company that match a filter, the oldest 10,000, to enabled destinations',
    })
    .meta({ access: 'integration.write' })
    .input(DeskFilter)
    .output(Done.extend({ replayed: z.int() })),
  update: call
    .route({
      method: 'PUT',
      path: '/integrations/custom/{id}',
      tags: ['Integrations'],
      summary: 'Changes the URL of a webhook, or enables or disables a destination',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(Which.extend({ url: WebUrl.optional(), state: z.enum(['enabled', 'disabled']).optional() }))
    .output(Done.extend({ data: Integration })),
  payload: call
    .route({
      method: 'GET',
      path: '/integrations/custom/{id}/payload',
      tags: ['Integrations'],
      summary: 'Returns what a webhook sends. For custom headers, only the names',
    })
    .meta({ access: 'integration.read' })
    .input(Which)
    .output(
      z.object({
        format: Format,
        fields: Fields,
        template: z.string(),
        header_names: z.array(z.string()),
      }),
    ),
  setPayload: call
    .route({
      method: 'PUT',
      path: '/integrations/custom/{id}/payload',
      tags: ['Integrations'],
      summary: 'Changes what a webhook sends',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(GivenPayload)
    .output(Done.extend({ data: Integration })),
  previewPayload: call
    .route({
      method: 'POST',
      path: '/integrations/custom/{id}/payload/preview',
      tags: ['Integrations'],
      summary: 'Shows what a webhook would send about the newest lead of its campaign, or a made-up one',
    })
    .meta({ access: 'integration.read' })
    .input(GivenPayload)
    .output(
      z.object({
        is_example: z.boolean().describe('The campaign has no leads yet'),
        method: z.literal('POST'),
        headers: z.array(
          z.object({ name: z.string(), value: z.string().describe('Masked, if it is a secret') }),
        ),
        body: z.string(),
      }),
    ),
  setRules: call
    .route({
      method: 'PUT',
      path: '/integrations/destinations/{id}/rules',
      tags: ['Integrations'],
      summary: 'Changes which leads a webhook or other destination gets, and when',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(Which.extend({ rules: Rules.nullable().describe('null removes them') }))
    .output(Done.extend({ data: Integration })),
  tryRules: call
    .route({
      method: 'POST',
      path: '/integrations/destinations/{id}/rules/try',
      tags: ['Integrations'],
      summary:
        'Shows which of the campaign’s last 100 leads would have gone to a destination. Nothing is sent',
    })
    .meta({ access: 'integration.read' })
    .input(Which.extend({ rules: Rules.nullable() }))
    .output(
      z.object({
        goes: z.int(),
        waits: z.int().describe('Of those sent, how many came in outside the hours'),
        not_matching: z.int(),
        others_turn: z.int(),
        not_sendable: z.int().describe('Excluded or erased since'),
        data: z.array(
          z.object({
            lead_id: Id,
            name: z.string().nullable().describe('null if the person is excluded or erased, or has no name'),
            created_at: Instant,
            goes: z.boolean(),
            waits_until: Instant.nullable(),
            why: z.string(),
          }),
        ),
      }),
    ),
  remove: call
    .route({
      method: 'DELETE',
      path: '/integrations/custom/{id}',
      tags: ['Integrations'],
      summary: 'Removes a destination and keeps its log',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(Which)
    .output(Done),
  test: call
    .route({
      method: 'POST',
      path: '/integrations/custom/{id}/test',
      tags: ['Integrations'],
      summary: 'Sends a marked test lead now and returns the response',
    })
    .meta({ access: 'integration.write' })
    .input(Which)
    .output(
      z.object({
        result: z.enum(['success', 'failed']),
        message: z.string(),
        status: z.int().nullable(),
        duration_ms: z.int(),
      }),
    ),
  log: call
    .route({
      method: 'GET',
      path: '/integrations/custom/{id}/deliveries',
      tags: ['Integrations'],
      summary: 'Lists deliveries with every attempt and response',
    })
    .meta({ access: 'integration.read' })
    .input(PageQuery.extend({ id: Id, state: z.enum(DELIVERY_STATES).optional() }))
    .output(Page(Delivery)),
  replay: call
    .route({
      method: 'POST',
      path: '/integrations/custom/{id}/replay',
      tags: ['Integrations'],
      summary: 'Resends one delivery, or all failed deliveries',
    })
    .meta({ access: 'integration.write' })
    .input(
      Which.extend({
        deliveryID: Id.optional().describe('Empty for all failed deliveries'),
        cause: z.string().max(2000).optional().describe('Only those that failed for this reason'),
      }),
    )
    .output(Done.extend({ replayed: z.int() })),
};

const Campaign = z.object({ leadspeekID: Id });
const Emails = z
  .array(Email)
  .max(MOST_RECIPIENTS, `must have at most ${MOST_RECIPIENTS} addresses`)
  .describe('They can edit it if the client’s editorspreadsheet is T. Otherwise, they can only view it');
const Unshared = z
  .array(z.object({ email: z.string(), why: z.string() }))
  .describe('Addresses it could not be shared with');

/** Spreadsheets that the platform makes for campaigns (Google Sheets). */
export const spreadsheets = {
  create: call
    .route({
      method: 'POST',
      path: '/leadspeek/spreadsheet',
      tags: ['Integrations'],
      summary:
        'Creates a spreadsheet for a campaign through a connection, shares it, and writes its leads into it',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(Campaign.extend({ connectionID: Id, emails: Emails.default([]) }))
    .output(Done.extend({ url: z.string(), unshared: Unshared, data: Integration })),
  check: call
    .route({
      method: 'GET',
      path: '/leadspeek/spreadsheet/check',
      tags: ['Integrations'],
      summary: 'Returns whether the spreadsheet of a campaign still exists and who it is shared with',
    })
    .meta({ access: 'integration.read' })
    .input(Campaign)
    .output(
      z.object({
        destination_id: Id,
        exists: z.boolean(),
        url: z.string(),
        account: z.string(),
        recipients: z.array(z.string()),
      }),
    ),
  history: call
    .route({
      method: 'GET',
      path: '/leadspeek/spreadsheet/history',
      tags: ['Integrations'],
      summary: 'Lists the former spreadsheets of a campaign, newest first',
    })
    .meta({ access: 'integration.read' })
    .input(Campaign)
    .output(
      z.object({
        data: z.array(
          z.object({
            url: z.string(),
            created_at: Instant,
            ended_at: Instant.nullable().describe('When it was replaced'),
          }),
        ),
      }),
    ),
  reset: call
    .route({
      method: 'POST',
      path: '/leadspeek/spreadsheet/reset',
      tags: ['Integrations'],
      summary:
        'Starts a new spreadsheet for a campaign, shared with the same people. The current one stays as it is',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(Campaign)
    .output(Done.extend({ url: z.string(), unshared: Unshared })),
  share: call
    .route({
      method: 'PUT',
      path: '/leadspeek/spreadsheet/share',
      tags: ['Integrations'],
      summary: 'Shares the spreadsheet of a campaign with exactly these people',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(Campaign.extend({ emails: Emails }))
    .output(Done.extend({ recipients: z.array(z.string()), unshared: Unshared })),
  resendLink: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/resendgooglelink',
      tags: ['Integrations'],
      summary: 'Emails the address of a campaign’s spreadsheet to its client',
    })
    .meta({ access: 'integration.write' })
    .input(Campaign)
    .output(Done),
};

/** What a webhook receives: the body of one lead. */
export const LeadMessage = z.object({
  type: z.literal('lead.created'),
  timestamp: Instant,
  data: z.object({
    id: Id,
    test: z.boolean(),
    campaign: z.object({
      id: z.int(),
      name: z.string(),
      type: z.enum(['local', 'locator', 'enhance', 'b2b']),
    }),
    person: z.object({
      ...ofLeadTexts(() => z.string().nullable()),
      email: z.string().nullable(),
      phone: z.string().nullable(),
      phone_dnc: z
        .boolean()
        .describe(
          'Whether the phone number is on a do-not-call list, either because the campaign allows such numbers or because it was listed later',
        ),
      phone_dnc_at: Instant.nullable().describe('When the do-not-call list was read'),
      phone_scrubbed_at: Instant.nullable().describe(
        'When the phone number was last compared with do-not-call lists, as far as a source says. null: not known',
      ),
      phone_scrub_source: z.string().nullable().describe('What compared it: import'),
      phone2: z.string().nullable(),
      phone2_dnc: z.boolean(),
      phone2_dnc_at: Instant.nullable(),
      phone2_scrubbed_at: Instant.nullable(),
      phone2_scrub_source: z.string().nullable(),
    }),
    information: z
      .record(z.string(), z.string().nullable())
      .describe('The data fields that the campaign requests, by key. null if not known'),
    visit: z.object({ page_url: z.string().nullable(), referrer: z.string().nullable() }),
    match: z.object({ type: z.string(), confidence: z.int() }),
    score: LeadScore,
    created_at: Instant,
  }),
});
