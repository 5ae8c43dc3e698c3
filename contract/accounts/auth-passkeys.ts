import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Id, Instant } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import { RecoveryCodes, Tokens } from './auth-tokens.ts';

const tags = ['Access'];

/** Bytes as in WebAuthn's JSON: base64url. */
const Bytes = (max: number) =>
  z
    .string()
    .min(1, 'is required')
    .max(max, `must not exceed ${max} characters`)
    .regex(/^[\w-]*$/, 'must be base64url');

/** The challenge for an authenticator to answer, with everything the browser needs to request it. */
const Challenge = z.object({
  options: z.record(z.string(), z.unknown()).describe('WebAuthn options, as JSON'),
  binding: z
    .string()
    .optional()
    .describe(
      'For programs: send it with the response. Browsers receive it in a cookie that scripts cannot read',
    ),
});
/** What a programmatic client must send back; a browser's cookie is sent automatically. */
const Binding = z.string().max(128).optional();

/** An authenticator's response to a sign-in or a confirmation (WebAuthn: AuthenticationResponseJSON). */
export const Assertion = z.object({
  id: Bytes(1400),
  rawId: Bytes(1400),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: Bytes(8192),
    authenticatorData: Bytes(8192),
    signature: Bytes(8192),
    userHandle: Bytes(128).optional(),
  }),
});
export type Assertion = Inside<z.output<typeof Assertion>>;

/** An authenticator's new key (WebAuthn: RegistrationResponseJSON). */
const NewKey = z.object({
  id: Bytes(1400),
  rawId: Bytes(1400),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: Bytes(8192),
    attestationObject: Bytes(32_768),
    transports: z.array(z.string().max(32)).max(10).optional(),
  }),
});
export type NewKey = Inside<z.output<typeof NewKey>>;

const Name = z.string().trim().min(1, 'is required').max(60, 'must not exceed 60 characters');

/** One of the user's own passkeys. */
export const Passkey = z.object({
  id: Id,
  name: z.string(),
  host: z.string().describe('The host where the passkey was created and works'),
  here: z.boolean().describe('Whether this is the host of the request'),
  synced: z.boolean().describe('Synced across devices by a password manager'),
  created_at: Instant,
  last_used_at: Instant.nullable(),
});

/** Passkeys: signing in, confirming one's identity, and managing one's own passkeys. */
export const passkeys = {
  passkeyChallenge: call
    .route({
      method: 'GET',
      path: '/passkeys/sign-in',
      tags,
      summary: 'Returns the challenge for a passkey sign-in',
    })
    .meta({ access: 'public' })
    .output(Challenge),
  passkeySignIn: call
    .route({
      method: 'POST',
      path: '/passkeys/sign-in',
      tags,
      summary: 'Signs in with a passkey that verified its owner, which counts as password and second factor',
    })
    .meta({ access: 'public' })
    .input(z.object({ credential: Assertion, binding: Binding }))
    .output(Tokens),
  confirmChallenge: call
    .route({
      method: 'GET',
      path: '/user/confirm',
      tags,
      summary: 'Returns the challenge for confirming your identity with a passkey',
    })
    .meta({ access: 'session.own', beforeFactor: true })
    .output(Challenge),
  passkeys: call
    .route({ method: 'GET', path: '/user/passkeys', tags, summary: 'Lists your passkeys' })
    .meta({ access: 'account.own', beforeFactor: true })
    .output(z.object({ data: z.array(Passkey) })),
  newPasskeyChallenge: call
    .route({
      method: 'GET',
      path: '/user/passkeys/new',
      tags,
      summary: 'Returns the challenge for a new passkey',
    })
    .meta({ access: 'account.own', notInView: true, fresh: 'access', beforeFactor: true })
    .output(Challenge),
  addPasskey: call
    .route({
      method: 'POST',
      path: '/user/passkeys',
      tags,
      summary: 'Saves a new passkey for this host',
    })
    .meta({ access: 'account.own', notInView: true, fresh: 'access', beforeFactor: true })
    .input(z.object({ name: Name, credential: NewKey, binding: Binding }))
    .output(
      Done.extend({
        data: Passkey,
        recovery_codes: RecoveryCodes.nullable().describe('Set if this is the first required second factor'),
      }),
    ),
  renamePasskey: call
    .route({ method: 'PUT', path: '/user/passkeys/{id}', tags, summary: 'Renames one of your passkeys' })
    .meta({ access: 'account.own', notInView: true, fresh: true })
    .input(z.object({ id: Id, name: Name }))
    .output(Done),
  removePasskey: call
    .route({ method: 'DELETE', path: '/user/passkeys/{id}', tags, summary: 'Removes one of your passkeys' })
    .meta({ access: 'account.own', notInView: true, fresh: true })
    .input(z.object({ id: Id }))
    .output(Done),
};
