import { z } from 'zod';
import { call } from '../base.ts';
import { CLIENT_SORTS } from '../choices.ts';
import { InvoiceFilter, InvoicePage } from '../money/invoices.ts';
import { Day, GivenDay, Id, Instant, Micros, Page, PageQuery } from '../primitives.ts';
import { ModuleName } from './leads.ts';

const Totals = z.object({ visits: z.int(), matched: z.int(), leads: z.int(), spend_micros: Micros });

/** Visits and people are counted separately: a match rate is about visits only. */
const Apart = Totals.extend({
  found: z.int().describe('Within matched: people found by keywords. The rest are visits'),
  found_leads: z.int().describe('Within leads: those found by keywords'),
});

/** The filters of a report. */
const Narrowing = z.object({
  companyID: Id.optional(),
  leadspeekID: Id.optional(),
  moduleType: ModuleName.optional(),
});

/** What needs attention, in the order in which it is shown. */
export const ATTENTION = [
  // The company's own invoices, and for an agency those of its clients, whose charge was declined.
  'own_payment',
  'client_payment',
  // Clients of the agency to which it could not issue an invoice.
  'uninvoiced',
  // Active Site ID campaigns whose sites have sent nothing for longer than usual.
  'silent',
  // Campaigns that are paused until there is balance, or a price.
  'balance_empty',
  'below_cost',
  // Campaigns with leads of the last seven days that a destination did not take.
  'undelivered',
  // Transfers of clients that wait for the company to agree.
  'transfer',
] as const;
/** The way to the first lead. */
export const FIRST_STEPS = ['client', 'campaign', 'pixel', 'lead'] as const;

export const analytics = {
  home: call
    .route({
      method: 'GET',
      path: '/dashboard/home',
      tags: ['Analytics'],
      summary: 'Returns what needs attention, and the steps to the first lead',
    })
    .meta({ access: 'insight.read' })
    .output(
      z.object({
        attention: z.array(
          z.object({
            kind: z.enum(ATTENTION),
            count: z.int().describe('Invoices, clients, campaigns, or undelivered leads'),
            amount_micros: Micros.nullable().describe('What is due, for payments'),
            campaigns: z
              .array(z.object({ leadspeekID: Id, campaignName: z.string(), leadspeek_type: ModuleName }))
              .describe('The first three campaigns, if it is about campaigns'),
          }),
        ),
        steps: z
          .array(z.object({ step: z.enum(FIRST_STEPS), is_done: z.boolean() }))
          .nullable()
          .describe('null once there has been a lead'),
      }),
    ),
  chart: call
    .route({
      method: 'GET',
      path: '/leadspeek/report/chart',
      tags: ['Leads'],
      summary: 'Returns visits, matches, leads, and their costs by day',
    })
    .meta({ access: 'insight.read' })
    .input(
      Narrowing.extend({
        startDate: GivenDay.optional().describe('Defaults to 29 days before the last day'),
        endDate: GivenDay.optional().describe('Defaults to today'),
      }),
    )
    .output(
      z.object({
        time_zone: z.string(),
        start: Day,
        end: Day,
        totals: Totals,
        days: z.array(Totals.extend({ day: Day })),
        hours: z
          .array(Totals.extend({ at: Instant }))
          .describe('The same by hour, if a single day was requested. Otherwise empty'),
      }),
    ),
  initDate: call
    .route({
      method: 'GET',
      path: '/leadspeek/report/initdate',
      tags: ['Leads'],
      summary: 'Returns the date range available for reports, from the first visit or lead to today',
    })
    .meta({ access: 'insight.read' })
    .input(Narrowing)
    .output(z.object({ time_zone: z.string(), start: Day.nullable(), end: Day })),
  invoice: call
    .route({
      method: 'GET',
      path: '/leadspeek/report/invoice',
      tags: ['Leads'],
      summary: "Lists the invoices of a campaign, of a company's campaigns, or all",
    })
    .meta({ access: 'invoice.read' })
    .input(InvoiceFilter)
    .output(InvoicePage),
  clients: call
    .route({
      method: 'GET',
      path: '/leadspeek/report/clients',
      tags: ['Leads'],
      summary: 'Lists clients with their campaigns and results from the last 30 days, paginated',
    })
    .meta({ access: 'insight.read' })
    .input(
      PageQuery.extend({
        sortby: z.enum(CLIENT_SORTS).optional(),
      }),
    )
    .output(
      Page(
        z.object({
          id: Id,
          company_name: z.string(),
          agency_name: z.string(),
          active: z.int().describe('Active campaigns'),
          campaigns: z.int().describe('Active or paused campaigns'),
          leads_30d: z.int(),
          spend_30d_micros: Micros,
          balance_micros: Micros.nullable().describe(
            'Total prepaid balance left in all its campaigns; null for those who may not see it',
          ),
        }),
      ),
    ),
  dashboard: call
    .route({
      method: 'GET',
      path: '/dashboard',
      tags: ['Analytics'],
      summary: 'Returns leads over time, in total and by campaign',
    })
    .meta({ access: 'insight.read' })
    .input(
      Narrowing.extend({
        startDate: GivenDay.optional().describe(
          'First day, in the time zone of the company. Defaults to 29 days before the last day',
        ),
        endDate: GivenDay.optional().describe('Last day. Defaults to today'),
      }),
    )
    .output(
      z.object({
        time_zone: z.string(),
        start: Day,
        end: Day,
        totals: Apart,
        previous: Apart.describe('The preceding period of the same length'),
        campaigns: z.array(
          Totals.extend({
            leadspeekID: Id,
            leadspeek_api_id: z.int(),
            campaignName: z.string(),
            company_name: z.string(),
            leadspeek_type: ModuleName,
            balance_micros: Micros.nullable(),
            status: z.string(),
          }),
        ),
        waterfall: z
          .array(z.object({ reason: z.string(), count: z.int(), of: z.enum(['visits', 'people']) }))
          .describe('Why visits, and people found by keywords, did not become leads'),
      }),
    ),
};
