import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Id, Instant } from '../primitives.ts';
import { COMPARISONS, REPORT_GROUPS } from './report-analytics.ts';

/** What can be emailed: a root's revenue, or sales by group. */
export const SCHEDULED_REPORTS = ['revenue', ...REPORT_GROUPS] as const;
export type ScheduledReport = (typeof SCHEDULED_REPORTS)[number];

/** Whole weeks or months before the day on which it is sent. */
export const SCHEDULED_PERIODS = ['week', 'month', 'quarter', 'year'] as const;
export type ScheduledPeriod = (typeof SCHEDULED_PERIODS)[number];

export const SCHEDULED_EVERY = ['week', 'month'] as const;
/** To how many users a report is sent. */
export const MOST_RECIPIENTS = 20;

/** What reports are called. */
export const REPORT_WORDS: Record<ScheduledReport, string> = {
  revenue: 'Revenue of the platform',
  month: 'Sales by month',
  product: 'Sales by product',
  term: 'Sales by payment term',
  agency: 'Sales by agency',
  client: 'Sales by client',
  campaign: 'Sales by campaign',
};
export const PERIOD_WORDS: Record<ScheduledPeriod, string> = {
  week: 'Last week',
  month: 'Last month',
  quarter: 'Last 3 months',
  year: 'Last 12 months',
};

const Which = z.object({ id: Id });
const Schedule = z.object({
  report: z.enum(SCHEDULED_REPORTS).describe('revenue and agency: only for roots'),
  period: z.enum(SCHEDULED_PERIODS).describe('Monday to Sunday, or whole months, before the day it is sent'),
  compare: z.enum(COMPARISONS),
  every: z.enum(SCHEDULED_EVERY).describe('Mondays, or the first of each month, at 8:00'),
  user_ids: z
    .array(Id)
    .min(1, 'must have at least one user')
    .max(MOST_RECIPIENTS, `must not have more than ${MOST_RECIPIENTS} users`)
    .describe('Users of your own company who may read reports'),
});
const Person = z.object({ id: Id, name: z.string(), email: z.string() });

const tags = ['Reports'];
const path = '/configuration/report-schedules';
const meta = { access: 'report.read', notInView: true } as const;

/** Reports that are emailed as a PDF. */
export const reportSchedules = {
  list: call
    .route({ method: 'GET', path, tags, summary: 'Lists the reports that your company has emailed' })
    .meta({ access: 'report.read' })
    .output(
      z.object({
        time_zone: z.string(),
        people: z.array(Person).describe('Users of your company who may read reports'),
        data: z.array(
          Schedule.extend({
            id: Id,
            is_paused: z.boolean(),
            next_at: Instant,
            last_at: Instant.nullable().describe('When it was last due'),
            last_sent: z
              .int()
              .nullable()
              .describe('To how many users it was last sent. null with last_at: it could not be made yet'),
            created_by: z.string().describe('Empty if the user was removed'),
          }),
        ),
      }),
    ),
  add: call
    .route({ method: 'POST', path, tags, summary: 'Schedules emails with a report' })
    .meta(meta)
    .input(Schedule)
    .output(Done.extend({ data: Which })),
  set: call
    .route({
      method: 'PUT',
      path: `${path}/{id}`,
      tags,
      summary: 'Changes, pauses, or resumes a scheduled report',
    })
    .meta(meta)
    .input(Which.extend(Schedule.shape).extend({ is_paused: z.boolean() }))
    .output(Done),
  remove: call
    .route({ method: 'DELETE', path: `${path}/{id}`, tags, summary: 'Removes a scheduled report' })
    .meta(meta)
    .input(Which)
    .output(Done),
};
