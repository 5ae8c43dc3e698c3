import { z } from 'zod';
import { call } from '../base.ts';
import { Day, Done, Instant } from '../primitives.ts';

const Sentence = z.object({
  text: z.string(),
  path: z.string().nullable().describe('The related page'),
});

export const digest = {
  get: call
    .route({
      method: 'GET',
      path: '/digest',
      tags: ['Analytics'],
      summary:
        'Returns whether the user gets the weekly digest of their company, and when the next one is sent',
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
      tags: ['Analytics'],
      summary: 'Turns the weekly digest on or off for the user',
    })
    .meta({ access: 'insight.read', notInView: true })
    .input(z.object({ is_on: z.boolean() }))
    .output(Done),
  preview: call
    .route({
      method: 'GET',
      path: '/digest/preview',
      tags: ['Analytics'],
      summary: 'Returns the user’s digest for the last full week',
      description: 'Sends nothing.',
    })
    .meta({ access: 'insight.read' })
    .output(
      z.object({
        starts_on: Day,
        ends_on: Day,
        subject: z.string().nullable().describe('null: nothing to report, so no email is sent'),
        sentences: z.array(Sentence),
      }),
    ),
  send: call
    .route({
      method: 'POST',
      path: '/digest/send',
      tags: ['Analytics'],
      summary: 'Emails the digest for the last full week to the user now',
    })
    .meta({ access: 'insight.read', notInView: true })
    .output(Done),
};
