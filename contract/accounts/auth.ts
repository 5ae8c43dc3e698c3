import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Email, Instant, Line, NewPassword } from '../primitives.ts';
import { entry } from './auth-entry.ts';
import { factors } from './auth-factors.ts';
import { passkeys } from './auth-passkeys.ts';
import { sessions } from './auth-sessions.ts';
import { LoginAnswer, Tokens } from './auth-tokens.ts';
import { ViewToken, view } from './auth-view.ts';

const Jwk = z.record(z.string(), z.unknown());

export const auth = {
  keys: call
    .route({
      method: 'GET',
      path: '/keys',
      tags: ['Access'],
      summary: 'Returns the public keys for request bodies (use enc) and access tokens (use sig)',
    })
    .meta({ access: 'public' })
    .output(z.object({ keys: z.array(Jwk) })),
  login: call
    .route({
      method: 'POST',
      path: '/login',
      tags: ['Access'],
      summary: 'Signs in and returns tokens or the next step',
    })
    .meta({ access: 'public' })
    .input(
      z.object({
        username: Email,
        password: z.string().min(1, 'is required').max(1024),
        gtoken: z.string().max(4096).optional(),
        domainName: z.string().max(253).optional(),
        ownedcompanyid: z.string().max(64).optional(),
        companyrootid: z.string().max(64).optional(),
      }),
    )
    .output(LoginAnswer),
  refresh: call
    .route({
      method: 'POST',
      path: '/auth/refresh-token',
      tags: ['Access'],
      summary: 'Returns new tokens for a refresh token (body or cookie)',
    })
    .meta({ access: 'public' })
    .input(z.object({ refresh_token: z.string().max(512).optional() }))
    .output(Tokens.extend({ view: ViewToken.optional().describe('An active view of this sign-in') })),
  logout: call
    .route({ method: 'POST', path: '/logout', tags: ['Access'], summary: 'Ends this session' })
    .meta({ access: 'session.own', beforeFactor: true, salesView: true })
    .input(z.object({}))
    .output(Done),
  downloadToken: call
    .route({
      method: 'POST',
      path: '/general/download-token',
      tags: ['Access'],
      summary: 'Creates a one-time token for a browser download, valid for 60 s',
    })
    .meta({ access: 'session.own' })
    .input(
      z.object({
        // Only one spelling is accepted, because the path's text determines what it leads to (a list needs a
        // confirmation, access/service.ts).
        path: z
          .string()
          .min(1)
          .max(8192)
          .regex(/^\/api(\/[\w.-]+)+(\?.*)?$/, 'must be a path of this API without encoded characters'),
      }),
    )
    .output(z.object({ url: z.string(), expires_at: Instant })),
  firstOwner: call
    .route({
      method: 'POST',
      path: '/setup/first-owner',
      tags: ['Access'],
      summary: 'Creates the first root and its owner with the one-time link printed at startup',
    })
    .meta({ access: 'public' })
    .input(
      z.object({
        token: z.string().min(1).max(128),
        company_name: Line,
        name: Line,
        email: Email,
        password: NewPassword,
      }),
    )
    .output(Done),
  ...entry,
  ...factors,
  ...passkeys,
  ...sessions,
  ...view,
};
