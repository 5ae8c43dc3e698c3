import { z } from 'zod';
import { call } from './base.ts';
import { Flag, Id } from './primitives.ts';
import { Module } from './setup.ts';

/** The most hits of one answer, over all kinds. */
export const SEARCH_MOST = 20;

/** An agency, a client or a campaign by its name; what does not apply to its kind is empty. */
export const SearchHit = z.object({
  type: z.enum(['agency', 'client', 'campaign']),
  id: Id.describe('The company, or the campaign (leadspeekID)'),
  name: z.string(),
  full_name: z.string().describe("A company's owner"),
  company_name: z.string().describe("A campaign's client"),
  agency_id: z.union([Id, z.literal('')]),
  agency_name: z.string().describe('Empty where the agency is not told to whoever asks'),
  leadspeek_type: z.union([Module, z.literal('')]),
  leadspeek_api_id: z.string().describe("A campaign's number"),
  status: z.string().describe("A campaign's state"),
});
export type SearchHit = z.output<typeof SearchHit>;

export const search = {
  find: call
    .route({
      method: 'GET',
      path: '/general/search',
      tags: ['Search'],
      summary: 'Agencies, clients and campaigns by name; a campaign by its number, too',
      description:
        "Companies are found by their owner's name and address as well. Two letters are looked for where a word begins, three and more anywhere.",
    })
    .meta({ access: 'session.own' })
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
        more: Flag.describe('T: there is more than this; type more to narrow it down'),
      }),
    ),
};
