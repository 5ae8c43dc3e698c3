import { z } from 'zod';
import { call } from '../base.ts';
import { Done } from '../primitives.ts';

export const reports = {
  unsubscribe: call
    .route({
      method: 'POST',
      path: '/general/unsubscribe',
      tags: ['Campaigns'],
      summary:
        'Unsubscribes the recipient of a lead report, notification, or digest, with the token in the email',
    })
    .meta({ access: 'public' })
    .input(z.object({ token: z.string().min(1).max(2000) }))
    .output(Done),
};
