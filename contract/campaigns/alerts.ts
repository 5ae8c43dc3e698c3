import { z } from 'zod';
import { call } from '../base.ts';
import { Done, hasControls, Id, Instant, Page, PageQuery, Whole } from '../primitives.ts';
import {
  ALERT_FITS,
  ALERT_KINDS,
  ALERT_STATES,
  ALERT_TRIGGERS,
  ALERT_WAYS,
  type AlertKind,
  type AlertTrigger,
  LONGEST_COOLDOWN,
  MOST_ALERT_CHATS,
  MOST_ALERT_PAGES,
  MOST_ALERT_USERS,
  MOST_PER_HOUR,
  NEW_ALERT,
} from './alert-rules.ts';
import { Hours } from './delivery.ts';
import { CONNECTION_STATES } from './destinations.ts';

const Company = z.object({ companyID: Id.optional().describe('The client. Defaults to your company') });
const Which = z.object({ id: Id });
const names = <Key extends string>(choices: Record<Key, unknown>) => Object.keys(choices) as [Key, ...Key[]];
const Kind = z.enum(names<AlertKind>(ALERT_KINDS));

const Rules = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'is required')
    .max(80, 'must not exceed 80 characters')
    .refine((text) => !hasControls(text), 'must not contain control characters'),
  state: z.enum(ALERT_STATES).default(NEW_ALERT.state),
  leadspeekID: Id.nullable().default(null).describe('null: all campaigns of the client'),
  trigger: z.enum(names<AlertTrigger>(ALERT_TRIGGERS)).default(NEW_ALERT.trigger),
  min_score: Whole(0, 100)
    .default(NEW_ALERT.min_score)
    .describe('The minimum score of the lead. 0: any, including leads without a score'),
  pages: z
    .array(
      z
        .string()
        .trim()
        .min(1, 'must not be empty')
        .max(120, 'must not exceed 120 characters')
        .refine((text) => !hasControls(text), 'must not contain control characters'),
    )
    .max(MOST_ALERT_PAGES, `must have at most ${MOST_ALERT_PAGES} entries`)
    .default([])
    .describe('Parts of page addresses, one of which must have been viewed. Empty: any page'),
  fit: z.enum(names(ALERT_FITS)).default(NEW_ALERT.fit),
  per_hour: Whole(1, 10_000)
    .nullable()
    .default(null)
    .describe('For the trigger number only: how many leads in an hour'),
  user_ids: z
    .array(Id)
    .max(MOST_ALERT_USERS, `must have at most ${MOST_ALERT_USERS} entries`)
    .default([])
    .describe('Users of the client or its agency who get an email'),
  connection_ids: z
    .array(Id)
    .max(MOST_ALERT_CHATS, `must have at most ${MOST_ALERT_CHATS} entries`)
    .default([])
    .describe('Connections of the client to Slack or Teams'),
  webhook_url: z.string().trim().max(2000, 'must not exceed 2000 characters').nullable().default(null),
  cooldown_hours: Whole(1, LONGEST_COOLDOWN)
    .default(NEW_ALERT.cooldown_hours)
    .describe('How long until the next alert about the same person'),
  hours: Hours.nullable()
    .default(null)
    .describe('When alerts are sent, in the time zone of the client. null: at any time'),
  most_per_hour: Whole(1, MOST_PER_HOUR)
    .default(NEW_ALERT.most_per_hour)
    .describe('Messages in an hour. Anything more is combined into one'),
});

export const Alert = Rules.extend({
  id: Id,
  companyID: Id,
  campaign_name: z.string().nullable(),
  time_zone: z.string().describe('The client’s. The hours are in it'),
  told: z.int().describe('Alerts of the last 7 days'),
  failed: z.int().describe('Messages of the last 7 days that could not be delivered'),
  created_at: Instant,
});

const Found = z.object({
  id: Id.describe('The lead or, for a known customer, the visit'),
  name: z.string(),
  kind: Kind,
  score: z.int().nullable(),
  at: Instant,
});

export const alerts = {
  list: call
    .route({
      method: 'GET',
      path: '/alerts',
      tags: ['Alerts'],
      summary: 'Returns the alerts of a client, by name',
    })
    .meta({ access: 'integration.read' })
    .input(Company)
    .output(z.object({ data: z.array(Alert) })),
  choices: call
    .route({
      method: 'GET',
      path: '/alerts/choices',
      tags: ['Alerts'],
      summary: 'Returns the users and the chats that alerts of a client can go to',
    })
    .meta({ access: 'integration.read' })
    .input(Company)
    .output(
      z.object({
        users: z.array(
          z.object({
            id: Id,
            name: z.string(),
            email: z.string().describe('Empty for who may not set alerts'),
          }),
        ),
        connections: z.array(
          z.object({ id: Id, name: z.string(), vendor: z.string(), state: z.enum(CONNECTION_STATES) }),
        ),
        time_zone: z.string(),
      }),
    ),
  create: call
    .route({ method: 'POST', path: '/alerts', tags: ['Alerts'], summary: 'Adds an alert' })
    .meta({ access: 'integration.write', fresh: true })
    .input(Rules.extend(Company.shape))
    .output(
      Done.extend({
        id: Id,
        secret: z
          .string()
          .nullable()
          .describe('The secret that signs requests to the webhook. Shown only once'),
      }),
    ),
  update: call
    .route({
      method: 'PUT',
      path: '/alerts/{id}',
      tags: ['Alerts'],
      summary: 'Changes an alert. Omitted fields get the defaults of a new alert',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(Rules.extend(Which.shape))
    .output(
      Done.extend({
        secret: z.string().nullable().describe('For a new webhook address. Shown only once'),
      }),
    ),
  remove: call
    .route({ method: 'DELETE', path: '/alerts/{id}', tags: ['Alerts'], summary: 'Removes an alert' })
    .meta({ access: 'integration.write' })
    .input(Which)
    .output(Done),
  preview: call
    .route({
      method: 'POST',
      path: '/alerts/preview',
      tags: ['Alerts'],
      summary: 'Returns the alerts that would have been sent in the last 24 hours',
      description: 'Changes and sends nothing.',
    })
    .meta({ access: 'integration.write' })
    .input(Rules.omit({ name: true }).extend(Company.shape))
    .output(
      z.object({
        events: z.int().describe('Alerts after the cooldown'),
        messages: z.int().describe('Messages to each recipient, after combining'),
        examples: z.array(Found).describe('The newest'),
      }),
    ),
  test: call
    .route({
      method: 'POST',
      path: '/alerts/{id}/test',
      tags: ['Alerts'],
      summary: 'Sends a test message with a made-up lead to all recipients of an alert',
    })
    .meta({ access: 'integration.write', fresh: true })
    .input(Which)
    .output(Done),
  messages: call
    .route({
      method: 'GET',
      path: '/alerts/{id}/messages',
      tags: ['Alerts'],
      summary: 'Returns what an alert has sent, newest first',
    })
    .meta({ access: 'integration.read' })
    .input(PageQuery.extend(Which.shape))
    .output(
      Page(
        z.object({
          id: Id,
          way: z.enum(ALERT_WAYS),
          recipient: z.string(),
          events: z.int().describe('Number of alerts in it'),
          is_test: z.boolean(),
          state: z.enum(['pending', 'delivered', 'failed']),
          error: z.string().nullable(),
          created_at: Instant,
          done_at: Instant.nullable(),
        }),
      ),
    ),
};
