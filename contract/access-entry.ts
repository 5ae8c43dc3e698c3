import { z } from 'zod';
import { Passkey } from './access-passkeys.ts';
import { CodeStep, Tokens } from './access-tokens.ts';
import { call } from './base.ts';
import { Done, Email, Flag, Line, NewPassword } from './primitives.ts';

const tags = ['Access'];

/** A captcha's answer: base64 of ALTCHA's {challenge, solution}, or reCAPTCHA's token. Asked for where `captcha` says so. */
const Captcha = z.string().max(8192).optional();
const Hint = z.string().max(253).optional();

/** A phone number as people type it; blank is none. */
const Phone = z.string().trim().max(40).optional();

/** A link's token and the address it was sent to. */
const LinkProof = z.object({ token: z.string().min(1, 'is required').max(256), email: Email });

/** Ways in besides the password: signing up, the forgotten password, the captcha. */
export const entry = {
  accessOptions: call
    .route({
      method: 'GET',
      path: '/general/access-options',
      tags,
      summary: 'What the login pages of this host offer',
    })
    .meta({ access: 'public' })
    .output(
      z.object({
        isRegisterAccount: Flag.describe('Whether /register is open here'),
        userType: z
          .enum(['userdownline', 'client'])
          .describe('What a registration here makes: an agency at a root, a client at an agency'),
        captcha: z.enum(['altcha', 'recaptcha']),
        recapkey: z.string().nullable().describe("reCAPTCHA's site key"),
      }),
    ),
  captcha: call
    .route({
      method: 'GET',
      path: '/general/captcha',
      tags,
      summary: 'An ALTCHA challenge, good for 20 minutes and one use; its solution travels as gtoken',
    })
    .meta({ access: 'public' })
    .output(z.object({ parameters: z.record(z.string(), z.unknown()), signature: z.string() })),
  register: call
    .route({
      method: 'POST',
      path: '/register',
      tags,
      summary: 'Sign up; a link by e-mail completes it. Answers the same whether the address is known or not',
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
      summary: 'Complete a sign-up with the token of its e-mail',
    })
    .meta({ access: 'public' })
    .input(LinkProof)
    .output(Done),
  forgetPass: call
    .route({
      method: 'POST',
      path: '/forgetpass',
      tags,
      summary: 'Send a link to set a new password. Answers the same whether the address is known or not',
    })
    .meta({ access: 'public' })
    .input(z.object({ username: Email, gtoken: Captcha, ownedcompanyid: Hint, companyrootid: Hint }))
    .output(Done),
  verifyResetToken: call
    .route({
      method: 'POST',
      path: '/verify-reset-token',
      tags,
      summary: 'Whether a link to set a new password is still good',
    })
    .meta({ access: 'public' })
    .input(z.object({ token: z.string().max(256), email: z.string().max(255) }))
    .output(
      z.object({
        valid: z.boolean(),
        reason: z.string().nullable().describe('Why not, for the person'),
        passkeys: z
          .array(Passkey.pick({ name: true, host: true, created_at: true, last_used_at: true }))
          .optional()
          .describe(
            'Of a good link: those that go on after the new password, unless they are removed with it',
          ),
        passkeys_stay: z
          .boolean()
          .optional()
          .describe(
            'They are the second factor that is required of the person, so a mail alone does not remove them',
          ),
      }),
    ),
  setNewPassword: call
    .route({
      method: 'POST',
      path: '/setnewpassword',
      tags,
      summary:
        'Set a new password with the token of the e-mail; ends all sessions. The first password of who was invited signs them in: tokens, or the code step',
    })
    .meta({ access: 'public' })
    .input(
      LinkProof.extend({
        newpassword: NewPassword,
        remove_passkeys: z
          .boolean()
          .optional()
          .describe(
            'Whether all passkeys of the person go, too; 422 where they are a required second factor',
          ),
      }),
    )
    .output(z.union([Done.extend(Tokens.shape), Done.extend(CodeStep.shape), Done])),
  referralLink: call
    .route({
      method: 'GET',
      path: '/general/referral-link',
      tags,
      summary: 'The own link for inviting others to sign up: agencies to a root, clients to an agency',
    })
    .meta({ access: 'referral.read' })
    .output(
      z.object({
        url: z.string(),
        refcode: z.string(),
        isRegisterAccount: Flag.describe('Whether signing up is open where the link leads'),
      }),
    ),
};
