import { z } from 'zod';
import { call } from '../base.ts';
import { LEAD_MODULES } from '../choices.ts';
import { Day, GivenDay, Id, Instant, Micros } from '../primitives.ts';

/** What a report is grouped by. */
export const REPORT_GROUPS = ['month', 'product', 'term', 'agency', 'client', 'campaign'] as const;
export type ReportGroup = (typeof REPORT_GROUPS)[number];

/** What a period is compared with: the one right before it, or the same one a year before. */
export const COMPARISONS = ['previous', 'year'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** Where an agency (for a root) or a client (for an agency) stands in a period, by its sales. */
export const STANDINGS = ['new', 'active', 'lost', 'idle', 'never'] as const;
export type Standing = (typeof STANDINGS)[number];

/** Why a campaign is under-performing, the most pressing first. */
export const UNDER_REASONS = [
  'below_cost',
  'no_balance',
  'silent',
  'no_leads',
  'falling',
  'low_match',
  'returned',
  'undelivered',
] as const;
export type UnderReason = (typeof UNDER_REASONS)[number];

const Span = z.object({
  startDate: GivenDay.optional().describe(
    'First day, in the time zone of your company. Defaults to the first of the month 11 months ago',
  ),
  endDate: GivenDay.optional().describe('Last day. Defaults to today, up to 1,100 days after the first day'),
  compare: z.enum(COMPARISONS).default('previous').describe('What the period is compared with'),
});

const Sums = z.object({
  leads: z.int().describe('Leads sold, minus refunded leads'),
  price_micros: Micros.describe('Amount charged to clients'),
  revenue_micros: Micros.describe('What came in: from agencies for a root, from clients for an agency'),
  cost_micros: Micros.describe('What it cost: by suppliers for a root, by the platform for an agency'),
  margin_micros: Micros.describe('Revenue minus cost'),
});

const Period = { time_zone: z.string(), startDate: Day, endDate: Day };
const Before = z.object({ startDate: Day, endDate: Day });
const Month = z.string().describe('YYYY-MM');

const Result = z.object({
  revenue_micros: Micros.describe('Charged to agencies: leads, fees, and everything else'),
  cost_micros: Micros.describe('Supplier costs'),
  fee_micros: Micros.describe('Kept by the card provider'),
  other_micros: Micros.describe('Expired wallet balance minus credit given and write-offs'),
  margin_micros: Micros.describe('What remains: how the balance of the statement changed'),
});

const Party = Sums.extend({
  id: Id,
  company_name: z.string(),
  created_at: Instant,
  is_removed: z.boolean(),
  standing: z
    .enum(STANDINGS)
    .describe(
      'new: the first sale was in the period; active: sales before and in it; lost: in the compared period only; idle: longer ago; never: none',
    ),
  before_micros: Micros.describe('Revenue of the compared period'),
  first_month: Month.nullable().describe('Month of the first sale (YYYY-MM)'),
  last_month: Month.nullable(),
  months: z.int().describe('Months with sales'),
  lifetime_revenue_micros: Micros.describe('Revenue of all time'),
  lifetime_margin_micros: Micros.describe('Margin of all time'),
  unpaid_micros: Micros.describe('Due on open invoices'),
  overdue: z.int().describe('Open invoices that are past due or whose charge was declined'),
  clients: z.int().describe('Clients of an agency; 0 for a client'),
  campaigns: z.int().describe('Active campaigns'),
});

const Parties = z.object({
  ...Period,
  before: Before,
  data: z.array(Party),
  total: Sums.extend({
    before_micros: Micros,
    active: z.int().describe('With sales in the period'),
    fresh: z.int().describe('Of those, new'),
    lost: z.int(),
    churn: z
      .number()
      .nullable()
      .describe('Share of those with sales in the compared period that were lost. null if there were none'),
    lifetime_micros: Micros.describe('Average revenue of all time of those that ever had sales'),
    unpaid_micros: Micros,
  }),
});

const Under = z.object({
  leadspeekID: Id,
  leadspeek_api_id: z.int(),
  campaignName: z.string(),
  leadspeek_type: z.enum(LEAD_MODULES),
  company_name: z.string(),
  agency_name: z.string(),
  status: z.enum(['active', 'paused']),
  leads: z.int(),
  leads_before: z.int().describe('Leads of as many days before'),
  visits: z.int(),
  matched: z.int(),
  revenue_micros: Micros,
  margin_micros: Micros,
  reasons: z.array(z.object({ code: z.enum(UNDER_REASONS), text: z.string() })),
});

export const reportAnalytics = {
  report: call
    .route({
      method: 'GET',
      path: '/configuration/report-analytics',
      tags: ['Reports'],
      summary:
        'Returns revenue, cost, and margin by month, product, payment term, agency, client, or campaign',
      description: 'Sums leads, refunded leads, and campaign fees, next to those of an earlier period.',
    })
    .meta({ access: 'report.read' })
    .input(
      Span.extend({
        by: z.enum(REPORT_GROUPS).default('month'),
        companyID: Id.optional().describe('Only an agency or client'),
        module: z.enum(LEAD_MODULES).optional().describe('Only a product'),
      }),
    )
    .output(
      z.object({
        ...Period,
        before: Before,
        data: z.array(
          Sums.extend({
            key: z.string().describe('The month (YYYY-MM), the product, the term, or the ID of the group'),
            name: z.string(),
            company_name: z
              .string()
              .nullable()
              .describe('The agency of a client, or the client of a campaign'),
            before: Sums.nullable().describe('The compared period. null for months that none corresponds to'),
          }),
        ),
        total: Sums.extend({ before: Sums }),
      }),
    ),
  revenue: call
    .route({
      method: 'GET',
      path: '/configuration/root-revenue/{start}/{end}',
      tags: ['Reports'],
      summary: 'Returns the revenue of the platform between two days, by day or month',
      description:
        'Everything that the ledger has as revenue or cost, with fees, expired balance, and write-offs. By day up to 92 days, by month for longer.',
    })
    .meta({ access: 'report.root' })
    .input(z.object({ start: GivenDay, end: GivenDay, compare: z.enum(COMPARISONS).default('previous') }))
    .output(
      z.object({
        ...Period,
        before: Before,
        data: z.array(
          Result.extend({
            key: z.string().describe('The day (YYYY-MM-DD) or month (YYYY-MM)'),
            startDate: Day,
            endDate: Day,
          }),
        ),
        total: Result.extend({ before: Result }),
      }),
    ),
  agencies: call
    .route({
      method: 'GET',
      path: '/configuration/agencies-report',
      tags: ['Reports'],
      summary: 'Returns each agency with its sales, growth, value, and what it owes',
    })
    .meta({ access: 'report.root' })
    .input(Span)
    .output(Parties),
  clients: call
    .route({
      method: 'GET',
      path: '/configuration/clients-report',
      tags: ['Reports'],
      summary: 'Returns each client of your agency with its sales, growth, value, and what it owes',
    })
    .meta({ access: 'report.agency' })
    .input(Span)
    .output(Parties),
  growth: call
    .route({
      method: 'GET',
      path: '/configuration/report-growth',
      tags: ['Reports'],
      summary: 'Returns how agencies (or your clients) and their revenue grew and churned, month by month',
    })
    .meta({ access: 'report.read' })
    .input(z.object({ months: z.coerce.number().int().min(2).max(36).default(12) }))
    .output(
      z.object({
        time_zone: z.string(),
        data: z.array(
          z.object({
            key: Month,
            active: z.int(),
            fresh: z.int().describe('With the first sale ever'),
            back: z.int().describe('Without sales in the month before, but earlier'),
            lost: z.int().describe('With sales in the month before, and none in this one'),
            churn: z.number().nullable().describe('Lost, as a share of the month before'),
            revenue_micros: Micros,
            fresh_micros: Micros.describe('Of those that are new or back'),
            grown_micros: Micros.describe('More from those that stayed'),
            shrunk_micros: Micros.describe('Less from those that stayed, below zero'),
            lost_micros: Micros.describe('From those that were lost, below zero'),
          }),
        ),
        cohorts: z.array(
          z.object({
            key: Month.describe('Month of the first sale (YYYY-MM)'),
            size: z.int(),
            active: z.array(z.int()).describe('How many had sales in that month, and in each after it'),
            revenue_micros: z.array(Micros).describe('Their revenue in those months'),
          }),
        ),
      }),
    ),
  underPerform: call
    .route({
      method: 'GET',
      path: '/configuration/get-under-perform-campaigns',
      tags: ['Reports'],
      summary: 'Lists campaigns that perform worse than they should, with the reasons',
    })
    .meta({ access: 'report.read' })
    .input(z.object({ days: z.coerce.number().int().min(7).max(90).default(30) }))
    .output(z.object({ days: z.int(), data: z.array(Under) })),
};
