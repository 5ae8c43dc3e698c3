import { z } from 'zod';
import { Tokens } from './access-tokens.ts';
import { call } from './base.ts';
import { Done, Id, Instant } from './primitives.ts';

const tags = ['Access'];

/** One device on which the person is signed in. */
export const SessionRow = z.object({
  id: Id,
  device: z.string().describe("Such as 'Chrome on Windows'"),
  kind: z.enum(['computer', 'phone', 'tablet', 'other']),
  place: z.string().nullable(),
  ip: z.string().nullable(),
  created_at: Instant,
  last_seen: Instant.describe('To about a quarter of an hour'),
  expires_at: Instant,
  current: z.boolean(),
});

/** The own sessions, and signing in by a partner's one-use token. */
export const sessions = {
  sessions: call
    .route({ method: 'GET', path: '/user/sessions', tags, summary: 'Where one is signed in' })
    .meta({ access: 'session.own' })
    .output(z.object({ data: z.array(SessionRow) })),
  activity: call
    .route({
      method: 'GET',
      path: '/user/activity',
      tags,
      summary: 'What happened to the own ways in: logins, failed ones, codes, passwords; the last hundred',
    })
    .meta({ access: 'session.own' })
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
            suspicious: z.boolean().describe('Somebody else may be behind it'),
          }),
        ),
      }),
    ),
  endSession: call
    .route({ method: 'DELETE', path: '/user/sessions/{id}', tags, summary: 'Sign one device out' })
    .meta({ access: 'session.own', notInView: true })
    .input(z.object({ id: Id }))
    .output(Done),
  endOtherSessions: call
    .route({ method: 'POST', path: '/user/sessions/end-others', tags, summary: 'Sign all other devices out' })
    .meta({ access: 'session.own', notInView: true })
    .input(z.object({}))
    .output(Done.extend({ ended: z.int() })),
  ssoValidation: call
    .route({
      method: 'POST',
      path: '/v1/developer/sso/validation',
      tags,
      summary: 'Sign in with a one-use token of a partner',
    })
    .meta({ access: 'public' })
    .input(
      z.object({
        token: z.string().min(1, 'is required').max(256),
        subdomain: z.string().max(253).optional().describe('The host the page is on; checked when given'),
        currentUserID: z.string().max(64).nullish().describe('Who is signed in on the page at present'),
      }),
    )
    .output(
      Tokens.extend({
        status: z.literal(200),
        message: z.string(),
        action: z
          .literal('replace_user')
          .optional()
          .describe('Somebody else was signed in: clear what is stored of them first'),
        user_id: Id,
      }),
    ),
};
