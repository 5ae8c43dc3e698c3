import { z } from 'zod';
import { call } from '../base.ts';
import { Day, Done, GivenDay, hasControls, Id, Instant, Micros, Page, PageQuery } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import { MatchType } from './leads.ts';
import {
  MOST_QUALITY_DAYS,
  MOST_RETURN_NOTE,
  MOST_RETURNED,
  PROOF_KINDS,
  QUALITY_GROUPS,
  RETURN_REASONS,
  RETURN_STATES,
} from './return-rules.ts';

const tags = ['Returns'];
const Reason = z.enum(RETURN_REASONS, 'is not a reason to return a lead');
const State = z.enum(RETURN_STATES, 'must be open, approved or declined');

/** A few lines of plain text. */
const Words = (most: number) =>
  z
    .string()
    .trim()
    .max(most, `must not exceed ${most} characters`)
    .refine((text) => !hasControls(text.replaceAll('\n', '')), 'must not contain control characters')
    .default('');
const Ids = (what: string) =>
  z
    .array(Id)
    .min(1, `must name at least one ${what}`)
    .max(MOST_RETURNED, `must not name more than ${MOST_RETURNED} ${what}s`)
    .transform((ids) => [...new Set(ids)]);

const Skipped = z
  .array(z.object({ id: Id, message: z.string() }))
  .describe('Those that were left out, and why');

/** A lead that its client returned. */
export const Return = z.object({
  id: Id,
  lead_id: Id,
  lead_name: z.string().nullable().describe('null if it is not known, or was erased'),
  leadspeekID: Id,
  leadspeek_api_id: z.int(),
  campaignName: z.string(),
  companyID: Id,
  company_name: z.string(),
  reason: Reason,
  note: z.string(),
  state: State,
  answer: z.string().describe('What the agency said about its decision'),
  is_automatic: z.boolean().describe('Approved automatically because it was proven'),
  is_proven: z.boolean().nullable().describe('Whether a fact proves the reason. null: not shown to clients'),
  proofs: z
    .array(
      z.object({
        kind: z.enum(PROOF_KINDS),
        proves: Reason.nullable().describe('null: it only supports a decision'),
        words: z.string(),
        lead_id: Id.nullable().describe('Another lead that it is about'),
      }),
    )
    .describe('What was known about the lead when it was returned. Not shown to clients'),
  source: z.string().nullable().describe('What identified the person. Shown only to the root'),
  price_micros: Micros,
  credited_micros: Micros.nullable().describe('null: not approved'),
  received_at: Instant.describe('When the lead came in'),
  created_at: Instant,
  decided_at: Instant.nullable(),
});
export type Return = Inside<z.output<typeof Return>>;

export const ReturnFilter = z.object({
  state: State.optional(),
  reason: Reason.optional(),
  companyID: Id.optional().describe('Only of this client or, for a root, of this agency'),
  leadspeekID: Id.optional(),
  match: MatchType.optional().describe('Only leads that were recognized by this'),
  supplier: z.string().max(300).optional().describe('Only leads from this source. Root only'),
  startDate: GivenDay.optional().describe('Only leads that came in on this day or later'),
  endDate: GivenDay.optional().describe('Only leads that came in on this day or earlier'),
});

const Sums = z.object({
  leads: z.int(),
  returned: z.int(),
  open: z.int(),
  approved: z.int(),
  declined: z.int(),
  credited_micros: Micros.describe('Total refunded for these leads, with or without a return'),
});

/** Leads that clients return, and what their agency decides (docs/decisions/0340-returns.md). */
export const returns = {
  list: call
    .route({
      method: 'GET',
      path: '/returns',
      tags,
      summary: 'Lists returned leads, newest first',
    })
    .meta({ access: 'lead.read' })
    .input(PageQuery.pick({ Page: true, PerPage: true }).extend(ReturnFilter.shape))
    .output(
      Page(Return).extend({
        counts: z.record(State, z.int()).describe('By state, regardless of the requested state'),
      }),
    ),
  ofLead: call
    .route({
      method: 'GET',
      path: '/returns/lead/{id}',
      tags,
      summary: 'Returns the return of a lead, or whether it can be returned',
    })
    .meta({ access: 'lead.read' })
    .input(z.object({ id: Id }))
    .output(
      z.object({
        data: Return.nullable(),
        may_return: z.boolean(),
        blocked: z.string().describe('Why it cannot be returned. Empty if it can'),
        until: Instant.nullable().describe('Until when it can be returned'),
      }),
    ),
  open: call
    .route({
      method: 'POST',
      path: '/returns',
      tags,
      summary: 'Returns leads to the agency',
      description:
        'Each lead can be returned once, within the days that the agency allows. What is known about the lead is stored with the return. Leads that cannot be returned are left out. If none can, the call is refused.',
    })
    .meta({ access: 'return.open', notInView: true })
    .input(
      z
        .object({ ids: Ids('lead'), reason: Reason, note: Words(MOST_RETURN_NOTE) })
        .refine(({ reason, note }) => reason !== 'other' || note !== '', {
          path: ['note'],
          message: 'is required when the reason is other',
        }),
    )
    .output(
      Done.extend({
        returned: z.int(),
        approved: z.int().describe('Number approved automatically because they were proven'),
        skipped: Skipped,
      }),
    ),
  decide: call
    .route({
      method: 'POST',
      path: '/returns/decide',
      tags,
      summary: 'Approves or declines returns',
      description:
        'An approved return refunds what the client paid for the lead, once: to the balance that paid, or off the next invoice. Returns that are already decided are left out. If all are, the call is refused.',
    })
    .meta({ access: 'return.decide', notInView: true, fresh: true })
    .input(
      z
        .object({
          ids: Ids('return'),
          decision: z.enum(['approved', 'declined'], 'must be approved or declined'),
          answer: Words(255).describe('The message to the client'),
        })
        .refine(({ decision, answer }) => decision !== 'declined' || answer !== '', {
          path: ['answer'],
          message: 'is required to decline',
        }),
    )
    .output(Done.extend({ decided: z.int(), skipped: Skipped })),
  quality: call
    .route({
      method: 'GET',
      path: '/returns/quality',
      tags,
      summary: 'Returns the number of leads and returns by campaign, client, or source',
    })
    .meta({ access: 'return.quality' })
    .input(
      z.object({
        by: z.enum(QUALITY_GROUPS).default('campaign'),
        companyID: Id.optional().describe('Only of this client or, for a root, of this agency'),
        startDate: GivenDay.optional().describe('First day on which leads came in. Defaults to 30 days'),
        endDate: GivenDay.optional().describe(`Last day, up to ${MOST_QUALITY_DAYS} days after the first`),
      }),
    )
    .output(
      z.object({
        startDate: Day,
        endDate: Day,
        data: z
          .array(
            Sums.extend({
              key: z.string().describe('The ID of the group, or the source'),
              name: z.string(),
              company_name: z.string().nullable().describe('The client of a campaign'),
            }),
          )
          .describe('Those with the most returns first'),
        total: Sums,
      }),
    ),
};
