import { z } from 'zod';
import { call } from './base.ts';
import { LEAD_MODULES } from './choices.ts';
import { Day, Dollars, Done, GivenDay, given, Id, Instant, Micros } from './primitives.ts';

/** What happened, for each transfer of the ledger (docs/money.md says which entries each has). */
export const TRANSFER_KINDS = [
  'lead',
  'lead_return',
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
  companyID: Id.optional().describe('Whose statement; default the own company'),
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
    .describe('The id of a line, or of the lead, campaign or invoice that it is about'),
});

export const StatementMonth = z.object({
  companyID: Id.optional().describe('Whose statement; default the own company'),
  month: z
    .string()
    .regex(/^(19|20)\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-10')
    .describe('A calendar month in the time zone of the company'),
});

const Cost = Micros.nullable().describe('Null: nothing of the kind, or not for the eyes of who asks');

export const StatementLine = z.object({
  id: Id,
  created_at: Instant,
  kind: z.enum(TRANSFER_KINDS),
  reference_id: Id.nullable(),
  memo: z.string().nullable(),
  leadspeekID: Id.nullable(),
  leadspeek_api_id: z.int().nullable(),
  campaignName: z.string().nullable(),
  company_name: z.string().describe('Whom it is about'),
  amount_micros: Micros.describe('Change of the balance'),
  balance_micros: Micros.describe('The balance after it'),
  price_micros: Cost.describe('What the client was charged'),
  cost_micros: Cost.describe('What the agency was charged; never shown to clients'),
  supplier_micros: Cost.describe('What it cost the root; shown to the root only'),
  margin_micros: Cost.describe("What remains with the reader's own company; never shown to clients"),
});

/** What margins are summed by. */
export const MARGIN_GROUPS = ['month', 'client', 'campaign', 'product', 'agency'] as const;
export type MarginGroup = (typeof MARGIN_GROUPS)[number];

const MarginFilter = z.object({
  companyID: Id.optional().describe('Only those of an agency or client'),
  leadspeekID: Id.optional().describe('Only those of a campaign'),
  module: z.enum(LEAD_MODULES).optional().describe('Only those of a product'),
  startDate: GivenDay.optional().describe(
    'First day, in the time zone of the own company; default the first of the month eleven months ago',
  ),
  endDate: GivenDay.optional().describe('Last day; default today, at most 400 days after the first'),
});

const MarginSums = z.object({
  leads: z.int().describe('Sold, less those that were refunded'),
  price_micros: Micros.describe('What clients were charged'),
  cost_micros: Micros.describe('What agencies were charged'),
  supplier_micros: Micros.nullable().describe('What suppliers charged; shown to the root only'),
  margin_micros: Micros.describe('What remained with the own company'),
});

const Event = z.object({
  id: Id,
  leadId: Id.nullable(),
  created_at: Instant,
  kind: z.enum(TRANSFER_KINDS),
  name: z.string().nullable().describe('The person of a lead, while it is not erased'),
  campaignName: z.string().nullable(),
  price_micros: Cost,
});

export const ledger = {
  statement: call
    .route({
      method: 'GET',
      path: '/ledger/statement',
      tags: ['Ledger'],
      summary: 'The statement of a company, newest first',
      description:
        'Paged by cursor: ask again with `next_cursor`. Balances are exact at each line, whatever the filter.',
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
        views: z.array(z.enum(STATEMENT_VIEWS)).describe('Those that this company has'),
        opening_micros: Micros.nullable().describe(
          'Balance before the first day asked for; null without one, and with a cursor',
        ),
        balance_micros: Micros.nullable().describe(
          'Balance at the end of the last day, or now; null with a cursor',
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
      summary: 'The balance at the end of each day',
    })
    .meta({ access: 'statement.read' })
    .input(
      z.object({
        companyID: Id.optional(),
        view: z.enum(STATEMENT_VIEWS).default('balance'),
        startDate: GivenDay.optional().describe('Default 29 days before the last'),
        endDate: GivenDay.optional().describe('Default today; at most 400 days after the first'),
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
      summary: 'Margins by month, client, campaign, product or agency, with totals',
      description:
        'Sums leads, refunded leads and the fees of campaigns. Fees of the agency itself are on its statement.',
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
            key: z.string().describe('The month (YYYY-MM), the product, or the id of what it is summed by'),
            name: z.string(),
            company_name: z.string().nullable().describe('Whose campaign it is'),
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
      summary: 'The lines that a margin is the sum of, newest first',
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
      summary: 'One line: its entries, and the events under it',
    })
    .meta({ access: 'statement.read' })
    .input(z.object({ id: Id }))
    .output(
      StatementLine.omit({ amount_micros: true, balance_micros: true }).extend({
        entries: z.array(z.object({ account: z.string(), company_name: z.string(), amount_micros: Micros })),
        events: z.array(Event).describe('The newest 100 at most'),
        event_count: z.int(),
      }),
    ),
};

export const CAP_SUBJECTS = ['wallet', 'client', 'campaign'] as const;
export const CAP_PERIODS = ['day', 'month'] as const;

const Limit = z
  .union([z.literal('').transform(() => null), z.null(), given(Dollars)])
  .describe('US dollars; empty: no limit');

export const Cap = z.object({
  subject: z.enum(CAP_SUBJECTS),
  subjectID: Id.describe('The agency, client or campaign'),
  name: z.string(),
  period: z.enum(CAP_PERIODS),
  set_by: z.enum(['agency', 'client']),
  hard: Dollars.nullable().describe('Nothing that would pass it is accepted'),
  soft: Dollars.nullable().describe('Passing it is told by mail, once a day'),
  spent: Dollars.describe('In the present day or month'),
});

export const caps = {
  list: call
    .route({ method: 'GET', path: '/ledger/caps', tags: ['Ledger'], summary: 'Limits on spending' })
    .meta({ access: 'cap.read' })
    .input(z.object({ companyID: Id.optional().describe('Only those of an agency or client') }))
    .output(z.object({ data: z.array(Cap) })),
  set: call
    .route({
      method: 'PUT',
      path: '/ledger/caps',
      tags: ['Ledger'],
      summary: 'Set or lift a limit',
      description:
        'An agency limits its wallet, its clients and their campaigns; a client itself and its campaigns. Both may limit the same: the lower holds.',
    })
    .meta({ access: 'cap.write' })
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
