import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Email, Flag, Line, NewPassword } from '../primitives.ts';
import { Passkey } from './auth-passkeys.ts';
import { CodeStep, Tokens } from './auth-tokens.ts';

const tags = ['Access'];

/**
 * A captcha response: base64 of ALTCHA's {challenge, solution}, or reCAPTCHA's token. Required where `captcha` says so.
 */
const Captcha = z.string().max(8192).optional();
const Hint = z.string().max(253).optional();

/** A phone number as people type it; blank means no number. */
const Phone = z.string().trim().max(40).optional();

/** A link's token and the address it was sent to. */
const LinkProof = z.object({ token: z.string().min(1, 'is required').max(256), email: Email });

/** Ways in other than the password: sign-up, forgotten password, captcha. */
export const entry = {
  accessOptions: call
    .route({
      method: 'GET',
      path: '/general/access-options',
      tags,
      summary: 'Returns the sign-in page options for this host',
    })
    .meta({ access: 'public' })
    .output(
      z.object({
        isRegisterAccount: Flag.describe('Whether registration is open at /register'),
        userType: z
          .enum(['userdownline', 'client'])
          .describe('What registering here creates: an agency under a root, or a client under an agency'),
        captcha: z.enum(['altcha', 'recaptcha']),
        emails: z
          .enum(['sent', 'kept'])
          .describe('kept: there is no mail server, so emails stay in the platform’s outbox'),
        recapkey: z.string().nullable().describe("reCAPTCHA's site key"),
      }),
    ),
  captcha: call
    .route({
      method: 'GET',
      path: '/general/captcha',
      tags,
      summary: 'Returns an ALTCHA challenge, valid for 20 minutes and one use. Send its solution as gtoken',
    })
    .meta({ access: 'public' })
    .output(z.object({ parameters: z.record(z.string(), z.unknown()), signature: z.string() })),
  register: call
    .route({
      method: 'POST',
      path: '/register',
      tags,
      summary:
        'Signs up a user and emails a confirmation link. The response is the same whether or not the address is known',
    })
    .meta({ access: 'public' })
    .input(
      z.object({
        companyname: Line,
        name: Line,
        email: Email,
        phonenum: Phone,
        password: NewPassword,
        gtoken: Captcha,
        userType: z.enum(['userdownline', 'client']).optional(),
        domainName: Hint,
        ownedcompanyid: Hint,
        idsys: Hint,
        refcode: z.string().trim().max(64).optional(),
      }),
    )
    .output(Done),
  confirmRegister: call
    .route({
      method: 'POST',
      path: '/register/confirm',
      tags,
      summary: 'Completes a sign-up with the token from the email',
    })
    .meta({ access: 'public' })
    .input(LinkProof)
    .output(Done),
  forgetPass: call
    .route({
      method: 'POST',
      path: '/forgetpass',
      tags,
      summary: 'Emails a password reset link. The response is the same whether or not the address is known',
    })
    .meta({ access: 'public' })
    .input(z.object({ username: Email, gtoken: Captcha, ownedcompanyid: Hint, companyrootid: Hint }))
    .output(Done),
  verifyResetToken: call
    .route({
      method: 'POST',
      path: '/verify-reset-token',
      tags,
      summary: 'Checks whether a password reset link is still valid',
    })
    .meta({ access: 'public' })
    .input(z.object({ token: z.string().max(256), email: z.string().max(255) }))
    .output(
      z.object({
        valid: z.boolean(),
        reason: z.string().nullable().describe('Why the link is not valid, as shown to the user'),
        is_invitation: z
          .boolean()
          .optional()
          .describe('Whether it is for the first password of an account that someone else created'),
        passkeys: z
          .array(Passkey.pick({ name: true, host: true, created_at: true, last_used_at: true }))
          .optional()
          .describe(
            'For a valid link: the passkeys that keep working after the password change unless they are removed with it',
          ),
        passkeys_stay: z
          .boolean()
          .optional()
          .describe(
            'The passkeys are the user’s required second factor, so an email alone does not remove them',
          ),
      }),
    ),
  setNewPassword: call
    .route({
      method: 'POST',
      path: '/setnewpassword',
      tags,
      summary:
        'Sets a new password with the token from the email and ends all sessions. For invited users, the first password also signs them in and returns tokens or the code step',
    })
    .meta({ access: 'public' })
    .input(
      LinkProof.extend({
        newpassword: NewPassword,
        remove_passkeys: z
          .boolean()
          .optional()
          .describe(
            'Whether to remove all passkeys of the user too. Returns 422 if they are a required second factor',
          ),
      }),
    )
    .output(z.union([Done.extend(Tokens.shape), Done.extend(CodeStep.shape), Done])),
  referralLink: call
    .route({
      method: 'GET',
      path: '/general/referral-link',
      tags,
      summary:
        'Returns your link for inviting others to sign up: agencies under a root, clients under an agency',
    })
    .meta({ access: 'referral.read' })
    .output(
      z.object({
        url: z.string(),
        refcode: z.string(),
        isRegisterAccount: Flag.describe('Whether sign-up is open at the link'),
      }),
    ),
};
