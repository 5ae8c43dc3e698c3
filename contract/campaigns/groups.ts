import { z } from 'zod';
import { call } from '../base.ts';
import { Done, hasControls, Id } from '../primitives.ts';

const GroupName = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(100, 'must not exceed 100 characters')
  .refine((text) => !hasControls(text), 'must not contain control characters');

const Group = z.object({
  id: z.union([z.literal(''), Id]).describe("Empty for 'View All', which is not a group"),
  group_name: z.string(),
  campaigns: z
    .int()
    .describe(
      "Campaigns in the group that are not removed. For 'View All', all campaigns with or without a group",
    ),
});

const Which = z.object({ id: Id });

/** Company groups (spec product 3, calls 3): how a company sorts its campaigns. */
export const groups = {
  getCompanyGroup: call
    .route({
      method: 'GET',
      path: '/leadspeek/company-group',
      tags: ['Campaigns'],
      summary: "Lists the company's campaign groups, 'View All' first",
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ companyID: Id.optional().describe('The company. Defaults to your company') }))
    .output(z.object({ data: z.array(Group) })),
  create: call
    .route({ method: 'POST', path: '/leadspeek/company-group', tags: ['Campaigns'], summary: 'Adds a group' })
    .meta({ access: 'campaign.write' })
    .input(z.object({ group_name: GroupName }))
    .output(Done.extend({ data: Group })),
  rename: call
    .route({
      method: 'PUT',
      path: '/leadspeek/company-group/{id}',
      tags: ['Campaigns'],
      summary: 'Renames a group',
    })
    .meta({ access: 'campaign.write' })
    .input(Which.extend({ group_name: GroupName }))
    .output(Done.extend({ data: Group })),
  remove: call
    .route({
      method: 'DELETE',
      path: '/leadspeek/company-group/{id}',
      tags: ['Campaigns'],
      summary: 'Deletes a group. Its campaigns stay, without a group',
    })
    .meta({ access: 'campaign.write' })
    .input(Which)
    .output(Done),
};
