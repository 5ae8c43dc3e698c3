import { z } from 'zod';
import { call } from './base.ts';
import { Done, Id, Instant, Page, PageQuery, WebUrl } from './primitives.ts';

export const Integration = z.object({
  id: Id,
  leadspeekID: Id,
  kind: z.literal('webhook'),
  url: z.string(),
  state: z.enum(['enabled', 'disabled']),
  state_reason: z.string().nullable(),
  delivered: z.int(),
  pending: z.int(),
  failed: z.int(),
  created_at: Instant,
});

export const Delivery = z.object({
  id: Id,
  message_id: z.string(),
  lead_id: Id.nullable(),
  lead_name: z.string().nullable(),
  state: z.enum(['pending', 'delivered', 'failed']),
  is_test: z.boolean(),
  attempts: z.int(),
  next_at: Instant.nullable(),
  delivered_at: Instant.nullable(),
  created_at: Instant,
  tries: z.array(
    z.object({
      number: z.int(),
      started_at: Instant,
      duration_ms: z.int(),
      status: z.int().nullable(),
      answer: z.string().nullable(),
      error: z.string().nullable(),
    }),
  ),
});

const Which = z.object({ id: Id });

export const delivery = {
  list: call
    .route({
      method: 'GET',
      path: '/integrations/custom/{leadspeekID}',
      tags: ['Integrations'],
      summary: 'Lists the webhooks of a campaign',
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
  update: call
    .route({
      method: 'PUT',
      path: '/integrations/custom/{id}',
      tags: ['Integrations'],
      summary: 'Changes the URL, or enables or disables the webhook',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(Which.extend({ url: WebUrl.optional(), state: z.enum(['enabled', 'disabled']).optional() }))
    .output(Done.extend({ data: Integration })),
  remove: call
    .route({
      method: 'DELETE',
      path: '/integrations/custom/{id}',
      tags: ['Integrations'],
      summary: 'Removes a webhook and keeps its log',
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
    .input(PageQuery.extend({ id: Id, state: z.enum(['pending', 'delivered', 'failed']).optional() }))
    .output(Page(Delivery)),
  replay: call
    .route({
      method: 'POST',
      path: '/integrations/custom/{id}/replay',
      tags: ['Integrations'],
      summary: 'Resends one delivery, or all failed deliveries',
    })
    .meta({ access: 'integration.write' })
    .input(Which.extend({ deliveryID: Id.optional().describe('Empty for all failed deliveries') }))
    .output(Done.extend({ replayed: z.int() })),
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
      first_name: z.string().nullable(),
      last_name: z.string().nullable(),
      email: z.string().nullable(),
      phone: z.string().nullable(),
      phone_dnc: z
        .boolean()
        .describe(
          'Whether the phone number is on a do-not-call list, either because the campaign allows such numbers or because it was listed later',
        ),
      phone_dnc_at: Instant.nullable().describe('When the do-not-call list was read'),
      phone2: z.string().nullable(),
      phone2_dnc: z.boolean(),
      phone2_dnc_at: Instant.nullable(),
      address: z.string().nullable(),
      city: z.string().nullable(),
      state: z.string().nullable(),
      zip: z.string().nullable(),
      company_name: z.string().nullable(),
      job_title: z.string().nullable(),
      website: z.string().nullable(),
    }),
    information: z
      .record(z.string(), z.string().nullable())
      .describe('The data fields that the campaign requests, by key. null if not known'),
    visit: z.object({ page_url: z.string().nullable(), referrer: z.string().nullable() }),
    match: z.object({ type: z.string(), confidence: z.int() }),
    created_at: Instant,
  }),
});
