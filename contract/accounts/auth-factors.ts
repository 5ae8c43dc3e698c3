import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Email, Id, Instant, NewPassword } from '../primitives.ts';
import { Assertion } from './auth-passkeys.ts';
import { CodeStep, FactorKind, RecoveryCodes, Tokens } from './auth-tokens.ts';

const tags = ['Access'];
const Hint = z.string().max(64).optional();

/** Six digits; spaces typed between them are ignored. */
const Code = z
  .string()
  .max(20)
  .transform((text) => text.replace(/\s/g, ''))
  .pipe(z.string().regex(/^\d{6}$/, 'must be the 6-digit code'));

/** A recovery code however it is typed: in capitals, with spaces, o for 0, i or l for 1. */
const RecoveryCode = z
  .string()
  .max(40)
  .transform((text) => text.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1'))
  .pipe(z.string().regex(/^[0-9a-hjkmnp-tv-z]{10}$/, 'must be the 10 letters and digits of a recovery code'));

/** A two-factor setting (spec product 3): off is false and null. */
export const TwoFactor = z.object({
  two_factor_auth: z.boolean(),
  two_factor_auth_type: FactorKind.nullable(),
});

/** Second factors and the user's own password. */
export const factors = {
  verifyLogin: call
    .route({ method: 'POST', path: '/verifylogin', tags, summary: 'Completes a sign-in with its code' })
    .meta({ access: 'public' })
    .input(
      z
        .object({
          email: Email,
          code: Code.optional(),
          recovery_code: RecoveryCode.optional().describe('Used instead of the code'),
          otp_token: z.string().min(1, 'is required').max(128),
          ownedcompanyid: Hint,
          companyrootid: Hint,
        })
        .refine(({ code, recovery_code }) => code || recovery_code, { path: ['code'], error: 'is required' }),
    )
    .output(
      Tokens.extend({
        recovery_codes_left: z
          .int()
          .optional()
          .describe('Recovery codes left, after a recovery code is used'),
      }),
    ),
  resendCode: call
    .route({
      method: 'POST',
      path: '/resendcode',
      tags,
      summary: 'Sends another code for this sign-in. The previous code stops working',
    })
    .meta({ access: 'public' })
    .input(z.object({ otp_token: z.string().min(1, 'is required').max(128), email: Email.optional() }))
    .output(CodeStep),
  resetPassword: call
    .route({
      method: 'POST',
      path: '/user/resetpassword',
      tags,
      summary: 'Changes your password and ends your other sessions',
    })
    .meta({ access: 'account.own', notInView: true, fresh: true })
    .input(
      z.object({
        usrID: Id,
        newpassword: NewPassword,
        currpassword: z.string().min(1, 'is required').max(1024),
      }),
    )
    .output(Done),
  confirm: call
    .route({
      method: 'POST',
      path: '/user/confirm',
      tags,
      summary:
        'Confirms your identity for calls refused with errors.confirm, using your password, an authenticator app code, or a passkey',
    })
    .meta({ access: 'session.own', beforeFactor: true })
    .input(
      z.object({
        password: z.string().max(1024).optional(),
        code: Code.optional(),
        credential: Assertion.optional().describe('The response to GET /user/confirm'),
        binding: z.string().max(128).optional(),
      }),
    )
    .output(Done),
  twoFactor: call
    .route({
      method: 'GET',
      path: '/setting/twofactorauth/{userId}',
      tags,
      summary: 'Returns your two-factor setting',
    })
    .meta({ access: 'account.own', beforeFactor: true })
    .input(z.object({ userId: Id }))
    .output(TwoFactor),
  googleTfa: call
    .route({
      method: 'GET',
      path: '/setting/get-google-tfa/{userId}/{companyId}',
      tags,
      summary:
        'Returns the authenticator app secret that the server created for this session, with its QR image',
    })
    .meta({ access: 'account.own', notInView: true, beforeFactor: true })
    .input(z.object({ userId: Id, companyId: Id }))
    .output(z.object({ qrCodeUrl: z.string().describe('The image as a data: URL'), secretKey: z.string() })),
  saveTwoFactor: call
    .route({
      method: 'PUT',
      path: '/setting/twofactorauth/{userId}',
      tags,
      summary:
        'Changes your two-factor setting. Requires the current password and, for google, a code from the new secret',
    })
    .meta({ access: 'account.own', notInView: true, fresh: true, beforeFactor: true })
    .input(
      z.object({
        userId: Id,
        two_factor_auth: z.boolean(),
        two_factor_auth_type: FactorKind.nullable().optional(),
        secretKey: z
          .string()
          .max(128)
          .optional()
          .describe('If given, must be the secret that the server created'),
        currpassword: z.string().min(1, 'is required').max(1024),
        code: Code.optional(),
      }),
    )
    .output(
      Done.extend(TwoFactor.shape).extend({
        recovery_codes: RecoveryCodes.nullable().describe('null if two-factor authentication was turned off'),
      }),
    ),
  recoveryCodes: call
    .route({
      method: 'GET',
      path: '/user/recovery-codes',
      tags,
      summary: 'Returns how many recovery codes are left',
    })
    .meta({ access: 'account.own', beforeFactor: true })
    .output(z.object({ left: z.int(), total: z.int(), made_at: Instant.nullable() })),
  renewRecoveryCodes: call
    .route({
      method: 'POST',
      path: '/user/recovery-codes',
      tags,
      summary: 'Creates new recovery codes. The previous codes stop working',
    })
    .meta({ access: 'account.own', notInView: true, fresh: true })
    .input(z.object({}))
    .output(Done.extend({ recovery_codes: RecoveryCodes })),
};
