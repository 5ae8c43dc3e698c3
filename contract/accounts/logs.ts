import { z } from 'zod';
import { call } from '../base.ts';
import { Done, GivenDay, Id, Instant, Page, PageQuery } from '../primitives.ts';

/** The groups of actions that the log is filtered by, each with the actions' first words; 'other' is what is left. */
export const LOG_CATEGORIES = {
  security: {
    label: 'Sign-in and security',
    actions: [
      'account',
      'email',
      'factor',
      'login',
      'logout',
      'passkey',
      'password',
      'recovery',
      'register',
      'session',
      'sso',
    ],
  },
  view: { label: 'Views and view mode', actions: ['look', 'view'] },
  company: {
    label: 'Companies and users',
    actions: [
      'agreement',
      'company',
      'offboarding',
      'profile',
      'questionnaire',
      'referral',
      'role',
      'root',
      'sales',
      'setup',
      'transfer',
      'user',
    ],
  },
  setting: { label: 'Settings', actions: ['domain', 'picture', 'setting'] },
  campaign: {
    label: 'Campaigns',
    actions: [
      'audience',
      'banner',
      'campaign',
      'cap',
      'count',
      'exchange',
      'group',
      'media',
      'pixel',
      'template',
      'visits',
      'zone',
    ],
  },
  lead: { label: 'Leads, alerts, and reports', actions: ['alert', 'digest', 'lead', 'report', 'return'] },
  delivery: { label: 'Integrations and deliveries', actions: ['connection', 'integration'] },
  money: {
    label: 'Money',
    actions: [
      'billing',
      'card',
      'charge',
      'cost',
      'coupon',
      'credit',
      'invoice',
      'margin',
      'minspend',
      'onboarding',
      'payment',
      'subscription',
      'supplier_cost',
      'tax_calculator',
      'tax_profile',
      'tax_rate',
      'wallet',
    ],
  },
  data: {
    label: 'Data and exclusion lists',
    actions: ['customers', 'data', 'exclusion', 'people', 'person', 'privacy', 'signals'],
  },
  developer: { label: 'Developer API', actions: ['apikey', 'hook'] },
  export: { label: 'Downloads', actions: ['download'] },
  other: { label: 'Other', actions: [] },
} as const satisfies Record<string, { label: string; actions: readonly string[] }>;
export type LogCategory = keyof typeof LOG_CATEGORIES;
const CATEGORIES = Object.keys(LOG_CATEGORIES) as [LogCategory, ...LogCategory[]];

/** Whose actions the log is filtered by: those of a root's users, of an agency's, or of a client's. */
export const LOG_USER_TYPES = { root: 'Enterprise', admin: 'Admin', client: 'Client' } as const;
const USER_TYPES = Object.keys(LOG_USER_TYPES) as [LogUserType, ...LogUserType[]];
export type LogUserType = keyof typeof LOG_USER_TYPES;

/** What the pages report themselves, because no call shows it: the text in the log, and the kind of item. */
export const SAVED_ACTIONS = {
  'pixel.copied': { kind: 'campaign', words: 'Copied the pixel code' },
  'apikey.copied': { kind: 'apikey', words: 'Copied an API key' },
} as const;
export type SavedAction = keyof typeof SAVED_ACTIONS;

/** Rows are counted up to this many; who looks for older ones narrows the log by days. */
export const MOST_LOG_ROWS = 10_000;
/** Searches for users begin with this many characters. */
export const LEAST_USER_SEARCH = 3;
/** What stands in an address for 'not filtered'. */
const LOG_UNSET = ['9999', 'all'];

const Range = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}_\d{4}-\d{2}-\d{2}$/, 'must be two days: YYYY-MM-DD_YYYY-MM-DD')
  .transform((text) => text.split('_') as [string, string])
  .pipe(z.tuple([GivenDay, GivenDay]))
  .refine(([from, to]) => from <= to, 'must not end before it begins')
  .describe('The first and the last day, in the time zone of the company: YYYY-MM-DD_YYYY-MM-DD');

/** The filters of the log; the company defaults to one's own. */
export const LogFilter = z.object({
  companyID: Id.optional(),
  action: z.enum(CATEGORIES, 'is not a category').optional().describe('A category of actions'),
  userType: z.enum(USER_TYPES, 'must be root, admin, or client').optional(),
  userID: Id.optional().describe('Who really acted, even in view mode'),
  campaignID: Id.optional(),
  logDateRange: Range.optional(),
});

const orUnset = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (LOG_UNSET.some((unset) => unset === value) ? undefined : value), schema);
/** The same as the parts of the address of a file, where '9999' and 'all' stand for none. */
export const LogFile = z.object({
  company_id: Id,
  user_type: orUnset(LogFilter.shape.userType),
  user_id: orUnset(LogFilter.shape.userID),
  action: orUnset(LogFilter.shape.action).describe('A category of actions'),
  range: orUnset(LogFilter.shape.logDateRange),
  campaign_id: orUnset(LogFilter.shape.campaignID),
});

export const UserLogRow = z.object({
  id: Id,
  name: z.string().describe("Who did it. 'System' for automatic events, empty if no one was signed in"),
  type_user: z.string().describe("For example, 'agency.owner'. Empty if no one was signed in"),
  location: z.string().nullable(),
  user_ip: z.string().nullable(),
  action: z.string(),
  description: z.string(),
  company_name: z.string(),
  create_date: Instant,
  suspicious: z.boolean().describe('A failed attempt, or something that someone else may be responsible for'),
  seal: z
    .enum(['sealed', 'waiting', 'changed'])
    .describe(
      'Whether the row is unchanged since it was sealed, is waiting for the next seal, or was changed after it was written',
    ),
});

const tags = ['User log'];
const access = 'setting.read';

/** The user log: who did what at a company, and from where. */
export const logs = {
  list: call
    .route({
      method: 'POST',
      path: '/configuration/user/log-user',
      tags,
      summary:
        'Lists actions and attempts at a company, including failed sign-ins, newest first. The log of an agency includes those of its clients',
      description: `The total is counted up to ${MOST_LOG_ROWS}.`,
    })
    .meta({ access })
    .input(LogFilter.extend({ page: PageQuery.shape.Page, PerPage: PageQuery.shape.PerPage }))
    .output(Page(UserLogRow)),
  categories: call
    .route({
      method: 'POST',
      path: '/configuration/user/log-category',
      tags,
      summary: 'Lists the categories of actions',
    })
    .meta({ access })
    .output(z.object({ data: z.array(z.object({ id: z.enum(CATEGORIES), name: z.string() })) })),
  users: call
    .route({
      method: 'POST',
      path: '/configuration/user/show-user',
      tags,
      summary:
        'Lists users of a company, and of its clients or agencies, whose name or email begins with a text',
    })
    .meta({ access })
    .input(
      LogFilter.pick({ companyID: true, userType: true }).extend({
        searchUser: z
          .string()
          .trim()
          .min(LEAST_USER_SEARCH, `must have at least ${LEAST_USER_SEARCH} characters`)
          .max(100, 'must not exceed 100 characters'),
      }),
    )
    .output(
      z.object({
        data: z.array(
          z.object({ id: Id, name: z.string(), company_name: z.string(), type_user_tx: z.string() }),
        ),
      }),
    ),
  campaigns: call
    .route({
      method: 'POST',
      path: '/configuration/user/show-campaigns',
      tags,
      summary: 'Lists the campaigns of a client, or of the clients of an agency, by name',
    })
    .meta({ access })
    .input(LogFilter.pick({ companyID: true }).extend({ searchQuery: z.string().trim().max(100).optional() }))
    .output(z.object({ campaigns: z.array(z.object({ id: Id, name: z.string(), number: z.int() })) })),
  save: call
    .route({
      method: 'POST',
      path: '/general/user-log-saved',
      tags,
      summary:
        'Adds an action that only the page sees to the user log. In view mode, it names the user who really acted',
    })
    .meta({ access: 'session.own' })
    .input(
      z.object({
        action: z.enum(
          Object.keys(SAVED_ACTIONS) as [SavedAction, ...SavedAction[]],
          'is not an action of a page',
        ),
        id: Id.describe('What was copied'),
      }),
    )
    .output(Done),
};
