import { z } from 'zod';
import { call } from './base.ts';
import { KEY_MODES, KEY_STATES, OVERLAPS, SCOPE_NAMES } from './developer-rules.ts';
import { Done, Email, Flag, hasControls, Id, Instant, Whole } from './primitives.ts';

const tags = ['Developer'];
const Name = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(60, 'must not exceed 60 characters')
  .refine((text) => !hasControls(text), 'must not contain control characters');
const Secret = z.string().describe('Shown this once; only its hash is kept');

export const DeveloperKey = z.object({
  id: Id,
  name: z.string(),
  mode: z.enum(KEY_MODES),
  client_id: z.string(),
  secret_hint: z.string().describe('How the secret begins and ends'),
  scopes: z.array(z.enum(SCOPE_NAMES)),
  state: z
    .enum(KEY_STATES)
    .describe('orphaned: its maker left or lost the right; off: no developer mode; unpaid: payment failed'),
  made_by: z.string().describe('Whose rights it has'),
  created_at: Instant,
  rotated_at: Instant.nullable(),
  previous_until: Instant.nullable().describe('Until when the secret before works, too'),
  expires_at: Instant.nullable(),
  last_used_at: Instant.nullable().describe('To the minute'),
  last_used_ip: z.string().nullable(),
});

const OpenApi = z.object({
  data: z.object({ status: z.enum(['success', 'empty']).describe('empty: there is no key yet') }),
  user: z.object({ client_id: z.string(), secret_key: z.string() }),
  base_url: z.string().describe('Where the API is'),
});

export const developer = {
  getAuthenticateOpenApi: call
    .route({
      method: 'GET',
      path: '/general/open-api/{companyID}',
      tags,
      summary: "The own company's newest live API key, its secret masked (getAuthenticateOpenApi)",
    })
    .meta({ access: 'developer.keys' })
    .input(z.object({ companyID: Id.describe('The own company') }))
    .output(OpenApi),
  generateAuthenticateOpenApi: call
    .route({
      method: 'POST',
      path: '/general/open-api',
      tags,
      summary: 'Generate the first live API key, with all scopes (generateAuthenticateOpenApi)',
      description:
        'The secret is in this answer only. With a key that works there is nothing to generate: 409.',
    })
    .meta({ access: 'developer.keys', notInView: true, fresh: true })
    .input(
      z.object({
        companyID: Id.describe('The own company'),
        email: Email.describe('The own e-mail address'),
      }),
    )
    .output(OpenApi.extend({ message: z.string() })),
  keys: call
    .route({ method: 'GET', path: '/developer/keys', tags, summary: 'The API keys of the own company' })
    .meta({ access: 'developer.keys' })
    .output(
      z.object({
        data: z.array(DeveloperKey).describe('The newest first'),
        base_url: z.string(),
        token_url: z.string(),
        is_agreed: z.boolean().describe("Whether the developer's agreement is accepted"),
      }),
    ),
  makeKey: call
    .route({ method: 'POST', path: '/developer/keys', tags, summary: 'Make an API key' })
    .meta({ access: 'developer.keys', notInView: true, fresh: true })
    .input(
      z.object({
        name: Name,
        mode: z.enum(KEY_MODES),
        scopes: z
          .array(z.enum(SCOPE_NAMES))
          .min(1, 'must name at least one')
          .max(SCOPE_NAMES.length)
          .refine((all) => new Set(all).size === all.length, 'must name each only once'),
        expires_in_days: Whole(1, 730).nullable().default(null).describe('Null: it has no end'),
      }),
    )
    .output(Done.extend({ data: DeveloperKey, secret_key: Secret })),
  rotateKey: call
    .route({
      method: 'POST',
      path: '/developer/keys/{id}/rotate',
      tags,
      summary: 'Give an API key another secret; the one before stays good for a while',
    })
    .meta({ access: 'developer.keys', notInView: true, fresh: true })
    .input(
      z.object({
        id: Id,
        overlap_minutes: z
          .literal(OVERLAPS, `must be one of ${OVERLAPS.join(', ')}`)
          .default(1440)
          .describe('For how long the secret before stays good'),
      }),
    )
    .output(Done.extend({ data: DeveloperKey, secret_key: Secret })),
  disableKey: call
    .route({
      method: 'PUT',
      path: '/developer/keys/{id}',
      tags,
      summary: 'Disable an API key at once, or enable it again',
      description: 'Enabling asks for a fresh confirmation; disabling never waits for one.',
    })
    .meta({ access: 'developer.keys', notInView: true })
    .input(z.object({ id: Id, disabled: Flag }))
    .output(Done.extend({ data: DeveloperKey })),
  deleteKey: call
    .route({ method: 'DELETE', path: '/developer/keys/{id}', tags, summary: 'Delete an API key' })
    .meta({ access: 'developer.keys', notInView: true, fresh: true })
    .input(z.object({ id: Id }))
    .output(Done),
};
