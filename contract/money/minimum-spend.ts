import { z } from 'zod';
import { call } from '../base.ts';
import { Day, Dollars, Done, Id, Instant, Micros, Page, PageQuery } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import { Plan } from './pricing.ts';

/** The outcome of a past month. excluded: nothing was charged because the agency was excluded at the time. */
export const MINSPEND_OUTCOMES = ['met', 'excluded', 'charged'] as const;

/** A minimum spend that a root has announced to an agency: nothing is charged for it before it is accepted. */
export const MinSpendOffer = z.object({
  id: Id,
  company_id: Id,
  company_name: z.string(),
  planName: z.string(),
  months: z.array(Dollars).describe("Amounts for an agency's first, second, … month"),
  flatMonth: Dollars.describe('Amount for every later month'),
  amount_micros: Micros.describe('For the first month charged, if accepted today'),
  charged_from: Day.describe('The first day of that month, which is the first full month after acceptance'),
  announced_at: Instant,
  reminded_at: Instant.nullable(),
  accepted_at: Instant.nullable(),
});
export type MinSpendOffer = Inside<z.output<typeof MinSpendOffer>>;

/**
 * An agency's minimum-spend status (spec product 3 and 6, calls 3 and 7). A month is a calendar month in the root's
 * time zone; docs/decisions/0056-minimum-spend.md defines what counts.
 */
export const MinSpend = z.object({
  company_id: Id,
  company_name: z.string(),
  data: Plan.omit({ version: true })
    .nullable()
    .describe("The agency's own plan or the default plan. null if the root's setting applies, or nothing"),
  minspend_setting: z.object({
    status: z.boolean().describe('Whether the agency has a minimum spend at all'),
    isAgreementV2: z.boolean(),
    isAgreementV3: z.boolean(),
  }),
  exclude_minimum_spend: z.union([z.literal(0), z.literal(1)]),
  month: Day.describe('The first day of the current month'),
  month_of_life: z
    .int()
    .nullable()
    .describe(
      '1 for the agency’s first full month. null if that month has not started, so there is no minimum spend yet',
    ),
  amount_micros: Micros.nullable().describe('The minimum spend for the current month. null if none'),
  spent_micros: Micros.describe('Leads and fees of the current month, minus refunds'),
  shortfall_micros: Micros.describe('What would be charged if the month ended now, in whole cents'),
  offer: MinSpendOffer.nullable().describe(
    'The minimum spend announced to the agency and awaiting acceptance. null if none',
  ),
  days_left: z.int().describe('Days left in the month, including today'),
  time_zone: z.string().describe("The root's time zone, in which months begin and end"),
  history: z
    .array(
      z.object({
        month: Day,
        month_of_life: z.int(),
        plan_name: z.string(),
        amount_micros: Micros,
        spent_micros: Micros,
        shortfall_micros: Micros,
        outcome: z.enum(MINSPEND_OUTCOMES),
      }),
    )
    .describe('Past months, newest first, up to 24'),
});

const tags = ['Minimum spend'];

export const minimumSpend = {
  progress: call
    .route({
      method: 'GET',
      path: '/general/minimum-spend/{company_id}',
      tags,
      summary: 'Returns an agency’s minimum spend status for this month (getMinSpendV3)',
    })
    .meta({ access: 'cost.read' })
    .input(z.object({ company_id: Id }))
    .output(MinSpend),
  user: call
    .route({
      method: 'GET',
      path: '/configuration/setting/minimum-spend/{company_id}',
      tags,
      summary: 'Returns the same status for the agency list (getMinimumSpendUser)',
    })
    .meta({ access: 'cost.read' })
    .input(z.object({ company_id: Id }))
    .output(MinSpend),
  accept: call
    .route({
      method: 'POST',
      path: '/configuration/setting/minimum-spend-offer/{id}/accept',
      tags,
      summary: 'Accepts the minimum spend announced to your agency',
    })
    .meta({ access: 'account.write', notInView: true, fresh: true })
    .input(z.object({ id: Id }))
    .output(Done),
  offers: call
    .route({
      method: 'GET',
      path: '/configuration/setting/minimum-spend-offers',
      tags,
      summary:
        'Lists which agencies have accepted the announced minimum spend and which have not, newest first',
    })
    .meta({ access: 'cost.write' })
    .input(PageQuery.pick({ Page: true, PerPage: true, searchQuery: true }))
    .output(Page(MinSpendOffer)),
  remind: call
    .route({
      method: 'POST',
      path: '/configuration/setting/minimum-spend-offer/{id}/remind',
      tags,
      summary: 'Emails an agency that has not accepted yet, up to once a day',
    })
    .meta({ access: 'cost.write', notInView: true })
    .input(z.object({ id: Id }))
    .output(Done),
  exclude: call
    .route({
      method: 'PUT',
      path: '/configuration/exclude-include-mininum-spend',
      tags,
      summary: 'Toggles whether an agency is excluded from the minimum spend',
    })
    .meta({ access: 'cost.write', notInView: true })
    .input(z.object({ CompanyID: Id }))
    .output(Done.extend({ exclude_minimum_spend: z.union([z.literal(0), z.literal(1)]) })),
};
