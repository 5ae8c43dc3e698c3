import { z } from 'zod';
import { call } from '../base.ts';
import { Flag, Id } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import { Module } from './setup.ts';

/** The maximum number of hits in one response, across all kinds. */
export const SEARCH_MOST = 20;

/** An agency, a client or a campaign by its name; what does not apply to its kind is empty. */
export const SearchHit = z.object({
  type: z.enum(['agency', 'client', 'campaign']),
  id: Id.describe('The company or campaign (leadspeekID)'),
  name: z.string(),
  user_id: z
    .union([Id, z.literal('')])
    .describe(
      'The owner of the company, for view mode. Empty if there is none or the caller may not view as users',
    ),
  full_name: z.string().describe('Owner of the company'),
  company_name: z.string().describe('Client of the campaign'),
  agency_id: z.union([Id, z.literal('')]),
  agency_name: z.string().describe('Empty if the caller may not see the agency'),
  leadspeek_type: z.union([Module, z.literal('')]),
  leadspeek_api_id: z.string().describe('Campaign number'),
  status: z.string().describe('Campaign status'),
});
export type SearchHit = Inside<z.output<typeof SearchHit>>;

export const search = {
  find: call
    .route({
      method: 'GET',
      path: '/general/search',
      tags: ['Search'],
      summary: 'Finds agencies, clients, and campaigns by name, and campaigns also by number',
      description:
        "Also finds companies by their owner's name and address. Two letters match the start of a word. Three or more match anywhere.",
    })
    .meta({ access: 'session.own', salesView: true })
    .input(
      z.object({
        q: z
          .string('is required')
          .trim()
          .min(2, 'must have at least 2 characters')
          .max(100, 'must not exceed 100 characters'),
      }),
    )
    .output(
      z.object({
        data: z.array(SearchHit).max(SEARCH_MOST),
        more: Flag.describe('T: there are more results; type more to narrow them down'),
      }),
    ),
};
