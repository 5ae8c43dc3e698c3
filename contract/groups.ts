import { z } from 'zod';
import { call } from './base.ts';
import { Done, hasControls, Id } from './primitives.ts';

const GroupName = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(100, 'must not exceed 100 characters')
  .refine((text) => !hasControls(text), 'must not contain control characters');

const Group = z.object({
  id: z.union([z.literal(''), Id]).describe("Empty: 'View All', which is no group"),
  group_name: z.string(),
  campaigns: z.int().describe("Campaigns in it that are not removed; of 'View All' those in any or none"),
});

const Which = z.object({ id: Id });

/** Company groups (spec product 3, calls 3): how a company sorts its campaigns. */
export const groups = {
  getCompanyGroup: call
    .route({
      method: 'GET',
      path: '/leadspeek/company-group',
      tags: ['Campaigns'],
      summary: "The company's groups of campaigns, 'View All' first",
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ companyID: Id.optional().describe('Whose; the own company when left out') }))
    .output(z.object({ data: z.array(Group) })),
  create: call
    .route({ method: 'POST', path: '/leadspeek/company-group', tags: ['Campaigns'], summary: 'Add a group' })
    .meta({ access: 'campaign.write' })
    .input(z.object({ group_name: GroupName }))
    .output(Done.extend({ data: Group })),
  rename: call
    .route({
      method: 'PUT',
      path: '/leadspeek/company-group/{id}',
      tags: ['Campaigns'],
      summary: 'Rename a group',
    })
    .meta({ access: 'campaign.write' })
    .input(Which.extend({ group_name: GroupName }))
    .output(Done.extend({ data: Group })),
  remove: call
    .route({
      method: 'DELETE',
      path: '/leadspeek/company-group/{id}',
      tags: ['Campaigns'],
      summary: 'Delete a group; its campaigns stay, in none',
    })
    .meta({ access: 'campaign.write' })
    .input(Which)
    .output(Done),
};
