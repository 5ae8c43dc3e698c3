import { z } from 'zod';
import { Instant } from '../primitives.ts';
import type { Inside } from '../wire.ts';

/** A session's tokens (spec product 3, Auth tokens). */
export const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z
    .string()
    .optional()
    .describe('For programs. Browsers receive it in a cookie that scripts cannot read, never here'),
  expires_in: z.int().describe('Seconds until the access token expires'),
});

/** Recovery codes, shown only this once. */
export const RecoveryCodes = z
  .array(z.string())
  .describe(
    'One-time codes for users who lose their second factor. Shown only once. Previous codes no longer work',
  );

/** How a second factor is proven: a code by email, or one from an authenticator app. */
export const FactorKind = z.enum(['email', 'google']);

/** The password was right but a code is missing: show the code step (AUTH-06). */
export const CodeStep = z.object({
  otp_token: z.string().describe('Send it with the code to /verifylogin, and to /resendcode'),
  type: z
    .enum([...FactorKind.options, 'passkey'])
    .describe('passkey: sign in with it, or enter a recovery code here'),
  sent_to: z
    .string()
    .nullable()
    .describe(
      'The masked destination of the code, or where the passkeys work. null for an authenticator app',
    ),
  expires_at: Instant,
  resend_at: Instant.nullable().describe('When another code can be requested. null if never'),
});
export type CodeStep = Inside<z.output<typeof CodeStep>>;

/** The response to a correct password: tokens, or the code step. Distinguished by `otp_token`. */
export const LoginAnswer = z.union([Tokens, CodeStep]);
