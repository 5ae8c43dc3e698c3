import { z } from 'zod';
import { call } from './base.ts';
import { Done, Id } from './primitives.ts';

/** The minimum spend of agencies. */
export const minspend = {
  exclude: call
    .route({
      method: 'PUT',
      path: '/configuration/exclude-include-mininum-spend',
      tags: ['Minimum spend'],
      summary: 'Exclude an agency from the minimum spend, or include it again; each call does the other',
    })
    .meta({ access: 'cost.write', notInView: true })
    .input(z.object({ CompanyID: Id }))
    .output(Done.extend({ exclude_minimum_spend: z.union([z.literal(0), z.literal(1)]) })),
};
