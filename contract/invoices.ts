import { z } from 'zod';
import { call } from './base.ts';
import { PAYMENT_TERMS } from './choices.ts';
import { Day, Done, Flag, GivenDay, Id, Instant, Line, Micros, Page, PageQuery } from './primitives.ts';

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
  company_id: Id.describe('Who pays'),
  company_name: z.string(),
  issuer_name: z.string(),
  period_from: Instant.nullable(),
  period_to: Instant.nullable(),
  time_zone: z.string().optional().describe('In which its days are meant'),
  tax_name: z.string().describe('Empty: no tax'),
  tax_micros: Micros.describe('The part of the total that is tax'),
  total_micros: Micros,
  due_micros: Micros.describe('What is still to be paid'),
  status: z.enum(INVOICE_STATUSES),
  is_failing: z.boolean().describe('Open, and a charge for it was declined'),
  finalised_at: Instant,
  due_at: Instant,
  paid_at: Instant.nullable().describe(
    'When the payment that completed it came in; null while it is not paid',
  ),
  next_attempt_at: Instant.nullable().describe('When it is charged again by itself; null: it is not'),
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
  event_count: z.int().describe('Events under it'),
});

const Party = z.object({
  name: z.string(),
  address: z.array(z.string()).describe('Lines as they are written on a letter'),
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
  card: z.string().describe("Such as 'visa 4242'"),
  message: z.string().describe('Why it was declined; empty otherwise'),
});

/** An invoice as its page and its PDF show it. */
export const Invoice = InvoiceRow.extend({
  time_zone: z.string().describe('In which its days are meant'),
  issuer: Party,
  payer: Party,
  lines: z.array(InvoiceLine),
  subtotal_micros: Micros,
  paid_micros: Micros,
  credited_micros: Micros,
  fee_micros: Micros.nullable().describe('What of it goes on to the platform; never shown to clients'),
  credit_notes: z.array(CreditNote),
  attempts: z.array(Attempt).describe('Newest first'),
  next_attempt_at: Instant.nullable(),
  needs_authentication: z.boolean().describe('Its payer can complete the last charge in the browser'),
  may: z.array(z.enum(['pay', 'credit', 'write_off'])).describe('What the reader can do'),
});
export type InvoiceData = z.output<typeof Invoice>;

const InvoiceEvent = z.object({
  id: Id.describe('Of the transfer'),
  leadId: Id.nullable(),
  created_at: Instant,
  kind: z.string(),
  name: z.string().nullable().describe('The person of a lead, while it is not erased'),
  amount_micros: Micros,
});

export const InvoiceFilter = PageQuery.extend({
  companyID: Id.optional().describe('Only those that this company pays'),
  leadspeekID: Id.optional().describe('Only those with a line of this campaign'),
  side: z.enum(INVOICE_SIDES).optional(),
  status: z.enum([...INVOICE_STATUSES, 'failing']).optional(),
  startDate: GivenDay.optional(),
  endDate: GivenDay.optional(),
});

/** A page of invoices, with what all that match come to. */
export const InvoicePage = Page(InvoiceRow).extend({
  sides: z.array(z.enum(INVOICE_SIDES)).describe('Those that the reader has'),
  total_micros: Micros.describe('Of all that match'),
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
      summary: 'Invoices that the own company pays or issues, newest first',
      description:
        'searchQuery: a number, or part of the name of who pays. sortby: number, total, finalised_at.',
    })
    .meta({ access: 'invoice.read' })
    .input(InvoiceFilter)
    .output(InvoicePage),
  upcoming: call
    .route({
      method: 'GET',
      path: '/billing/upcoming',
      tags,
      summary: 'What is on no invoice yet, as the next ones would say it',
    })
    .meta({ access: 'invoice.read' })
    .input(z.object({ companyID: Id.optional().describe('Who pays; default the own company') }))
    .output(
      z.object({
        data: z.array(
          z.object({
            side: z.enum(INVOICE_SIDES),
            term: z.enum(['Weekly', 'Monthly']),
            period_from: Instant.nullable(),
            period_to: Instant.describe('When it will be issued'),
            lines: z.array(InvoiceLine.omit({ line: true })),
            tax_name: z.string().describe('Empty: none, or not known before it is issued'),
            tax_micros: Micros.nullable().describe(
              'As it stands now; null: Stripe Tax will say when it is issued',
            ),
            total_micros: Micros.describe('With the tax that is known'),
          }),
        ),
      }),
    ),
  one: call
    .route({ method: 'GET', path: `${path}/{id}`, tags, summary: 'An invoice' })
    .meta({ access: 'invoice.read' })
    .input(z.object({ id: Id }))
    .output(Invoice),
  events: call
    .route({
      method: 'GET',
      path: `${path}/{id}/lines/{line}/events`,
      tags,
      summary: 'The events under a line, newest first',
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
      summary: 'Correct an invoice by a credit note',
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
      summary: 'Give up what nobody will pay any more',
    })
    .meta({ access: 'invoice.write', notInView: true, fresh: true })
    .input(z.object({ id: Id, reason: Line }))
    .output(Done.extend({ data: Invoice })),
};

/** How a charge that a person waits for has ended. */
export const Paid = z.object({
  result: z.enum(['success', 'failed', 'authenticate', 'unknown']),
  message: z.string(),
  client_secret: z.string().describe("With 'authenticate': what the provider's form in the browser needs"),
  publishable_key: z.string(),
  stripe_account: z.string(),
  paymentgateway: z.enum(['stripe', 'sandbox']),
  charge_id: Id.optional().describe("With 'authenticate': what to check when it is done"),
});

/** Money that is due: charging it, and what follows when it cannot be charged. @public */
export const collection = {
  pay: call
    .route({
      method: 'POST',
      path: `${path}/{id}/pay`,
      tags,
      summary: 'Pay an open invoice by the card on file',
    })
    .meta({ access: 'invoice.pay', notInView: true, fresh: true })
    .input(z.object({ id: Id, idempotencyKey: z.string().trim().min(1).max(100) }))
    .output(Paid),
  settle: call
    .route({
      method: 'POST',
      path: '/general/manual-bill-settlement',
      tags,
      summary: "Charge what is due of a person's company and clear its failed payment (manualBillSettlement)",
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
        "Bill an agency's campaigns wholesale to its card, its clients outside the system; or end that",
      description:
        'T: what clients owe so far is invoiced to them, and nothing more. F: all campaigns stop and a to-date bill is charged to the agency.',
    })
    .meta({ access: 'setting.write', notInView: true })
    .input(z.object({ companyID: Id, manualBill: Flag }))
    .output(Done.extend({ manual_bill: Flag })),
  cancel: call
    .route({
      method: 'PUT',
      path: '/configuration/cancel-subscription',
      tags,
      summary: "End an agency's subscription: its campaigns stop, and what is due so far is charged",
    })
    .meta({ access: 'subscription.write', notInView: true })
    .input(z.object({ companyID: Id }))
    .output(Done),
  packages: call
    .route({ method: 'GET', path: '/configuration/package', tags, summary: "The root's packages" })
    .meta({ access: 'setting.read' })
    .output(
      z.object({
        data: z.array(
          z.object({
            package_id: z.string(),
            name: z.string(),
            monthly_micros: Micros,
            description: z.string(),
          }),
        ),
        package_id: z.string().describe("The own agency's; empty: none"),
        package_since: Instant.nullable().describe('When it was chosen; null: not known, or none'),
        cancelled_at: Instant.nullable().describe(
          "When the own agency's subscription was ended; null: it was not",
        ),
        fee_from: Day.describe(
          "The first month that a package chosen now is charged for; days are the root's",
        ),
      }),
    ),
  setPackage: call
    .route({
      method: 'PUT',
      path: '/configuration/setting/package',
      tags,
      summary: "Choose an agency's package; its fee is charged monthly from now on",
    })
    .meta({ access: 'subscription.write', notInView: true })
    .input(z.object({ companyID: Id, packageID: z.string().trim().min(1).max(40) }))
    .output(Done),
};
