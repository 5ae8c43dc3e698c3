import { z } from 'zod';
import { Instant } from './primitives.ts';

/** A session's tokens (spec product 3, Auth tokens). */
export const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z
    .string()
    .optional()
    .describe('For programs. A browser has it in a cookie that no script can read, and never here'),
  expires_in: z.int().describe('Seconds until the access token ends'),
});

/** Recovery codes, shown only this once. */
export const RecoveryCodes = z
  .array(z.string())
  .describe('One-use codes for who has lost their second factor; shown only now, the ones before have ended');

/** How a second factor is proven: a code by e-mail, or one from an authenticator app. */
export const FactorKind = z.enum(['email', 'google']);

/** The password was right, a code is missing: show the code step (AUTH-06). */
export const CodeStep = z.object({
  otp_token: z.string().describe('Goes with the code to /verifylogin, and to /resendcode'),
  type: z
    .enum([...FactorKind.options, 'passkey'])
    .describe('passkey: sign in by it, or give a recovery code here'),
  sent_to: z
    .string()
    .nullable()
    .describe('Where the code went, masked; where the passkeys work; null for an authenticator'),
  expires_at: Instant,
  resend_at: Instant.nullable().describe('From when another code may be asked for; null when never'),
});
export type CodeStep = z.output<typeof CodeStep>;

/** What a right password answers: tokens, or the code step. Told apart by `otp_token`. */
export const LoginAnswer = z.union([Tokens, CodeStep]);
