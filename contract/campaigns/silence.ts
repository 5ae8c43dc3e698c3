import { z } from 'zod';
import { call } from '../base.ts';
import { Done } from '../primitives.ts';

export const silence = {
  get: call
    .route({
      method: 'GET',
      path: '/silence',
      tags: ['Analytics'],
      summary: 'Returns whether the user gets an email when a site of their company goes silent',
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
      tags: ['Analytics'],
      summary: 'Turns the emails about silent sites on or off for the user',
    })
    .meta({ access: 'campaign.read', notInView: true })
    .input(z.object({ is_on: z.boolean() }))
    .output(Done),
};
