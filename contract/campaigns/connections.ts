import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Id, Instant } from '../primitives.ts';
import { CONNECTION_STATES } from './destinations.ts';

const Company = z.object({ companyID: Id.optional().describe('The company. Defaults to your company') });
const Which = z.object({ id: Id });
const Choices = z.array(z.object({ id: z.string(), name: z.string() }));

/** Values by key: credentials, settings, or a mapping. */
export const Values = (longest: number) =>
  z
    .record(
      z.string().max(100, 'must not exceed 100 characters'),
      z.string().max(longest, `must not exceed ${longest} characters`),
    )
    .refine((values) => Object.keys(values).length <= 200, 'must have at most 200 entries');

const ConnectionName = z.string().trim().min(1, 'is required').max(80, 'must not exceed 80 characters');

export const VendorInfo = z.object({
  id: z.string(),
  name: z.string(),
  summary: z.string(),
  category: z.string(),
  steps: z.array(z.string()),
  unverified: z.boolean().describe('The adapter has not been tried against the vendor itself'),
  noun: z.string(),
  credentials: z.array(
    z.object({
      key: z.string(),
      label: z.string(),
      help: z.string(),
      secret: z.boolean(),
      optional: z.boolean(),
      placeholder: z.string(),
    }),
  ),
  sign_in: z.string().nullable().describe('The provider to sign in with instead of entering credentials'),
  settings: z.array(
    z.object({
      key: z.string(),
      label: z.string(),
      help: z.string(),
      kind: z.enum(['choice', 'choices', 'text']),
      required: z.boolean(),
    }),
  ),
  fields: z.array(z.object({ key: z.string(), label: z.string(), from: z.string(), required: z.boolean() })),
  document: z
    .string()
    .nullable()
    .describe('What leads are written to, if the platform can create one: spreadsheet'),
  own_fields: z.boolean().describe('Whether custom fields of the vendor can be mapped'),
  demo: z
    .object({ page: z.string(), credentials: z.record(z.string(), z.string()) })
    .nullable()
    .describe('Demo only: the stand-in for the service, and what it accepts'),
});

export const Connection = z.object({
  id: Id,
  companyID: Id,
  vendor: z.string(),
  name: z.string(),
  account: z.string().describe('The account that the credentials belong to, as the vendor names it'),
  state: z.enum(CONNECTION_STATES),
  state_reason: z.string().nullable(),
  signed_in: z
    .boolean()
    .describe('Whether it was connected by signing in to the service instead of with a key'),
  ends_at: Instant.nullable().describe('When the sign-in expires, if the service says so'),
  held_until: Instant.nullable().describe('The vendor asked to wait until then'),
  campaigns: z.int().describe('How many campaigns deliver through it'),
  waiting: z.int().describe('Deliveries waiting for this connection'),
  checked_at: Instant.nullable(),
  created_at: Instant,
});

export const connections = {
  vendors: call
    .route({
      method: 'GET',
      path: '/integrations/vendors',
      tags: ['Integrations'],
      summary: 'Lists the services that leads can be delivered to',
    })
    .meta({ access: 'integration.read' })
    .output(z.object({ data: z.array(VendorInfo) })),
  list: call
    .route({
      method: 'GET',
      path: '/integrations/connections',
      tags: ['Integrations'],
      summary: 'Lists the connections of a company. A client does not see its agency’s',
    })
    .meta({ access: 'integration.read' })
    .input(Company.extend({ vendor: z.string().max(40).optional() }))
    .output(z.object({ data: z.array(Connection) })),
  create: call
    .route({
      method: 'POST',
      path: '/integrations/connections',
      tags: ['Integrations'],
      summary: 'Connects a service. The credentials are tested first, stored encrypted, and never returned',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(
      Company.extend({
        vendor: z.string().max(40),
        name: ConnectionName.optional(),
        credentials: Values(4000),
      }),
    )
    .output(Done.extend({ data: Connection })),
  signIn: call
    .route({
      method: 'POST',
      path: '/integrations/connections/sign-in',
      tags: ['Integrations'],
      summary:
        'Starts signing in to a service. The browser must open the returned address within ten minutes',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(
      Company.extend({
        vendor: z.string().max(40),
        name: ConnectionName.optional(),
        connectionID: Id.optional().describe('The connection to sign in to again'),
      }),
    )
    .output(Done.extend({ url: z.string() })),
  signedIn: call
    .route({
      method: 'POST',
      path: '/integrations/connections/signed-in',
      tags: ['Integrations'],
      summary: 'Connects with what the service returned. Works once, only in the session that started it',
    })
    .meta({ access: 'integration.write' })
    .input(
      z.object({
        state: z.string().max(200, 'must not exceed 200 characters'),
        code: z.string().max(4000, 'must not exceed 4000 characters'),
      }),
    )
    .output(Done.extend({ data: Connection })),
  update: call
    .route({
      method: 'PUT',
      path: '/integrations/connections/{id}',
      tags: ['Integrations'],
      summary:
        'Renames, pauses, or resumes a connection, or replaces its credentials. Waiting deliveries then resume',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(
      Which.extend({
        name: ConnectionName.optional(),
        state: z.enum(['connected', 'paused']).optional(),
        credentials: Values(4000).optional().describe('Omit to keep them. Missing keys keep their values'),
      }),
    )
    .output(Done.extend({ data: Connection })),
  remove: call
    .route({
      method: 'DELETE',
      path: '/integrations/connections/{id}',
      tags: ['Integrations'],
      summary: 'Disconnects a service and deletes its credentials. Campaigns stop delivering to it',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(Which)
    .output(Done),
  test: call
    .route({
      method: 'POST',
      path: '/integrations/connections/{id}/test',
      tags: ['Integrations'],
      summary: 'Tests the credentials, at most once a minute',
    })
    .meta({ access: 'integration.write' })
    .input(Which)
    .output(Done.extend({ data: Connection })),
  checkConnect: call
    .route({
      method: 'GET',
      path: '/integrations/google-sheet/check-connect',
      tags: ['Integrations'],
      summary: 'Returns whether a company is connected to Google Sheets',
    })
    .meta({ access: 'integration.read' })
    .input(Company)
    .output(z.object({ connected: z.boolean(), data: z.array(Connection) })),
  revoke: call
    .route({
      method: 'POST',
      path: '/integrations/google-sheet/revoke',
      tags: ['Integrations'],
      summary: 'Disconnects a company from Google Sheets and revokes the access granted there',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(Company)
    .output(Done),
  choices: call
    .route({
      method: 'GET',
      path: '/integrations/connections/{id}/choices',
      tags: ['Integrations'],
      summary: 'Returns the lists, tags, pipelines, and fields of the service',
    })
    .meta({ access: 'integration.read' })
    .input(Which)
    .output(z.object({ settings: z.record(z.string(), Choices), fields: Choices })),
};
