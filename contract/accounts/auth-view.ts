import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Id, Instant, Line, Page, PageQuery } from '../primitives.ts';
import { SalesOf } from './staff.ts';

const tags = ['View mode'];

/** The token of a view: its subject is the person viewed, its `act` claim (RFC 8693) the true actor. */
export const ViewToken = z.object({
  access_token: z.string(),
  expires_in: z.int().describe('Seconds until the access token expires'),
  expires_at: Instant.describe('When the view ends unless it is renewed'),
});

/** A company whose people the user may view as: an agency of the root, or a client. */
export const CompanyRow = z.object({
  id: Id,
  company_name: z.string(),
  kind: z.enum(['agency', 'client']),
  created_at: Instant,
  clients: z.int().describe('Number of clients of an agency'),
  user_id: Id.nullable().describe(
    'The user to view as: the owner. null if there is no owner who can sign in',
  ),
  name: z.string().nullable(),
  email: z.string().nullable(),
  ...SalesOf.shape,
});

/** A view of one's company by someone above it, in view mode. */
export const ViewRow = z.object({
  id: Id,
  who: z.string().describe("As recorded in the log: 'Anna Root as Bob Agency'"),
  reason: z.string(),
  started_at: Instant,
  until: Instant.nullable().describe('When it ended, or will end unless renewed'),
  active: z.boolean(),
});

/** View mode, and the list it is entered from. */
export const view = {
  switchUser: call
    .route({
      method: 'POST',
      path: '/user/switch',
      tags,
      summary:
        'Starts a 30-minute view as a user of an agency or client below your company. Sales can view owners of their assigned companies but cannot change anything',
    })
    .meta({ access: 'view.switch', notInView: true })
    .input(
      z.object({
        usrID: Id,
        reason: Line.pipe(z.string().min(5, 'must have at least 5 characters')).describe(
          'Shown in the log of the viewed company',
        ),
      }),
    )
    .output(Done.extend(ViewToken.shape)),
  renewView: call
    .route({
      method: 'POST',
      path: '/user/switch/renew',
      tags,
      summary: 'Renews the view for 30 minutes from now, up to the end of the sign-in itself',
    })
    .meta({ access: 'session.own', salesView: true })
    .input(z.object({}))
    .output(Done.extend({ expires_at: Instant })),
  revertView: call
    .route({
      method: 'POST',
      path: '/user/switch/revert',
      tags,
      summary: 'Ends the view and keeps the underlying session',
    })
    .meta({ access: 'session.own', salesView: true })
    .input(z.object({}))
    .output(Done),
  views: call
    .route({
      method: 'GET',
      path: '/user/views',
      tags,
      summary: 'Lists who viewed your company in view mode, when, why, and until when',
    })
    .meta({ access: 'view.log' })
    .input(PageQuery)
    .output(Page(ViewRow)),
  companies: call
    .route({
      method: 'GET',
      path: '/configuration/company/list',
      tags,
      summary: 'Lists the agencies of a root, the clients of an agency, or the clients of companyID',
    })
    .meta({ access: 'company.list' })
    .input(PageQuery.extend({ companyID: Id.optional() }))
    .output(Page(CompanyRow)),
};
