import { z } from 'zod';
import { call } from '../base.ts';
import { Done } from '../primitives.ts';

export const silence = {
  get: call
    .route({
      method: 'GET',
      path: '/silence',
      tags: ['Insight'],
      summary: 'Returns whether the user is told by email that a site of their company has gone silent',
    })
    .meta({ access: 'campaign.read' })
    .output(
      z.object({
        is_on: z.boolean(),
        is_blocked: z.boolean().describe('The company has turned off emails to this user'),
        email: z.string(),
      }),
    ),
  choose: call
    .route({
      method: 'PUT',
      path: '/silence',
      tags: ['Insight'],
      summary: 'Turns the messages about silent sites on or off for the user',
    })
    .meta({ access: 'campaign.read', notInView: true })
    .input(z.object({ is_on: z.boolean() }))
    .output(Done),
};
