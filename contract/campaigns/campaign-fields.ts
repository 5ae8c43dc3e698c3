import { z } from 'zod';
import { Day, Email, Flag, FREQUENCIES, GivenDay, Id, Instant, Whole } from '../primitives.ts';

/**
 * What a report contains: nothing, because there is no report, a link to the leads, the details of up to 20 leads, or
 * the leads as a CSV file.
 */
export const REPORT_TYPES = ['none', 'link', 'details', 'CSV'] as const;
/** When a report is sent: shortly after leads come in, or at the end of a period in which some did. */
export const REPORT_FREQUENCIES = ['lead', 'hour', ...FREQUENCIES] as const;
const MOST_ADDRESSES = 10;

const Empty = z.literal('').transform(() => null);
const Count = Whole(1, 1_000_000);
const MaybeCount = z.union([Empty, z.null(), Count]).optional();
const MaybeDay = z.union([Empty, z.null(), GivenDay]).optional();

/** Email addresses, as a list or as text separated by commas, semicolons, spaces or line breaks. */
const Addresses = z
  .union([
    z.array(z.string()).max(100, 'must not exceed 100 entries'),
    z
      .string()
      .max(10_000, 'must not exceed 10,000 characters')
      .transform((text) => text.split(/[\s,;]+/)),
  ])
  .transform((all) => [...new Set(all.map((one) => one.trim().toLowerCase()).filter(Boolean))])
  .pipe(z.array(Email).max(MOST_ADDRESSES, `must not exceed ${MOST_ADDRESSES} addresses`))
  .optional();

/** Fields of a campaign other than those that make it run. Fields left out of a change stay as they are. */
export const MoreFields = z.object({
  companyGroupID: z
    .union([z.literal(''), Id])
    .optional()
    .describe('The campaign group, from your company. Empty for none'),
  LimitLeadFreq: z
    .enum(FREQUENCIES)
    .optional()
    .describe('Whether LimitLead counts leads per day, week, or month'),
  LimitLeadStart: MaybeDay.describe('The first day LimitLead applies. Earlier leads do not count'),
  LimitLeadEnd: MaybeDay.describe('The last day LimitLead applies'),
  enableMinimumLimitLeads: Flag.optional().describe('T: LimitLead must not be below minimumLimitLeads'),
  minimumLimitLeads: MaybeCount.describe('Set by the agency'),
  leadsAmountNotification: MaybeCount.describe('adminNotifyTo is notified each time this many leads arrive'),
  adminNotifyTo: Addresses.describe('Who is notified of new leads, with counts only'),
  reportType: z.enum(REPORT_TYPES).optional(),
  reportFreq: z
    .enum(REPORT_FREQUENCIES)
    .optional()
    .describe(
      'A report is sent within minutes of a lead (leads that come in together share one), or at the end of each hour, day, week, or month',
    ),
  reportSentTo: Addresses.describe('Who receives the reports, including the personal data of leads'),
});

/** The same fields as a campaign returns them. */
export const MoreOfCampaign = z.object({
  companyGroupID: Id.nullable().describe('The campaign group, from your company'),
  LimitLeadFreq: z.enum(FREQUENCIES),
  LimitLeadStart: Day.nullable(),
  LimitLeadEnd: Day.nullable(),
  enableMinimumLimitLeads: Flag,
  minimumLimitLeads: z.int().nullable(),
  leadsAmountNotification: z.int().nullable(),
  adminNotifyTo: z.array(z.string()),
  reportType: z.enum(REPORT_TYPES),
  reportFreq: z.enum(REPORT_FREQUENCIES),
  reportSentTo: z.array(z.string()),
  next_report_at: Instant.nullable(),
});

/** Ids of data fields, without duplicates, in order. */
const InformationIds = z
  .array(z.coerce.number().int('must be data field IDs'))
  .max(100, 'must list each field only once')
  .transform((ids) => [...new Set(ids)].sort((a, b) => a - b));

/** The data fields that a campaign requests about the people in its leads (spec product 3, calls 7). */
export const InformationFields = z.object({
  advanceInformation: InformationIds.optional().describe(
    'IDs of personal data fields, for Site ID, Search ID, and Enhance ID',
  ),
  b2bInformation: InformationIds.optional().describe('IDs of company data fields, for B2B ID'),
});
export const InformationView = z.object({
  advanceInformation: z.array(z.int()),
  b2bInformation: z.array(z.int()),
});
