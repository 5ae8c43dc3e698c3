import { z } from 'zod';
import { Id } from './primitives.ts';

/** Fields of a campaign besides those that make it run. Left out of a change, each stays as it is. */
export const MoreFields = z.object({
  companyGroupID: z
    .union([z.literal(''), Id])
    .optional()
    .describe('The group it is in, of the own company; empty: in none'),
});

/** The same as a campaign tells them. */
export const MoreOfCampaign = z.object({
  companyGroupID: Id.nullable().describe("The own company's group it is in"),
});
