import { z } from 'zod';
import { onboardingFault } from '../accounts/company-rules.ts';
import { call } from '../base.ts';
import {
  COST_FIELDS,
  COST_TERMS,
  type CostTerm,
  LEAD_MODULES,
  MODULES,
  type ModuleType,
  PAYMENT_TERMS,
} from '../choices.ts';
import { messages } from '../messages.ts';
import {
  Dollars,
  Done,
  Flag,
  FREQUENCIES,
  GivenDay,
  given,
  Id,
  Instant,
  Line,
  Whole,
} from '../primitives.ts';

/** US dollars and cents, for total amounts that are charged. */
export const Cents = given(Dollars.regex(/^\d+(\.\d{0,2}0*)?$/, 'must be in whole cents'));
/** US dollars as they are sent; a price may include fractions of a cent. */
const Price = given(Dollars);

type Fees = Record<string, Record<string, Record<string, string>>>;
const shapes = <T extends z.ZodType>(cents: T, price: T) =>
  Object.fromEntries(
    Object.entries(COST_FIELDS).map(([module, fields]) => {
      const fees = Object.entries(fields).map(([field, part]) => [
        field,
        (part === 'setup' || part === 'month' ? cents : price).optional(),
      ]);
      const term = z.strictObject(Object.fromEntries(fees) as Record<string, z.ZodOptional<T>>).optional();
      return [
        module,
        z.strictObject(
          Object.fromEntries(Object.keys(COST_TERMS).map((key) => [key, term])) as Record<
            CostTerm,
            typeof term
          >,
        ),
      ];
    }),
  );

const TermKey = z.enum(Object.keys(COST_TERMS) as CostTerm[], 'must be Weekly, Monthly, OneTime, or Prepaid');

/**
 * The agency cost setting (spec product 3): fees by module and payment term, as amounts in US dollars. Fields left out
 * of a save stay as they are. `dpay`: the selected term.
 */
export const CostAgency = z
  .strictObject(shapes(Cents as z.ZodType<string>, Price as z.ZodType<string>))
  .partial()
  .extend({ dpay: TermKey.optional() });

/** A root's minimum spend (spec product 3). */
export const RootMinSpend = z.object({
  status: Flag,
  first_month: Cents,
  second_month: Cents,
  monthly: Cents,
});

export const OnboardingAmount = z
  .union([z.number(), z.string()], messages.onboardInvalid)
  .transform((given) => String(given).trim())
  .superRefine((text, ctx) => {
    const fault = onboardingFault(text);
    if (fault) ctx.addIssue({ code: 'custom', message: fault });
  });

/** The one-time charge for a new agency; 0 for none (spec product 3, agencyonboardingcustom). */
export const Onboarding = z.object({ amount: OnboardingAmount, enable_coupon: Flag });

const Count = Whole(1, 1_000_000);
const Empty = z.literal('').transform(() => null);
const Term = z.enum(PAYMENT_TERMS, 'must be Weekly, Monthly, One Time, or Prepaid');
const TopUp = z.enum(['onetime', 'continual'], 'must be onetime or continual');

/** What a client pays (spec product 3, Module cost fields); set by the agency. */
export const RetailFields = z.object({
  CostSet: Price.optional().describe('Price per lead in US dollars'),
  CostSetAdvanced: Price.optional().describe('Price per lead with advanced information'),
  CostSetB2b: Price.optional().describe('Price per lead with B2B information'),
  CostSetCompany: Price.optional().describe('Price of a company without a person. Site ID only'),
  CostMaxLead: Price.optional().describe('Maximum price per lead. 0 for no limit'),
  CostMonth: Cents.optional().describe('Monthly fee'),
  PlatformFee: Cents.optional().describe('One-time fee, paid at the start'),
  PaymentTerm: Term.optional(),
  topupoptions: TopUp.optional().describe('continual: leads that are used up are bought again'),
  leadsbuy: z.union([Empty, z.null(), Count]).optional().describe('Number of leads per purchase'),
});

/** The same as it is returned. */
export const RetailCosts = z.object({
  CostSet: Dollars,
  CostSetAdvanced: Dollars,
  CostSetB2b: Dollars,
  CostSetCompany: Dollars,
  CostMaxLead: Dollars,
  CostMonth: Dollars,
  PlatformFee: Dollars,
  PaymentTerm: z.enum(PAYMENT_TERMS),
  topupoptions: z.enum(['onetime', 'continual']),
  leadsbuy: z.int().nullable(),
});
export const PlannedRetail = RetailCosts.extend({ effective_from: Instant });

const ModuleName = z.enum(MODULES.map(({ module }) => module) as [ModuleType, ...ModuleType[]]);

const ClientCosts = RetailCosts.extend({
  companyID: Id,
  module: ModuleName,
  LimitLead: z.int().nullable(),
  LimitLeadFreq: z.enum(FREQUENCIES),
  LimitLeadStart: z.string().nullable(),
  LimitLeadEnd: z.string().nullable(),
  is_set: z.boolean().describe('Whether the client has its own costs'),
  version: z.string().describe('Send it with the next update'),
  planned: z.array(PlannedRetail),
});

/** A plan of minimum spend (spec product 3). */
export const Plan = z.object({
  id: Id,
  planName: z.string(),
  months: z.array(Dollars).describe("Amounts for an agency's first, second, … month"),
  flatMonth: Dollars.describe('Amount for every later month'),
  default: Flag,
  version: z.int(),
});
const PlanFields = z.object({
  planName: Line,
  months: z.array(Cents).max(60, 'must not have more than 60 months'),
  flatMonth: Cents,
});

/** A coupon's code, in capitals. */
export const CouponCode = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z0-9_-]{4,40}$/, 'must have 4 to 40 letters, digits, hyphens, or underscores');
const Coupon = z.object({
  id: Id,
  coupon_code: z.string(),
  percent: z.string().nullable(),
  amount: Dollars.nullable(),
  max_uses: z.int().nullable(),
  uses: z.int(),
  expires_at: Instant.nullable(),
});

const SupplierCost = z.object({
  module: z.enum(LEAD_MODULES),
  name: z.string().describe('The product name'),
  cost: Dollars.describe('Current supplier cost per lead'),
  is_set: z.boolean(),
  planned: z.array(z.object({ cost: Dollars, effective_from: Instant })),
});

const PLANNED_DAY =
  'Applies from the start of this day, up to two years ahead; changes can be planned for up to 20 days. If omitted, from now on';

const path = '/general/minimum-spend-config';
const tags = ['Costs'];

export const pricing = {
  client: call
    .route({
      method: 'GET',
      path: '/configuration/user/costmodule/{companyID}',
      tags,
      summary: 'Returns the costs for new campaigns of a client',
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ companyID: Id, module: ModuleName.default('local') }))
    .output(ClientCosts),
  saveClient: call
    .route({
      method: 'PUT',
      path: '/configuration/user/costmodule',
      tags,
      summary: 'Sets the costs for new campaigns of a client. Omitted fields do not change',
    })
    .meta({ access: 'campaign.price' })
    .input(
      RetailFields.extend({
        companyID: Id,
        module: ModuleName.default('local'),
        LimitLead: z.union([Empty, z.null(), Count]).optional(),
        LimitLeadFreq: z
          .enum(FREQUENCIES, 'must be day, week, or month')
          .optional()
          .describe('Whether LimitLead counts leads per day, week, or month'),
        LimitLeadStart: z.union([Empty, z.null(), GivenDay]).optional(),
        LimitLeadEnd: z.union([Empty, z.null(), GivenDay]).optional(),
        effective_from: GivenDay.optional().describe(PLANNED_DAY),
        version: z
          .string()
          .max(30)
          .optional()
          .describe('The version that was edited. If omitted, the current version'),
      }),
    )
    .output(Done.extend({ data: ClientCosts })),
  supplierCosts: call
    .route({
      method: 'GET',
      path: '/configuration/supplier-costs',
      tags,
      summary: 'Returns the supplier cost per lead for each product, current and planned',
    })
    .meta({ access: 'cost.write' })
    .output(z.object({ time_zone: z.string(), data: z.array(SupplierCost) })),
  setSupplierCost: call
    .route({
      method: 'PUT',
      path: '/configuration/supplier-costs',
      tags,
      summary: 'Sets the supplier cost per lead for a product. Leads already sold keep their cost',
    })
    .meta({ access: 'cost.write' })
    .input(
      z.object({
        module: z.enum(LEAD_MODULES, `must be one of ${LEAD_MODULES.join(', ')}`),
        cost: Dollars,
        effective_from: GivenDay.optional().describe(PLANNED_DAY),
      }),
    )
    .output(Done.extend({ data: z.array(SupplierCost) })),
  plans: call
    .route({ method: 'GET', path, tags, summary: 'Lists the minimum spend plans' })
    .meta({ access: 'cost.write' })
    .output(z.object({ data: z.array(Plan) })),
  createPlan: call
    .route({ method: 'POST', path, tags, summary: 'Adds a minimum spend plan' })
    .meta({ access: 'cost.write' })
    .input(PlanFields)
    .output(Done.extend({ data: Plan })),
  updatePlan: call
    .route({
      method: 'PUT',
      path: `${path}/{id}`,
      tags,
      summary: 'Updates a plan. Its amounts apply from now on',
    })
    .meta({ access: 'cost.write' })
    .input(PlanFields.extend({ id: Id, version: z.int().min(1).max(2_147_483_647) }))
    .output(Done.extend({ data: Plan })),
  defaultPlan: call
    .route({
      method: 'PUT',
      path: `${path}/{id}/default`,
      tags,
      summary: 'Sets the default plan for all agencies without their own plan',
    })
    .meta({ access: 'cost.write' })
    .input(z.object({ id: Id }))
    .output(Done.extend({ data: Plan })),
  removePlan: call
    .route({
      method: 'DELETE',
      path: `${path}/{id}`,
      tags,
      summary: 'Removes a plan that no agency uses',
    })
    .meta({ access: 'cost.write' })
    .input(z.object({ id: Id }))
    .output(Done),
  choosePlan: call
    .route({
      method: 'PUT',
      path: '/configuration/setting/minimum-spend-plan',
      tags,
      summary: "Sets an agency's minimum spend plan. null for the default plan",
    })
    .meta({ access: 'cost.write' })
    .input(z.object({ companyID: Id, planMinSpendId: z.union([Empty, z.null(), Id]) }))
    .output(Done),
  coupons: call
    .route({ method: 'GET', path: '/configuration/coupon', tags, summary: 'Lists the coupons, newest first' })
    .meta({ access: 'cost.write' })
    .output(z.object({ data: z.array(Coupon) })),
  createCoupon: call
    .route({ method: 'POST', path: '/configuration/coupon', tags, summary: 'Adds a coupon' })
    .meta({ access: 'cost.write' })
    .input(
      z.object({
        coupon_code: CouponCode,
        percent: z
          .string()
          .regex(/^\d{1,3}(\.\d{1,2})?$/, 'must be a percentage such as 12.5')
          .refine((text) => Number(text) > 0 && Number(text) <= 100, 'must be above 0 and not exceed 100')
          .optional(),
        amount: Cents.refine((text) => Number(text) > 0, 'must be above 0').optional(),
        max_uses: Count.optional(),
        expires_at: Instant.optional(),
      }),
    )
    .output(Done.extend({ data: Coupon })),
  removeCoupon: call
    .route({ method: 'DELETE', path: '/configuration/coupon/{id}', tags, summary: 'Withdraws a coupon' })
    .meta({ access: 'cost.write' })
    .input(z.object({ id: Id }))
    .output(Done),
  coupon: call
    .route({
      method: 'POST',
      path: '/configuration/coupon/get-coupon',
      tags,
      summary: 'Checks whether a coupon can be used and how much it takes off the onboarding charge',
    })
    .meta({ access: 'cost.read' })
    .input(z.object({ coupon_code: CouponCode, companyID: Id.optional() }))
    .output(
      z.object({
        result: z.literal('success'),
        data: z.object({
          coupon_code: z.string(),
          percent: z.string().nullable(),
          amount: Dollars.nullable(),
          expires_at: Instant.nullable(),
          charge: Dollars.describe('The onboarding charge before the coupon'),
          discount: Dollars,
          total: Dollars,
        }),
      }),
    ),
};

export type CostValues = Fees;
