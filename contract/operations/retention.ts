import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Instant, Page, PageQuery } from '../primitives.ts';

/** What a kind of data is, how long it is kept unless someone changes that, and how long it may be. */
export interface RetentionRule {
  title: string;
  what: string;
  /** Days; null: for as long as the company's account exists. Visits have the default that the operator sets. */
  days: number | null;
  min: number;
  max: number;
  /** Why there are these limits. */
  why: string;
  /** What is counted, one and many. */
  unit: readonly [one: string, many: string];
}

/** Ten years: no law that the platform knows of asks for more. */
const LONGEST = 3650;

/** Data that a job deletes when it is old, in the order shown. The master root's owner can change how long it is kept. */
export const RETENTION = {
  visits: {
    title: 'Visits',
    what: 'Page views from the pixel: address, time, browser, IP address, visitor ID, and hash of an email address.',
    days: 400,
    min: 31,
    max: LONGEST,
    why: 'Scores, minimum page views, and campaign statistics look back 30 days. Retargeting audiences look back 90.',
    unit: ['day of visits', 'days of visits'],
  },
  leads: {
    title: 'Contents of leads',
    what: 'Names, email addresses, phone numbers, data fields, and evidence. The lead itself and its price stay.',
    days: null,
    min: 365,
    max: LONGEST,
    why: 'Clients paid for their leads and can return them, so they have at least a year to use them.',
    unit: ['lead', 'leads'],
  },
  user_log: {
    title: 'Details in the user log',
    what: 'Names, IP addresses, locations, and descriptions. The entries stay in their sealed chain, which still verifies.',
    days: null,
    min: 731,
    max: LONGEST,
    why: 'The log shows who decided privacy requests, and records of those are kept for 24 months.',
    unit: ['log entry', 'log entries'],
  },
  deliveries: {
    title: 'Requests and responses of deliveries',
    what: 'What was sent to webhooks and CRMs, without personal values, and what they answered. The attempts stay.',
    days: 30,
    min: 7,
    max: 90,
    why: 'A failed delivery is retried for three days, and someone must be able to see why it failed.',
    unit: ['request', 'requests'],
  },
  developer: {
    title: 'Developer logs',
    what: 'Requests with API keys, and messages to webhook endpoints with their attempts.',
    days: 30,
    min: 7,
    max: 90,
    why: 'Messages are retried for up to three days, and can be resent while they are here.',
    unit: ['entry', 'entries'],
  },
  emails: {
    title: 'Emails',
    what: 'Emails that the platform sent, with their recipients and subjects. Texts only while no mail server is set up.',
    days: 30,
    min: 7,
    max: 365,
    why: 'A week is enough to see whether an email was sent. Emails that wait are not deleted.',
    unit: ['email', 'emails'],
  },
  alerts: {
    title: 'Alert messages',
    what: 'What alerts sent, about whom, and when each person was last reported.',
    days: 30,
    min: 30,
    max: 90,
    why: 'An alert can wait up to 30 days before it reports the same person again.',
    unit: ['record', 'records'],
  },
  customer_visits: {
    title: 'Visits of known customers',
    what: 'Pages that people on a client’s list of customers viewed.',
    days: 30,
    min: 7,
    max: 90,
    why: 'They are shown to salespeople, for whom older visits have no use.',
    unit: ['visit', 'visits'],
  },
  ad_impressions: {
    title: 'Ad impressions',
    what: 'Single impressions with their viewer, site, and place. Their totals by hour stay.',
    days: 100,
    min: 35,
    max: 400,
    why: 'Leads are attributed to ads that were shown up to 30 days before.',
    unit: ['impression', 'impressions'],
  },
  privacy_requests: {
    title: 'Privacy requests',
    what: 'Names, addresses, and texts of decided requests, with their certificates. The dates and outcomes stay.',
    days: 731,
    min: 731,
    max: LONGEST,
    why: 'California requires records of requests for at least 24 months (Cal. Code Regs. tit. 11, § 7101).',
    unit: ['request', 'requests'],
  },
} as const satisfies Record<string, RetentionRule>;

export const RetentionKind = z.enum(Object.keys(RETENTION) as [keyof typeof RETENTION]);
export type RetentionKind = keyof typeof RETENTION;

/** Data whose period no one can change, and why. */
export const FIXED_RETENTION: readonly { title: string; kept: string; why: string }[] = [
  {
    title: 'Ledger, invoices, and receipts',
    kept: 'Never deleted',
    why: 'Books must stay complete. They hold IDs and amounts, no one’s contact details.',
  },
  {
    title: 'Entries of the user log',
    kept: 'Never deleted',
    why: 'They are one chain of hashes, which a missing entry would break. They hold IDs and a hash of the details.',
  },
  {
    title: 'Opt-outs and exclusion lists',
    kept: 'Until their owner removes them',
    why: 'They are what keeps someone from being sold. Opt-outs and deletions by privacy request stay for good.',
  },
  {
    title: 'People graph',
    kept: 'Until someone asks for deletion',
    why: 'It is the data that leads are made of. Privacy requests and California’s lists delete from it.',
  },
  {
    title: 'Intent signals',
    kept: '35 days',
    why: 'Campaigns look back 30 days at most.',
  },
  {
    title: 'Held sign-ups, and hosts of refused visits',
    kept: '30 days',
    why: 'An agency has that long to release them.',
  },
  {
    title: 'Archives of imports',
    kept: '7 days',
    why: 'An import that failed can be tried again with them.',
  },
  {
    title: 'Full exports',
    kept: '72 hours',
    why: 'They contain everything of a company, so they are downloaded soon.',
  },
  {
    title: 'Sign-in codes, links, and unconfirmed changes',
    kept: '7 days',
    why: 'They work for minutes or hours. Their traces help with questions for a week.',
  },
  {
    title: 'Privacy requests without a confirmed address',
    kept: '1 day',
    why: 'No one has proven that they made them.',
  },
];

/** How long a kind of data is kept, and what its cleanup does. */
export const RetentionRow = z.object({
  kind: RetentionKind,
  title: z.string(),
  days: z.int().nullable().describe('null: kept for as long as the account of the company exists'),
  default_days: z.int().nullable(),
  is_changed: z.boolean().describe('Whether someone chose days that are not the default'),
  due: z.int().describe('How much the next run deletes, counted up to due_limit'),
  is_due_more: z.boolean().describe('Whether it is even more'),
  started_at: Instant.nullable().describe('When it last ran'),
  finished_at: Instant.nullable().describe(
    'null while it runs, or if it was cut off: the next run goes on with it',
  ),
  removed: z.int().describe('What the last run deleted so far'),
});

const tags = ['Data retention'];
const Days = z.int().nullable().describe('null: the default');

/** How long data is kept. It applies to the whole platform, so only its master root's owner changes it. */
export const retention = {
  list: call
    .route({
      method: 'GET',
      path: '/retention',
      tags,
      summary: 'Lists the kinds of data that are deleted when they are old (master root only)',
    })
    .meta({ access: 'retention.write' })
    .input(PageQuery)
    .output(Page(RetentionRow)),
  preview: call
    .route({
      method: 'GET',
      path: '/retention/{kind}/preview',
      tags,
      summary: 'Counts what would be deleted if a kind of data was kept for so many days (master root only)',
    })
    .meta({ access: 'retention.write' })
    .input(z.object({ kind: RetentionKind, days: z.coerce.number().int().min(1).max(LONGEST) }))
    .output(RetentionRow.pick({ due: true, is_due_more: true })),
  change: call
    .route({
      method: 'POST',
      path: '/retention/{kind}',
      tags,
      summary: 'Changes how long a kind of data is kept, from the next run on (master root only)',
    })
    .meta({ access: 'retention.write', notInView: true, fresh: true })
    .input(z.object({ kind: RetentionKind, days: Days }))
    .output(Done),
  horizons: call
    .route({
      method: 'GET',
      path: '/privacy-policy/retention',
      tags,
      summary: 'How long each kind of data is kept, for the privacy policy',
    })
    .meta({ access: 'public' })
    .output(
      z.object({
        data: z.array(RetentionRow.pick({ kind: true, title: true, days: true })),
      }),
    ),
};
