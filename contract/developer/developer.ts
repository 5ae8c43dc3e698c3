import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Email, Flag, hasControls, Id, Instant, Page, PageQuery, Whole } from '../primitives.ts';
import { KEY_MODES, KEY_STATES, OVERLAPS, SCOPE_NAMES } from './developer-rules.ts';
import { HOOK_EVENT_NAMES, MESSAGE_STATES } from './hook-events.ts';
import { ApiEndpoint, ApiMessage, ApiMessageDetail, GivenInstant } from './v1.ts';
import { HookChanges, HookFields } from './v1-writes.ts';
import { VERSIONS } from './versions.ts';

const tags = ['Developer'];
const Name = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(60, 'must not exceed 60 characters')
  .refine((text) => !hasControls(text), 'must not contain control characters');
const Secret = z.string().describe('Shown only once. Only its hash is stored');

export const DeveloperKey = z.object({
  id: Id,
  name: z.string(),
  mode: z.enum(KEY_MODES),
  client_id: z.string(),
  secret_hint: z.string().describe('The beginning and end of the secret'),
  scopes: z.array(z.enum(SCOPE_NAMES)),
  state: z
    .enum(KEY_STATES)
    .describe(
      'orphaned: the creator left or lost the permission. off: developer mode is off. unpaid: a payment failed',
    ),
  made_by: z.string().describe('The user whose permissions the key has'),
  version: z.string().describe('The version of the API that it was created with'),
  app: z
    .string()
    .nullable()
    .describe('The address of the app that was given access. null for a key with a secret'),
  created_at: Instant,
  rotated_at: Instant.nullable(),
  previous_until: Instant.nullable().describe('When the previous secret stops working'),
  expires_at: Instant.nullable(),
  last_used_at: Instant.nullable().describe('Accurate to the minute'),
  last_used_ip: z.string().nullable(),
});

/** A request with an API key, in the log. */
const LoggedRequest = z.object({
  id: Id.describe('The X-Request-Id of the response'),
  at: Instant,
  key_id: Id,
  key_name: z.string(),
  client_id: z.string(),
  mode: z.enum(KEY_MODES),
  method: z.string(),
  route: z.string().describe('The pattern of the address: /v1/leads/:id'),
  path: z.string().describe('Texts that could name someone are left out'),
  status: z.int(),
  duration_ms: z.int(),
  ip: z.string().nullable(),
});
const WhichRequest = z.object({ id: Id });
const WhichHook = z.object({ id: Id });
const HookSecret = z.string().describe('whsec_..., shown only once');

/** The address of the consent page, as the app made it. */
const AppAsked = z.object({
  client_id: z.string().max(4_000),
  redirect_uri: z.string().max(500),
  response_type: z.string().max(40),
  code_challenge: z.string().max(128),
  code_challenge_method: z.string().max(40),
  scope: z.string().max(1_000).optional(),
  state: z.string().max(2_000).optional(),
  resource: z.string().max(500).optional(),
});

const OpenApi = z.object({
  data: z.object({ status: z.enum(['success', 'empty']).describe('empty: there is no key yet') }),
  user: z.object({ client_id: z.string(), secret_key: z.string() }),
  base_url: z.string().describe('The base URL of the API'),
});

export const developer = {
  getAuthenticateOpenApi: call
    .route({
      method: 'GET',
      path: '/general/open-api/{companyID}',
      tags,
      summary: "Returns your company's newest live API key with a masked secret (getAuthenticateOpenApi)",
    })
    .meta({ access: 'developer.keys' })
    .input(z.object({ companyID: Id.describe('Your company') }))
    .output(OpenApi),
  generateAuthenticateOpenApi: call
    .route({
      method: 'POST',
      path: '/general/open-api',
      tags,
      summary: 'Generates the first live API key with all scopes (generateAuthenticateOpenApi)',
      description: 'The secret appears only in this response. Returns 409 if there is already a working key.',
    })
    .meta({ access: 'developer.keys', notInView: true, fresh: true })
    .input(
      z.object({
        companyID: Id.describe('Your company'),
        email: Email.describe('Your email address'),
      }),
    )
    .output(OpenApi.extend({ message: z.string() })),
  keys: call
    .route({ method: 'GET', path: '/developer/keys', tags, summary: 'Lists the API keys of your company' })
    .meta({ access: 'developer.keys' })
    .output(
      z.object({
        data: z.array(DeveloperKey).describe('Newest first'),
        base_url: z.string(),
        token_url: z.string(),
        is_agreed: z.boolean().describe('Whether the developer agreement is accepted'),
      }),
    ),
  makeKey: call
    .route({ method: 'POST', path: '/developer/keys', tags, summary: 'Creates an API key' })
    .meta({ access: 'developer.keys', notInView: true, fresh: true })
    .input(
      z.object({
        name: Name,
        mode: z.enum(KEY_MODES),
        scopes: z
          .array(z.enum(SCOPE_NAMES))
          .min(1, 'must list at least one')
          .max(SCOPE_NAMES.length)
          .refine((all) => new Set(all).size === all.length, 'must list each only once'),
        expires_in_days: Whole(1, 730).nullable().default(null).describe('null if it does not expire'),
      }),
    )
    .output(Done.extend({ data: DeveloperKey, secret_key: Secret })),
  rotateKey: call
    .route({
      method: 'POST',
      path: '/developer/keys/{id}/rotate',
      tags,
      summary: 'Creates a new secret for an API key. The previous secret keeps working for a while',
    })
    .meta({ access: 'developer.keys', notInView: true, fresh: true })
    .input(
      z.object({
        id: Id,
        overlap_minutes: z
          .literal(OVERLAPS, `must be one of ${OVERLAPS.join(', ')}`)
          .default(1440)
          .describe('How long the previous secret keeps working'),
      }),
    )
    .output(Done.extend({ data: DeveloperKey, secret_key: Secret })),
  disableKey: call
    .route({
      method: 'PUT',
      path: '/developer/keys/{id}',
      tags,
      summary: 'Disables an API key, which ends its use within 5 s, or enables it again',
      description: 'Enabling a key requires a recent confirmation. Disabling a key never does.',
    })
    .meta({ access: 'developer.keys', notInView: true })
    .input(z.object({ id: Id, disabled: Flag }))
    .output(Done.extend({ data: DeveloperKey })),
  setKeyVersion: call
    .route({
      method: 'PUT',
      path: '/developer/keys/{id}/version',
      tags,
      summary: 'Sets the version of the API that an API key uses',
    })
    .meta({ access: 'developer.keys', notInView: true })
    .input(z.object({ id: Id, version: z.enum(VERSIONS, `must be one of ${VERSIONS.join(', ')}`) }))
    .output(Done.extend({ data: DeveloperKey })),
  deleteKey: call
    .route({ method: 'DELETE', path: '/developer/keys/{id}', tags, summary: 'Deletes an API key' })
    .meta({ access: 'developer.keys', notInView: true, fresh: true })
    .input(z.object({ id: Id }))
    .output(Done),
  appAsked: call
    .route({
      method: 'GET',
      path: '/developer/apps/asked',
      tags,
      summary: 'Returns what an app asks for, for the page where an owner decides (OAuth 2.1)',
    })
    .meta({ access: 'developer.keys' })
    .input(AppAsked)
    .output(
      z.object({
        name: z.string(),
        place: z.string().describe('The app’s address'),
        days: z.int().describe('Days until access ends'),
        scopes: z.array(
          z.object({
            scope: z.enum(SCOPE_NAMES),
            wanted: z.boolean().describe('Whether it is selected by default'),
          }),
        ),
        denied: z.string().describe('The app’s address, with the response that access was denied'),
      }),
    ),
  allowApp: call
    .route({
      method: 'POST',
      path: '/developer/apps',
      tags,
      summary: 'Gives an app access with the chosen permissions, and returns its address with a code',
    })
    .meta({ access: 'developer.keys', notInView: true, fresh: true })
    .input(
      AppAsked.extend({
        scopes: z
          .array(z.enum(SCOPE_NAMES))
          .min(1, 'must list at least one')
          .max(SCOPE_NAMES.length)
          .refine((all) => new Set(all).size === all.length, 'must list each only once'),
        mode: z.enum(KEY_MODES),
      }),
    )
    .output(Done.extend({ redirect_to: z.string() })),
  requests: call
    .route({
      method: 'GET',
      path: '/developer/requests',
      tags,
      summary: 'Lists the logged requests with the API keys of your company, newest first',
      description: 'The total counts up to 10,000.',
    })
    .meta({ access: 'developer.keys' })
    .input(
      PageQuery.extend({
        key_id: Id.optional(),
        method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
        route: z.string().max(100).optional(),
        status: z
          .enum(['ok', 'refused', 'failed'])
          .optional()
          .describe('refused: a status of 400 to 499. failed: 500 and above'),
        id: Id.optional().describe('The request with this ID'),
      }),
    )
    .output(Page(LoggedRequest)),
  request: call
    .route({
      method: 'GET',
      path: '/developer/requests/{id}',
      tags,
      summary: 'Returns one request with an API key',
    })
    .meta({ access: 'developer.keys' })
    .input(WhichRequest)
    .output(
      LoggedRequest.extend({
        user_agent: z.string(),
        idempotency_key: z.string().nullable(),
        body: z.string().nullable().describe('JSON, without the texts that people typed'),
        problem: z.string().nullable().describe('JSON: why it was refused'),
        can_replay: z.boolean().describe('Whether it is a read that can be resent'),
      }),
    ),
  replayRequest: call
    .route({
      method: 'POST',
      path: '/developer/requests/{id}/replay',
      tags,
      summary: 'Resends a read with the same API key and returns its response',
    })
    .meta({ access: 'developer.keys', notInView: true })
    .input(WhichRequest)
    .output(
      z.object({
        status: z.int(),
        duration_ms: z.int(),
        body: z.string().describe('JSON'),
      }),
    ),
  hooks: call
    .route({
      method: 'GET',
      path: '/developer/hooks',
      tags,
      summary: 'Lists the webhook endpoints of your company, newest first',
    })
    .meta({ access: 'developer.keys' })
    .output(z.object({ data: z.array(ApiEndpoint) })),
  makeHook: call
    .route({ method: 'POST', path: '/developer/hooks', tags, summary: 'Adds a webhook endpoint' })
    .meta({ access: 'developer.keys', notInView: true, fresh: true })
    .input(HookFields)
    .output(Done.extend({ data: ApiEndpoint, secret: HookSecret })),
  changeHook: call
    .route({
      method: 'PUT',
      path: '/developer/hooks/{id}',
      tags,
      summary: 'Changes, disables, or enables a webhook endpoint',
    })
    .meta({ access: 'developer.keys', notInView: true, fresh: true })
    .input(HookChanges.extend({ id: Id }))
    .output(Done.extend({ data: ApiEndpoint })),
  rotateHook: call
    .route({
      method: 'POST',
      path: '/developer/hooks/{id}/rotate',
      tags,
      summary: 'Rotates the secret of a webhook endpoint. The previous one also signs for 24 hours',
    })
    .meta({ access: 'developer.keys', notInView: true, fresh: true })
    .input(WhichHook)
    .output(Done.extend({ data: ApiEndpoint, secret: HookSecret })),
  removeHook: call
    .route({ method: 'DELETE', path: '/developer/hooks/{id}', tags, summary: 'Removes a webhook endpoint' })
    .meta({ access: 'developer.keys', notInView: true })
    .input(WhichHook)
    .output(Done),
  testHook: call
    .route({
      method: 'POST',
      path: '/developer/hooks/{id}/test',
      tags,
      summary: 'Sends the example of an event to a webhook endpoint now, once a minute',
    })
    .meta({ access: 'developer.keys', notInView: true })
    .input(WhichHook.extend({ type: z.enum(HOOK_EVENT_NAMES) }))
    .output(Done.extend({ data: ApiMessageDetail })),
  recoverHook: call
    .route({
      method: 'POST',
      path: '/developer/hooks/{id}/recover',
      tags,
      summary: 'Resends all messages of a webhook endpoint that failed since a given time',
    })
    .meta({ access: 'developer.keys', notInView: true })
    .input(WhichHook.extend({ since: GivenInstant }))
    .output(Done.extend({ messages: z.int() })),
  hookMessages: call
    .route({
      method: 'GET',
      path: '/developer/hooks/{id}/messages',
      tags,
      summary: 'Lists what was sent to a webhook endpoint, newest first',
      description: 'The total counts up to 10,000.',
    })
    .meta({ access: 'developer.keys' })
    .input(PageQuery.extend({ id: Id, status: z.enum(MESSAGE_STATES).optional() }))
    .output(
      Page(
        ApiMessage.extend({
          last_status: z.int().nullable(),
          last_error: z.string().nullable(),
        }),
      ),
    ),
  hookMessage: call
    .route({
      method: 'GET',
      path: '/developer/messages/{id}',
      tags,
      summary: 'Returns one webhook message with its attempts',
    })
    .meta({ access: 'developer.keys' })
    .input(WhichHook)
    .output(
      ApiMessageDetail.extend({
        body: z
          .string()
          .nullable()
          .describe('Its current content, as JSON. null if its subject no longer exists'),
      }),
    ),
  resendMessage: call
    .route({
      method: 'POST',
      path: '/developer/messages/{id}/resend',
      tags,
      summary: 'Resends a webhook message, even if it was delivered',
    })
    .meta({ access: 'developer.keys', notInView: true })
    .input(WhichHook)
    .output(Done),
};
