import { z } from 'zod';
import { call } from '../base.ts';
import { Day, Done, Instant } from '../primitives.ts';

const Sentence = z.object({
  text: z.string(),
  path: z.string().nullable().describe('The page that it is about'),
});

export const digest = {
  get: call
    .route({
      method: 'GET',
      path: '/digest',
      tags: ['Insight'],
      summary: 'Returns whether the user gets the weekly digest of their company, and when the next is sent',
    })
    .meta({ access: 'insight.read' })
    .output(
      z.object({
        is_on: z.boolean(),
        is_blocked: z.boolean().describe('The company has turned off emails to this user'),
        email: z.string(),
        next_at: Instant,
        time_zone: z.string(),
      }),
    ),
  choose: call
    .route({
      method: 'PUT',
      path: '/digest',
      tags: ['Insight'],
      summary: 'Turns the weekly digest on or off for the user',
    })
    .meta({ access: 'insight.read', notInView: true })
    .input(z.object({ is_on: z.boolean() }))
    .output(Done),
  preview: call
    .route({
      method: 'GET',
      path: '/digest/preview',
      tags: ['Insight'],
      summary: 'Returns what the digest says to the user about the last week that is over',
      description: 'Sends nothing.',
    })
    .meta({ access: 'insight.read' })
    .output(
      z.object({
        starts_on: Day,
        ends_on: Day,
        subject: z.string().nullable().describe('null: nothing to tell, and no email'),
        sentences: z.array(Sentence),
      }),
    ),
  send: call
    .route({
      method: 'POST',
      path: '/digest/send',
      tags: ['Insight'],
      summary: 'Sends the digest of the last week that is over to the user now',
    })
    .meta({ access: 'insight.read', notInView: true })
    .output(Done),
};
