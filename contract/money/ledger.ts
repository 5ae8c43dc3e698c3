import { z } from 'zod';
import { call } from '../base.ts';
import { LEAD_MODULES } from '../choices.ts';
import { Day, Dollars, Done, GivenDay, given, Id, Instant, Micros } from '../primitives.ts';

/** What happened, for each ledger transfer (docs/money.md lists the entries of each). */
export const TRANSFER_KINDS = [
  'lead',
  'lead_return',
  'ad_spend',
  'top_up',
  'prepaid_top_up',
  'prepaid_refund',
  'prepaid_move',
  'wallet_top_up',
  'wallet_grant',
  'wallet_charge',
  'wallet_expiry',
  'wallet_refund',
  'client_grant',
  'invoice',
  'credit_note',
  'payment',
  'refund',
  'dispute',
  'dispute_reversal',
  'platform_fee',
  'monthly_fee',
  'minimum_spend',
  'onboarding',
  'developer_fee',
  'coupon',
  'supplier_cost',
  'provider_fee',
  'write_off',
  'adjustment',
] as const;
export type TransferKind = (typeof TRANSFER_KINDS)[number];

/**
 * Which of a company's accounts a statement is about. Client: `balance` (prepaid, less what is owed). Agency: `balance`
 * (Data Wallet, less what is owed to the platform), `wallet`, `earnings` (what clients were charged), `card` (money that
 * came in, above zero), `tax` (charged and to be passed on). Root:
 * `balance` (revenue less costs), `card`, `tax`.
 */
export const STATEMENT_VIEWS = ['balance', 'wallet', 'earnings', 'card', 'tax'] as const;
export type StatementView = (typeof STATEMENT_VIEWS)[number];

export const StatementFilter = z.object({
  companyID: Id.optional().describe('The company of the statement. Defaults to your company'),
  view: z.enum(STATEMENT_VIEWS).default('balance'),
  startDate: GivenDay.optional().describe('First day, in the time zone of the company'),
  endDate: GivenDay.optional().describe('Last day'),
  kind: z.enum(TRANSFER_KINDS).optional(),
  leadspeekID: Id.optional(),
  clientID: Id.optional(),
  searchQuery: z
    .string()
    .trim()
    .max(255)
    .optional()
    .describe('The ID of a line, or of its lead, campaign, or invoice'),
});

export const StatementMonth = z.object({
  companyID: Id.optional().describe('The company of the statement. Defaults to your company'),
  month: z
    .string()
    .regex(/^(19|20)\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-10')
    .describe('A calendar month in the time zone of the company'),
});

const Cost = Micros.nullable().describe('null if not applicable or not visible to you');

export const StatementLine = z.object({
  id: Id,
  created_at: Instant,
  kind: z.enum(TRANSFER_KINDS),
  reference_id: Id.nullable(),
  memo: z.string().nullable(),
  leadspeekID: Id.nullable(),
  leadspeek_api_id: z.int().nullable(),
  campaignName: z.string().nullable(),
  company_name: z.string().describe('The company it concerns'),
  amount_micros: Micros.describe('Change in balance'),
  balance_micros: Micros.describe('Balance after the change'),
  price_micros: Cost.describe('Amount charged to the client'),
  cost_micros: Cost.describe('Amount charged to the agency. Never shown to clients'),
  supplier_micros: Cost.describe('Supplier cost. Shown only to the root'),
  margin_micros: Cost.describe('What your company keeps. Never shown to clients'),
});

/** At which payment terms sales are made. */
export const SALE_TERMS = ['Weekly', 'Monthly', 'One Time', 'Prepaid'] as const;

/** What margins are grouped by. */
export const MARGIN_GROUPS = ['month', 'client', 'campaign', 'product', 'agency'] as const;
export type MarginGroup = (typeof MARGIN_GROUPS)[number];

const MarginFilter = z.object({
  companyID: Id.optional().describe('Only lines of an agency or client'),
  leadspeekID: Id.optional().describe('Only lines of a campaign'),
  module: z.enum(LEAD_MODULES).optional().describe('Only lines of a product'),
  term: z.enum(SALE_TERMS).optional().describe('Only lines sold at a payment term'),
  startDate: GivenDay.optional().describe(
    'First day, in the time zone of your company. Defaults to the first of the month 11 months ago',
  ),
  endDate: GivenDay.optional().describe('Last day. Defaults to today, up to 1,100 days after the first day'),
});

const MarginSums = z.object({
  leads: z.int().describe('Leads sold, minus refunded leads'),
  price_micros: Micros.describe('Amount charged to clients'),
  cost_micros: Micros.describe('Amount charged to agencies'),
  supplier_micros: Micros.nullable().describe('Supplier costs. Shown only to the root'),
  margin_micros: Micros.describe('What your company kept'),
});

const Event = z.object({
  id: Id,
  leadId: Id.nullable(),
  created_at: Instant,
  kind: z.enum(TRANSFER_KINDS),
  name: z.string().nullable().describe('The person of a lead, unless erased'),
  campaignName: z.string().nullable(),
  price_micros: Cost,
});

export const ledger = {
  statement: call
    .route({
      method: 'GET',
      path: '/ledger/statement',
      tags: ['Ledger'],
      summary: 'Returns the statement of a company, newest first',
      description:
        'Paginated by cursor. Request the next page with `next_cursor`. Balances are exact on every line, regardless of the filter.',
    })
    .meta({ access: 'statement.read' })
    .input(
      StatementFilter.extend({
        cursor: z.string().max(100).optional(),
        PerPage: z.coerce.number().int().min(1).max(100).default(25),
      }),
    )
    .output(
      z.object({
        company_id: Id,
        company_name: z.string(),
        company_kind: z.enum(['root', 'agency', 'client']),
        time_zone: z.string(),
        view: z.enum(STATEMENT_VIEWS),
        views: z.array(z.enum(STATEMENT_VIEWS)).describe('The views available for this company'),
        opening_micros: Micros.nullable().describe(
          'Balance before the first requested day. null if no first day is given, or with a cursor',
        ),
        balance_micros: Micros.nullable().describe(
          'Balance at the end of the last day, or now. null with a cursor',
        ),
        data: z.array(StatementLine),
        next_cursor: z.string().nullable(),
      }),
    ),
  series: call
    .route({
      method: 'GET',
      path: '/ledger/statement/balances',
      tags: ['Ledger'],
      summary: 'Returns the balance at the end of each day',
    })
    .meta({ access: 'statement.read' })
    .input(
      z.object({
        companyID: Id.optional(),
        view: z.enum(STATEMENT_VIEWS).default('balance'),
        startDate: GivenDay.optional().describe('Defaults to 29 days before the last day'),
        endDate: GivenDay.optional().describe('Defaults to today. Up to 400 days after the first day'),
      }),
    )
    .output(
      z.object({
        time_zone: z.string(),
        days: z.array(z.object({ day: Day, change_micros: Micros, balance_micros: Micros })),
      }),
    ),
  margins: call
    .route({
      method: 'GET',
      path: '/ledger/margins',
      tags: ['Ledger'],
      summary: 'Returns margins by month, client, campaign, product, or agency, with totals',
      description:
        'Sums leads, refunded leads, and campaign fees. Agency fees appear on the agency’s statement.',
    })
    .meta({ access: 'cost.read' })
    .input(MarginFilter.extend({ by: z.enum(MARGIN_GROUPS).default('month') }))
    .output(
      z.object({
        time_zone: z.string(),
        startDate: Day,
        endDate: Day,
        data: z.array(
          MarginSums.extend({
            key: z.string().describe('The month (YYYY-MM), the product, or the ID of the group'),
            name: z.string(),
            company_name: z.string().nullable().describe('The company that owns the campaign'),
          }),
        ),
        total: MarginSums,
      }),
    ),
  marginLines: call
    .route({
      method: 'GET',
      path: '/ledger/margins/lines',
      tags: ['Ledger'],
      summary: 'Lists the lines that make up a margin, newest first',
    })
    .meta({ access: 'cost.read' })
    .input(
      MarginFilter.extend({
        cursor: z.string().max(100).optional(),
        PerPage: z.coerce.number().int().min(1).max(100).default(25),
      }),
    )
    .output(
      z.object({
        data: z.array(StatementLine.omit({ amount_micros: true, balance_micros: true })),
        next_cursor: z.string().nullable(),
      }),
    ),
  line: call
    .route({
      method: 'GET',
      path: '/ledger/statement/{id}',
      tags: ['Ledger'],
      summary: 'Returns one line with its entries and events',
    })
    .meta({ access: 'statement.read' })
    .input(z.object({ id: Id }))
    .output(
      StatementLine.omit({ amount_micros: true, balance_micros: true }).extend({
        entries: z.array(z.object({ account: z.string(), company_name: z.string(), amount_micros: Micros })),
        events: z.array(Event).describe('The newest, up to 100'),
        event_count: z.int(),
      }),
    ),
};

export const CAP_SUBJECTS = ['wallet', 'client', 'campaign'] as const;
export const CAP_PERIODS = ['day', 'month'] as const;

const Limit = z
  .union([z.literal('').transform(() => null), z.null(), given(Dollars)])
  .describe('US dollars. Leave blank for no limit');

export const Cap = z.object({
  subject: z.enum(CAP_SUBJECTS),
  subjectID: Id.describe('The agency, client, or campaign'),
  name: z.string(),
  period: z.enum(CAP_PERIODS),
  set_by: z.enum(['agency', 'client']),
  hard: Dollars.nullable().describe('Charges above this limit are not accepted'),
  soft: Dollars.nullable().describe('Exceeding this limit triggers an email, once a day'),
  spent: Dollars.describe('For the current day or month'),
});

export const spendingLimits = {
  list: call
    .route({ method: 'GET', path: '/ledger/caps', tags: ['Ledger'], summary: 'Lists spending limits' })
    .meta({ access: 'cap.read' })
    .input(z.object({ companyID: Id.optional().describe('Only lines of an agency or client') }))
    .output(z.object({ data: z.array(Cap) })),
  set: call
    .route({
      method: 'PUT',
      path: '/ledger/caps',
      tags: ['Ledger'],
      summary: 'Sets or removes a spending limit',
      description:
        'An agency limits its wallet, its clients, and their campaigns. A client limits itself and its campaigns. If both limit the same thing, the lower limit applies. To raise or remove a hard limit, you need to have just confirmed your identity.',
    })
    .meta({ access: 'cap.write', notInView: true })
    .input(
      z.object({
        subject: z.enum(CAP_SUBJECTS),
        subjectID: Id,
        period: z.enum(CAP_PERIODS),
        hard: Limit,
        soft: Limit.default(null),
      }),
    )
    .output(Done.extend({ data: z.array(Cap) })),
};
