import { z } from 'zod';
import { call } from './base.ts';
import { Plan } from './costs.ts';
import { Day, Dollars, Done, Id, Instant, Micros, Page, PageQuery } from './primitives.ts';

/** What became of a month that is over. excluded: nothing was charged, since the agency was excluded then. */
export const MINSPEND_OUTCOMES = ['met', 'excluded', 'charged'] as const;

/** A minimum spend as a root announced it to an agency: nothing is charged of it before it is accepted. */
export const MinSpendOffer = z.object({
  id: Id,
  company_id: Id,
  company_name: z.string(),
  planName: z.string(),
  months: z.array(Dollars).describe("Of an agency's first, second, … month"),
  flatMonth: Dollars.describe('Of every month after those'),
  amount_micros: Micros.describe('Of the first month that it would be charged for, accepted today'),
  charged_from: Day.describe('The first day of that month: the next whole one after the acceptance'),
  announced_at: Instant,
  reminded_at: Instant.nullable(),
  accepted_at: Instant.nullable(),
});
export type MinSpendOffer = z.output<typeof MinSpendOffer>;

/**
 * How an agency stands with its minimum spend (spec product 3 and 6, calls 3 and 7). A month is a calendar month where the
 * root is; what counts is in docs/decisions/0056-minimum-spend.md.
 */
export const MinSpend = z.object({
  company_id: Id,
  company_name: z.string(),
  data: Plan.omit({ version: true })
    .nullable()
    .describe("The agency's plan, its own or the default one; null: the root's setting holds, or nothing"),
  minspend_setting: z.object({
    status: z.boolean().describe('Whether a minimum is asked of the agency at all'),
    isAgreementV2: z.boolean(),
    isAgreementV3: z.boolean(),
  }),
  exclude_minimum_spend: z.union([z.literal(0), z.literal(1)]),
  month: Day.describe('The first day of the present month'),
  month_of_life: z
    .int()
    .nullable()
    .describe(
      '1: the first whole month after the agency began; null: that is still to come, so nothing is asked',
    ),
  amount_micros: Micros.nullable().describe('What is asked of the present month; null: nothing'),
  spent_micros: Micros.describe('Leads and fees of the present month, less what was given back'),
  shortfall_micros: Micros.describe('What would be charged if the month ended now; whole cents'),
  offer: MinSpendOffer.nullable().describe(
    'What was announced to the agency and waits for its acceptance; null: nothing does',
  ),
  days_left: z.int().describe('Days until the month is over, today included'),
  time_zone: z.string().describe("The root's, in which months begin and end"),
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
    .describe('Months that are over, newest first, at most 24'),
});

const tags = ['Minimum spend'];

export const minspend = {
  progress: call
    .route({
      method: 'GET',
      path: '/general/minimum-spend/{company_id}',
      tags,
      summary: 'How an agency stands with its minimum spend this month (getMinSpendV3)',
    })
    .meta({ access: 'cost.read' })
    .input(z.object({ company_id: Id }))
    .output(MinSpend),
  user: call
    .route({
      method: 'GET',
      path: '/configuration/setting/minimum-spend/{company_id}',
      tags,
      summary: 'The same, as the agency list asks it (getMinimumSpendUser)',
    })
    .meta({ access: 'cost.read' })
    .input(z.object({ company_id: Id }))
    .output(MinSpend),
  accept: call
    .route({
      method: 'POST',
      path: '/configuration/setting/minimum-spend-offer/{id}/accept',
      tags,
      summary: 'Accept the minimum spend that was announced to the own agency',
    })
    .meta({ access: 'account.write', notInView: true, fresh: true })
    .input(z.object({ id: Id }))
    .output(Done),
  offers: call
    .route({
      method: 'GET',
      path: '/configuration/setting/minimum-spend-offers',
      tags,
      summary: 'Which agencies have accepted the announced minimum spend, and which have not, newest first',
    })
    .meta({ access: 'cost.write' })
    .input(PageQuery.pick({ Page: true, PerPage: true, searchQuery: true }))
    .output(Page(MinSpendOffer)),
  remind: call
    .route({
      method: 'POST',
      path: '/configuration/setting/minimum-spend-offer/{id}/remind',
      tags,
      summary: 'Mail an agency again that has not accepted yet; once a day',
    })
    .meta({ access: 'cost.write', notInView: true })
    .input(z.object({ id: Id }))
    .output(Done),
  exclude: call
    .route({
      method: 'PUT',
      path: '/configuration/exclude-include-mininum-spend',
      tags,
      summary: 'Exclude an agency from the minimum spend, or include it again; each call does the other',
    })
    .meta({ access: 'cost.write', notInView: true })
    .input(z.object({ CompanyID: Id }))
    .output(Done.extend({ exclude_minimum_spend: z.union([z.literal(0), z.literal(1)]) })),
};
