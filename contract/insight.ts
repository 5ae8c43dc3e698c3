import { z } from 'zod';
import { call } from './base.ts';
import { InvoiceFilter, InvoicePage } from './invoices.ts';
import { ModuleName } from './leads.ts';
import { Day, GivenDay, Id, Micros, Page, PageQuery } from './primitives.ts';

const Totals = z.object({ visits: z.int(), matched: z.int(), leads: z.int(), spend_micros: Micros });

/** Visits and people found apart: a match rate is of visits alone. */
const Apart = Totals.extend({
  found: z.int().describe('Of matched: people that keywords found; the rest are visits'),
  found_leads: z.int().describe('Of leads: those that keywords found'),
});

/** What a report is narrowed to. */
const Narrowing = z.object({
  companyID: Id.optional(),
  leadspeekID: Id.optional(),
  moduleType: ModuleName.optional(),
});

export const insight = {
  chart: call
    .route({
      method: 'GET',
      path: '/leadspeek/report/chart',
      tags: ['Leads'],
      summary: 'Visits, matches, leads and what they cost, by day',
    })
    .meta({ access: 'insight.read' })
    .input(
      Narrowing.extend({
        startDate: GivenDay.optional().describe('Default 29 days before the last'),
        endDate: GivenDay.optional().describe('Default today'),
      }),
    )
    .output(
      z.object({
        time_zone: z.string(),
        start: Day,
        end: Day,
        totals: Totals,
        days: z.array(Totals.extend({ day: Day })),
      }),
    ),
  initDate: call
    .route({
      method: 'GET',
      path: '/leadspeek/report/initdate',
      tags: ['Leads'],
      summary: 'The days that reports can be asked for: from the first with a visit or lead to today',
    })
    .meta({ access: 'insight.read' })
    .input(Narrowing)
    .output(z.object({ time_zone: z.string(), start: Day.nullable(), end: Day })),
  invoice: call
    .route({
      method: 'GET',
      path: '/leadspeek/report/invoice',
      tags: ['Leads'],
      summary: "Invoices of a campaign, of a company's campaigns, or all",
    })
    .meta({ access: 'invoice.read' })
    .input(InvoiceFilter)
    .output(InvoicePage),
  clients: call
    .route({
      method: 'GET',
      path: '/leadspeek/report/clients',
      tags: ['Leads'],
      summary: 'Clients with their campaigns and what these brought in the last 30 days, paged',
    })
    .meta({ access: 'client.list' })
    .input(
      PageQuery.extend({
        sortby: z.enum(['company_name', 'active', 'leads_30d', 'spend_30d', 'balance']).optional(),
      }),
    )
    .output(
      Page(
        z.object({
          id: Id,
          company_name: z.string(),
          agency_name: z.string(),
          active: z.int().describe('Campaigns that run'),
          campaigns: z.int().describe('Campaigns that run or are paused'),
          leads_30d: z.int(),
          spend_30d_micros: Micros,
          balance_micros: Micros.describe('Prepaid balance left of all its campaigns'),
        }),
      ),
    ),
  dashboard: call
    .route({
      method: 'GET',
      path: '/dashboard',
      tags: ['Insight'],
      summary: 'Leads over time, totals and by campaign',
    })
    .meta({ access: 'insight.read' })
    .input(
      Narrowing.extend({
        startDate: GivenDay.optional().describe(
          'First day, in the time zone of the company; default 29 days before the last',
        ),
        endDate: GivenDay.optional().describe('Last day; default today'),
      }),
    )
    .output(
      z.object({
        time_zone: z.string(),
        start: Day,
        end: Day,
        totals: Apart,
        previous: Apart.describe('The same number of days before'),
        campaigns: z.array(
          Totals.extend({
            leadspeekID: Id,
            leadspeek_api_id: z.int(),
            campaignName: z.string(),
            company_name: z.string(),
            leadspeek_type: ModuleName,
            balance_micros: Micros,
            status: z.string(),
          }),
        ),
        waterfall: z
          .array(z.object({ reason: z.string(), count: z.int(), of: z.enum(['visits', 'people']) }))
          .describe('Why visits, and people that keywords found, did not become leads'),
      }),
    ),
};
