import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Id, Instant } from '../primitives.ts';
import { Tokens } from './auth-tokens.ts';

const tags = ['Access'];

/** One device on which the person is signed in. */
export const SessionRow = z.object({
  id: Id,
  device: z.string().describe("For example, 'Chrome on Windows'"),
  kind: z.enum(['computer', 'phone', 'tablet', 'other']),
  place: z.string().nullable(),
  ip: z.string().nullable(),
  created_at: Instant,
  last_seen: Instant.describe('Accurate to about 15 minutes'),
  expires_at: Instant,
  current: z.boolean(),
});

/** The user's own sessions, and signing in with a partner's one-use token. */
export const sessions = {
  sessions: call
    .route({
      method: 'GET',
      path: '/user/sessions',
      tags,
      summary: 'Lists the devices where you are signed in',
    })
    .meta({ access: 'account.own' })
    .output(z.object({ data: z.array(SessionRow) })),
  activity: call
    .route({
      method: 'GET',
      path: '/user/activity',
      tags,
      summary:
        'Lists the last 100 events of your sign-in methods: sign-ins, failed attempts, codes, and passwords',
    })
    .meta({ access: 'account.own' })
    .output(
      z.object({
        data: z.array(
          z.object({
            id: Id,
            at: Instant,
            what: z.string(),
            detail: z.string(),
            ip: z.string().nullable(),
            place: z.string().nullable(),
            suspicious: z.boolean().describe('Whether someone else may be responsible'),
          }),
        ),
      }),
    ),
  endSession: call
    .route({ method: 'DELETE', path: '/user/sessions/{id}', tags, summary: 'Signs out one device' })
    .meta({ access: 'account.own', notInView: true })
    .input(z.object({ id: Id }))
    .output(Done),
  endOtherSessions: call
    .route({
      method: 'POST',
      path: '/user/sessions/end-others',
      tags,
      summary: 'Signs out all other devices',
    })
    .meta({ access: 'account.own', notInView: true })
    .input(z.object({}))
    .output(Done.extend({ ended: z.int() })),
  ssoValidation: call
    .route({
      method: 'POST',
      path: '/v1/developer/sso/validation',
      tags,
      summary: 'Signs in with a one-time token from a partner',
    })
    .meta({ access: 'public' })
    .input(
      z.object({
        token: z.string().min(1, 'is required').max(256),
        subdomain: z.string().max(253).optional().describe('The host of the page, checked if given'),
        currentUserID: z.string().max(64).nullish().describe('The user currently signed in on the page'),
      }),
    )
    .output(
      Tokens.extend({
        status: z.literal(200),
        message: z.string(),
        action: z
          .literal('replace_user')
          .optional()
          .describe('Another user was signed in. Clear their stored data first'),
        user_id: Id,
      }),
    ),
};
