import { z } from 'zod';
import { Day, Email, Flag, FREQUENCIES, GivenDay, Id, Instant, Whole } from './primitives.ts';

/** What a report brings: nothing, for there is none, or the leads as a CSV file. */
export const REPORT_TYPES = ['none', 'CSV'] as const;
const MOST_ADDRESSES = 10;

const Empty = z.literal('').transform(() => null);
const Count = Whole(1, 1_000_000);
const MaybeCount = z.union([Empty, z.null(), Count]).optional();
const MaybeDay = z.union([Empty, z.null(), GivenDay]).optional();

/** E-mail addresses, as a list or as a text with commas, semicolons, spaces or line breaks between them. */
const Addresses = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(/[\s,;]+/))])
  .transform((all) => [...new Set(all.map((one) => one.trim().toLowerCase()).filter(Boolean))])
  .pipe(z.array(Email).max(MOST_ADDRESSES, `must be at most ${MOST_ADDRESSES} addresses`))
  .optional();

/** Fields of a campaign besides those that make it run. Left out of a change, each stays as it is. */
export const MoreFields = z.object({
  companyGroupID: z
    .union([z.literal(''), Id])
    .optional()
    .describe('The group it is in, of the own company; empty: in none'),
  LimitLeadFreq: z.enum(FREQUENCIES).optional().describe('LimitLead counts leads a day, week or month'),
  LimitLeadStart: MaybeDay.describe('The first day on which LimitLead holds; leads before it do not count'),
  LimitLeadEnd: MaybeDay.describe('The last day on which LimitLead holds'),
  enableMinimumLimitLeads: Flag.optional().describe('T: LimitLead must not be below minimumLimitLeads'),
  minimumLimitLeads: MaybeCount.describe('Set by the agency'),
  leadsAmountNotification: MaybeCount.describe('Each time so many leads have come, adminNotifyTo is told'),
  adminNotifyTo: Addresses.describe('Who is told that leads have come; numbers only'),
  reportType: z.enum(REPORT_TYPES).optional(),
  reportFreq: z.enum(FREQUENCIES).optional().describe('A report is made when a day, week or month is over'),
  reportSentTo: Addresses.describe('Who gets the reports, with the personal data of the leads'),
});

/** The same as a campaign tells them. */
export const MoreOfCampaign = z.object({
  companyGroupID: Id.nullable().describe("The own company's group it is in"),
  LimitLeadFreq: z.enum(FREQUENCIES),
  LimitLeadStart: Day.nullable(),
  LimitLeadEnd: Day.nullable(),
  enableMinimumLimitLeads: Flag,
  minimumLimitLeads: z.int().nullable(),
  leadsAmountNotification: z.int().nullable(),
  adminNotifyTo: z.array(z.string()),
  reportType: z.enum(REPORT_TYPES),
  reportFreq: z.enum(FREQUENCIES),
  reportSentTo: z.array(z.string()),
  next_report_at: Instant.nullable(),
});

/** Ids of data fields, each once, in order. */
const InformationIds = z
  .array(z.coerce.number().int('must be ids of data fields'))
  .max(100, 'must name each field once')
  .transform((ids) => [...new Set(ids)].sort((a, b) => a - b));

/** The data fields that a campaign asks for about the people of its leads (spec product 3, calls 7). */
export const InformationFields = z.object({
  advanceInformation: InformationIds.optional().describe(
    'Ids of personal data fields; of Site ID, Search ID and Enhance ID',
  ),
  b2bInformation: InformationIds.optional().describe('Ids of company data fields; of B2B ID'),
});
export const InformationView = z.object({
  advanceInformation: z.array(z.int()),
  b2bInformation: z.array(z.int()),
});
