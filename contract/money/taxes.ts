import { z } from 'zod';
import { call } from '../base.ts';
import { US_STATES } from '../choices.ts';
import { Done, Flag, Id, Instant, Line, Page, PageQuery } from '../primitives.ts';

/** A tax rate in percent: at most 50, with at most four decimal places. */
const Percent = z
  .string()
  .trim()
  .regex(/^\d{1,2}(\.\d{1,4})?$/, 'must be a percentage such as 8.25')
  .refine((text) => Number(text) <= 50, 'must be 50 or less');
const Optional = (most: number) =>
  z.string().trim().max(most, `must not exceed ${most} characters`).default('');

export const TaxRateGiven = z
  .object({
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, 'must be a two-letter country code')
      .default('US'),
    state: z
      .string()
      .regex(/^([A-Z0-9]{1,3})?$/, 'must be a state code')
      .default('')
      .describe('Empty: anywhere in the country without its own rate'),
    name: Line.max(60, 'must not exceed 60 characters').describe('Name shown on invoices'),
    rate: Percent,
  })
  .superRefine(({ country, state }, ctx) => {
    if (country === 'US' && state && !US_STATES[state])
      ctx.addIssue({ code: 'custom', path: ['state'], message: 'must be a US state' });
  });

export const TaxPayerGiven = z.object({
  companyID: Id,
  tax_id: Optional(40),
  exempt: Flag.default('F'),
  exempt_reason: Optional(200).describe('For example, the certificate number'),
  rate: Percent.nullable().default(null).describe('Custom rate; null: from the table'),
  rate_name: Optional(60).describe('Name shown on invoices, with a custom rate'),
});

const TaxCalculator = z.enum(['table', 'stripe']);

const TaxRate = z.object({
  id: Id,
  country: z.string(),
  state: z.string(),
  name: z.string(),
  rate: z.string().describe('Percentage'),
});

const TaxPayer = z.object({
  companyID: Id,
  company_name: z.string(),
  place: z.string(),
  tax_id: z.string(),
  exempt: Flag,
  exempt_reason: z.string(),
  rate: z.string().nullable(),
  rate_name: z.string(),
  holds: z
    .string()
    .describe('Shown on the next invoice, such as Sales tax 8.25% or By Stripe Tax; empty: no tax'),
});

const tags = ['Taxes'];

export const taxes = {
  rates: call
    .route({
      method: 'GET',
      path: '/configuration/taxes',
      tags,
      summary: "Returns the platform's tax rates and who calculates taxes",
    })
    .meta({ access: 'cost.read' })
    .output(
      z.object({
        data: z.array(TaxRate),
        own_tax_id: z.string(),
        calculator: TaxCalculator,
        has_stripe: z.boolean().describe("Stripe's keys are set, so Stripe Tax can be chosen"),
        waiting: z
          .array(z.object({ companyID: Id, company_name: z.string(), reason: z.string(), since: Instant }))
          .describe(
            'Companies whose invoices from your company are waiting because Stripe Tax did not respond; up to 20',
          ),
        waiting_count: z.int(),
      }),
    ),
  setCalculator: call
    .route({
      method: 'PUT',
      path: '/configuration/taxes/calculator',
      tags,
      summary: 'Sets who calculates taxes for invoices from now on: the rate table or Stripe Tax',
    })
    .meta({ access: 'cost.write', notInView: true })
    .input(z.object({ calculator: TaxCalculator }))
    .output(Done),
  setRate: call
    .route({
      method: 'PUT',
      path: '/configuration/taxes',
      tags,
      summary: 'Sets the tax rate of a country or state for invoices from now on',
    })
    .meta({ access: 'cost.write', notInView: true })
    .input(TaxRateGiven)
    .output(Done.extend({ data: z.array(TaxRate) })),
  removeRate: call
    .route({ method: 'DELETE', path: '/configuration/taxes/{id}', tags, summary: 'Removes a tax rate' })
    .meta({ access: 'cost.write', notInView: true })
    .input(z.object({ id: Id }))
    .output(Done),
  payers: call
    .route({
      method: 'GET',
      path: '/configuration/taxes/payers',
      tags,
      summary: 'Lists the companies your company bills, with their tax IDs and exemptions',
    })
    .meta({ access: 'cost.read' })
    .input(PageQuery)
    .output(Page(TaxPayer)),
  setPayer: call
    .route({
      method: 'PUT',
      path: '/configuration/taxes/payers',
      tags,
      summary: 'Sets the tax ID, exemption, and custom rate of a company you bill, or your own tax ID',
    })
    .meta({ access: 'invoice.write', notInView: true })
    .input(TaxPayerGiven)
    .output(Done),
};
