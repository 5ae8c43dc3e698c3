import { z } from 'zod';
import { call } from '../base.ts';
import { PAYMENT_TERMS } from '../choices.ts';
import { Day, Done, Flag, GivenDay, Id, Instant, Line, Micros, Page, PageQuery } from '../primitives.ts';
import type { Inside } from '../wire.ts';

export const INVOICE_SIDES = ['retail', 'wholesale'] as const;
export const INVOICE_STATUSES = ['open', 'paid', 'uncollectible', 'void'] as const;
export const INVOICE_KINDS = [
  'period',
  'to_date',
  'receipt',
  'onboarding',
  'developer',
  'minimum_spend',
  'subscription',
] as const;
export const INVOICE_LINE_KINDS = [
  'leads',
  'returns',
  'platform_fee',
  'monthly_fee',
  'onboarding',
  'developer_fee',
  'minimum_spend',
  'coupon',
  'top_up',
  'wholesale_unpaid',
  'adjustment',
  'rounding',
] as const;

/** An invoice in a list. */
export const InvoiceRow = z.object({
  id: Id,
  number: z.string(),
  side: z.enum(INVOICE_SIDES).describe('retail: agency to client; wholesale: root to agency'),
  kind: z.enum(INVOICE_KINDS),
  term: z.enum(PAYMENT_TERMS).nullable(),
  company_id: Id.describe('The payer'),
  company_name: z.string(),
  issuer_name: z.string(),
  period_from: Instant.nullable(),
  period_to: Instant.nullable(),
  time_zone: z.string().optional().describe('The time zone of its dates'),
  tax_name: z.string().describe('Empty if no tax'),
  tax_micros: Micros.describe('The tax included in the total'),
  total_micros: Micros,
  due_micros: Micros.describe('Amount due'),
  status: z.enum(INVOICE_STATUSES),
  is_failing: z.boolean().describe('Open, with a declined charge'),
  finalised_at: Instant,
  due_at: Instant,
  paid_at: Instant.nullable().describe('When the final payment arrived. null if not paid'),
  next_attempt_at: Instant.nullable().describe('When the next automatic charge is due. null if none'),
});

export const InvoiceLine = z.object({
  line: z.int(),
  kind: z.enum(INVOICE_LINE_KINDS),
  description: z.string(),
  campaign_id: Id.nullable(),
  campaignName: z.string().nullable(),
  quantity: z.int(),
  unit_micros: Micros,
  amount_micros: Micros,
  event_count: z.int().describe('Number of events in this line'),
});

const Party = z.object({
  name: z.string(),
  address: z.array(z.string()).describe('Address lines, as on a letter'),
  email: z.string(),
  phone: z.string(),
});

export const CreditNote = z.object({
  id: Id,
  number: z.string(),
  amount_micros: Micros,
  reason: z.string(),
  created_at: Instant,
});

const Attempt = z.object({
  id: Id,
  at: Instant,
  amount_micros: Micros,
  state: z.enum(['under_way', 'succeeded', 'declined', 'refunded', 'disputed']),
  card: z.string().describe("For example, 'visa 4242'"),
  message: z.string().describe('Why it was declined. Empty otherwise'),
});

/** An invoice as its page and its PDF show it. */
export const Invoice = InvoiceRow.extend({
  time_zone: z.string().describe('The time zone of its dates'),
  issuer: Party,
  payer: Party,
  lines: z.array(InvoiceLine),
  subtotal_micros: Micros,
  paid_micros: Micros,
  credited_micros: Micros,
  fee_micros: Micros.nullable().describe('The part that goes to the platform. Never shown to clients'),
  credit_notes: z.array(CreditNote),
  attempts: z.array(Attempt).describe('Newest first'),
  next_attempt_at: Instant.nullable(),
  needs_authentication: z.boolean().describe('Whether the payer can complete the last charge in the browser'),
  may: z.array(z.enum(['pay', 'credit', 'write_off'])).describe('The actions available to you'),
});
export type InvoiceData = Inside<z.output<typeof Invoice>>;

const InvoiceEvent = z.object({
  id: Id.describe('The transfer ID'),
  leadId: Id.nullable(),
  created_at: Instant,
  kind: z.string(),
  name: z.string().nullable().describe('The person of a lead, unless erased'),
  amount_micros: Micros,
});

export const InvoiceFilter = PageQuery.extend({
  companyID: Id.optional().describe('Only invoices paid by this company'),
  leadspeekID: Id.optional().describe('Only invoices with a line for this campaign'),
  side: z.enum(INVOICE_SIDES).optional(),
  status: z.enum([...INVOICE_STATUSES, 'failing']).optional(),
  startDate: GivenDay.optional(),
  endDate: GivenDay.optional(),
});

/** A page of invoices, with the totals of all matching ones. */
export const InvoicePage = Page(InvoiceRow).extend({
  sides: z.array(z.enum(INVOICE_SIDES)).describe('The sides available to you'),
  total_micros: Micros.describe('Total of all matches'),
  due_micros: Micros,
});

const tags = ['Invoices'];
const path = '/billing/invoices';

export const invoices = {
  list: call
    .route({
      method: 'GET',
      path,
      tags,
      summary: 'Lists the invoices that your company pays or issues, newest first',
      description:
        'searchQuery: an invoice number, or part of the payer’s name. sortby: number, total, finalised_at.',
    })
    .meta({ access: 'invoice.read' })
    .input(InvoiceFilter)
    .output(InvoicePage),
  upcoming: call
    .route({
      method: 'GET',
      path: '/billing/upcoming',
      tags,
      summary: 'Returns amounts that are not invoiced yet, as they will appear on the next invoices',
    })
    .meta({ access: 'invoice.read' })
    .input(z.object({ companyID: Id.optional().describe('The payer. Defaults to your company') }))
    .output(
      z.object({
        data: z.array(
          z.object({
            side: z.enum(INVOICE_SIDES),
            term: z.enum(['Weekly', 'Monthly']),
            period_from: Instant.nullable(),
            period_to: Instant.describe('When it will be issued'),
            lines: z.array(InvoiceLine.omit({ line: true })),
            tax_name: z.string().describe('Empty if none, or not known until it is issued'),
            tax_micros: Micros.nullable().describe(
              'The tax as of now. null if Stripe Tax calculates it when the invoice is issued',
            ),
            total_micros: Micros.describe('Including known tax'),
          }),
        ),
      }),
    ),
  waiting: call
    .route({
      method: 'GET',
      path: '/billing/waiting',
      tags,
      summary: 'Lists the companies to which your company could not issue an invoice yet, and why',
    })
    .meta({ access: 'invoice.read' })
    .output(
      z.object({
        data: z
          .array(
            z.object({
              companyID: Id.describe('The payer'),
              company_name: z.string(),
              reason: z.string(),
              since: Instant.describe('When it could not be issued first'),
              tried_at: Instant.describe('The last attempt. They are made every hour'),
            }),
          )
          .describe('Longest first; up to 20'),
        total: z.int(),
      }),
    ),
  one: call
    .route({ method: 'GET', path: `${path}/{id}`, tags, summary: 'Returns an invoice' })
    .meta({ access: 'invoice.read' })
    .input(z.object({ id: Id }))
    .output(Invoice),
  events: call
    .route({
      method: 'GET',
      path: `${path}/{id}/lines/{line}/events`,
      tags,
      summary: 'Lists the events in a line, newest first',
    })
    .meta({ access: 'invoice.read' })
    .input(
      z.object({
        id: Id,
        line: z.coerce.number().int().min(1).max(100_000),
        cursor: z.string().max(100).optional(),
        PerPage: z.coerce.number().int().min(1).max(100).default(25),
      }),
    )
    .output(z.object({ data: z.array(InvoiceEvent), next_cursor: z.string().nullable() })),
  credit: call
    .route({
      method: 'POST',
      path: `${path}/{id}/credit`,
      tags,
      summary: 'Corrects an invoice with a credit note',
    })
    .meta({ access: 'invoice.write', notInView: true, fresh: true })
    .input(
      z.object({
        id: Id,
        amount: z.string().regex(/^\d{1,9}(\.\d{1,2})?$/, 'must be an amount in US dollars such as 2.50'),
        reason: Line,
        idempotencyKey: z.string().trim().min(1).max(100),
      }),
    )
    .output(Done.extend({ data: Invoice })),
  writeOff: call
    .route({
      method: 'POST',
      path: `${path}/{id}/write-off`,
      tags,
      summary: 'Writes off an amount that no one will pay anymore',
    })
    .meta({ access: 'invoice.write', notInView: true, fresh: true })
    .input(z.object({ id: Id, reason: Line }))
    .output(Done.extend({ data: Invoice })),
};

/** The outcome of a charge that a user is waiting for. */
export const Paid = z.object({
  result: z.enum(['success', 'failed', 'authenticate', 'unknown']),
  message: z.string(),
  client_secret: z.string().describe("With 'authenticate': what the provider's form in the browser needs"),
  publishable_key: z.string(),
  stripe_account: z.string(),
  paymentgateway: z.enum(['stripe', 'sandbox']),
  charge_id: Id.optional().describe("With 'authenticate': the charge to check afterward"),
});

/** Money that is due: charging it, and what follows when it cannot be charged. @public */
export const dunning = {
  pay: call
    .route({
      method: 'POST',
      path: `${path}/{id}/pay`,
      tags,
      summary: 'Pays an open invoice with the card on file',
    })
    .meta({ access: 'invoice.pay', notInView: true, fresh: true })
    .input(z.object({ id: Id, idempotencyKey: z.string().trim().min(1).max(100) }))
    .output(Paid),
  settle: call
    .route({
      method: 'POST',
      path: '/general/manual-bill-settlement',
      tags,
      summary:
        "Charges the amount due for a user's company and clears its failed payment (manualBillSettlement)",
    })
    .meta({ access: 'setting.write', notInView: true, fresh: true })
    .input(z.object({ userID: Id }))
    .output(
      z.object({
        data: z.object({ result: z.enum(['success', 'failed']), message: z.string() }),
      }),
    ),
  manualBill: call
    .route({
      method: 'PUT',
      path: '/payment/set-billing-method',
      tags,
      summary:
        "Turns wholesale billing on or off. If on, an agency's campaigns are billed to its card, and it bills its clients outside the system",
      description:
        'T: amounts that clients owe so far are invoiced to them in the background, and nothing more. F: all campaigns stop, and the agency is charged what it owes to date.',
    })
    .meta({ access: 'setting.write', notInView: true, fresh: true })
    .input(z.object({ companyID: Id, manualBill: Flag }))
    .output(Done.extend({ manual_bill: Flag })),
  cancel: call
    .route({
      method: 'PUT',
      path: '/configuration/cancel-subscription',
      tags,
      summary: "Ends an agency's subscription. Its campaigns stop, and the amount due so far is charged",
      description:
        'Campaigns stop at once. Invoices to the clients and to the agency for what they owe so far are issued and charged in the background.',
    })
    .meta({ access: 'subscription.write', notInView: true, fresh: true })
    .input(z.object({ companyID: Id }))
    .output(Done),
  packages: call
    .route({ method: 'GET', path: '/configuration/package', tags, summary: "Lists the root's packages" })
    .meta({ access: 'setting.read' })
    .output(
      z.object({
        data: z.array(
          z.object({
            package_id: z.string(),
            name: z.string(),
            monthly_micros: Micros,
            fee_now_micros: Micros.describe(
              'What choosing it now adds for the current month. Only above 0 if your agency had a package last month that it dropped before this month began',
            ),
            description: z.string(),
          }),
        ),
        package_id: z.string().describe("Your agency's package. Empty if none"),
        package_since: Instant.nullable().describe('When it was chosen. null if not known or none'),
        cancelled_at: Instant.nullable().describe(
          "When your agency's subscription ended. null if it did not",
        ),
        fee_from: Day.describe("The first month charged for a package chosen now, in the root's time zone"),
      }),
    ),
  setPackage: call
    .route({
      method: 'PUT',
      path: '/configuration/setting/package',
      tags,
      summary: "Sets an agency's package. Its fee is charged monthly from now on",
    })
    .meta({ access: 'subscription.write', notInView: true, fresh: true })
    .input(z.object({ companyID: Id, packageID: z.string().trim().min(1).max(40) }))
    .output(Done),
};
