import { z } from 'zod';
import { call } from '../base.ts';
import { COMPANY_SORTS, MODULES, type ModuleType, PAYMENT_TERMS } from '../choices.ts';
import { messages } from '../messages.ts';
import { Done, Flag, hasControls, Id, Instant, Micros, Page, PipeList, shapeOf } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import { type CompanyFieldsOnWire, companyFields } from './company-fields.ts';
import { companyNameFault, fullNameFault, lengthOf, NAME_MAX } from './company-rules.ts';
import { SalesOf, STAFF_FILTERS, StaffFields, StaffNode } from './staff.ts';

/** A row of a company's user log (spec product 3). */
const Choice = z.object({ value: z.string(), label: z.string() });
const ModuleName = z.enum(MODULES.map(({ module }) => module) as [string, ...string[]], 'is not a product');
const Term = z.enum(PAYMENT_TERMS, 'must be Weekly, Monthly, One Time, or Prepaid');

/** A company's health, so that problems are visible without opening it. */
export const Activity = z.object({
  last_lead_at: Instant.nullable().describe(
    'For an agency, the last lead of its clients. null if there are none yet',
  ),
  balance_micros: Micros.nullable().describe(
    'For an agency, its Data Wallet. For a client, the total of its prepaid balances. null if it has none',
  ),
  failing: z
    .enum(['', 'payment', 'topup'])
    .describe(
      'payment: an invoice or renewal could not be charged. topup: the automatic top-up of the wallet failed',
    ),
  failing_since: Instant.nullable().describe(
    'The first of the consecutive failures. null if nothing is failing or it is not known',
  ),
});
export type Activity = Inside<z.output<typeof Activity>>;

const Optional = z.string().trim().optional();
/** The fields of a company's own row (company-fields.ts) as calls show them. */
type Shown = CompanyFieldsOnWire<'show'>;
const shownFields = shapeOf<{ [Name in keyof Shown]: z.ZodType<Shown[Name], Shown[Name]> }>(
  companyFields.map(([, field]) => [
    field.show,
    (field.kind === 'text' ? z.string() : Flag).describe(field.about),
  ]),
);
/** The same as calls save them. */
type Entered = CompanyFieldsOnWire<'enter'>;
const enteredFields = shapeOf<{
  [Name in keyof Entered]: z.ZodOptional<z.ZodType<Entered[Name], Entered[Name]>>;
}>(
  companyFields.map(([, field]) => [
    field.enter,
    (field.kind === 'text'
      ? Optional.refine(
          (text) => text === undefined || (lengthOf(text) <= NAME_MAX && !hasControls(text)),
          `must not exceed ${NAME_MAX} characters`,
        )
      : Flag.optional()
    ).describe(field.about),
  ]),
);

/** An agency or a client as the lists show it (spec product 3, Agency or client node). */
export const CompanyNode = z.object({
  id: z.string().describe('The owner to view as. Empty if no one can sign in there'),
  company_id: Id,
  company_root_id: Id,
  company_name: z.string(),
  kind: z.enum(['agency', 'client']),
  name: z.string().describe("The owner's full name"),
  email: z.string(),
  user_type: z.enum(['userdownline', 'client']),
  package_id: z.string(),
  created_at: Instant,
  phonenum: z.string(),
  phone_country_code: z.string(),
  phone_country_calling_code: z.string(),
  subdomain: z.string().describe('The full host below the root’s domain. Empty if none'),
  orisubdomain: z.string().describe('The chosen subdomain'),
  domain: z.string().describe('The custom domain in use, or the one awaiting verification'),
  manual_bill: Flag,
  is_whitelabeling: Flag.describe(
    "For an agency. F: its users and clients see the root's brand, domain, and sender",
  ),
  beta_user: Flag.describe('Whether an agency has the beta features (BETA-01)'),
  api_mode: Flag,
  is_user_generate_api: z.boolean(),
  is_marketing_services_agreement_developer: Flag,
  exclude_minimum_spend: z.union([z.literal(0), z.literal(1)]),
  exclude_onboard_charge: z.union([z.literal(0), z.literal(1)]),
  agency_onboarding_status: z.boolean().describe('Whether an onboarding charge can be required'),
  is_onboard_charged: z.boolean(),
  customer_payment_id: z.string().describe('The card on file. Empty if none'),
  company_agreement_file: z
    .string()
    .describe("'download': created on request. Otherwise a link. Empty if none"),
  payment_status: z.enum(['', 'failed']),
  plan_minspend_id: z.string().describe('Empty for the default plan'),
  plan_minspend_name: z.string().describe('Empty for the default plan'),
  selected_payment_term: z.array(z.object({ term: Term, status: z.boolean() })),
  selected_modules: z.array(z.object({ type: ModuleName, status: z.boolean() })),
  rootpaymentterm: z.array(Choice),
  rootmodules: z.array(Choice),
  profile_setup_completed: Flag,
  status_acc: z.enum(['', 'completed']),
  leadlocalurl: z.string(),
  leadlocatorurl: z.string(),
  disabledaddcampaign: Flag.describe('T: the client cannot add campaigns'),
  ...shownFields,
  defaultAdmin: Flag.describe('For the owner, like the next three fields'),
  customercare: Flag,
  adminGetNotification: Flag,
  disabledreceivedemail: Flag,
  twoFactorAuth: z.enum(['', 'email', 'google']),
  clients: z.int().describe('Number of clients of an agency'),
  active_campaigns: z.int(),
  activity: Activity.nullable().describe('null if you cannot view leads and statements'),
  version: z.int().describe('Send it with the next update'),
  ...SalesOf.shape,
});
export type CompanyNodeData = Inside<z.output<typeof CompanyNode>>;

/** What a filter of the agency list keeps (spec product 2); multiple filters must all match. */
export const COMPANY_FILTERS = [
  'direct_payment',
  'payment_failed',
  'api_key_generated',
  'developer_mode_enabled',
  'beta_user',
  'no_white_labelling',
  'excluded_minimum_spend',
  'minimum_spend_plan',
  'out_of_balance',
] as const;
export type CompanyFilter = (typeof COMPANY_FILTERS)[number];

/** Several values in one comma-separated string. */
const Several = z
  .string()
  .max(4000)
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );
/** An unset part of a path is sent as 'all'. */
const All = z.literal('all').transform(() => undefined);
const ListQuery = z.object({
  companyId: Id.describe('The parent company: your company, or an agency under your root'),
  group: z.string().max(60).describe("'all'"),
  idsys: z.union([All, Id]).describe('The root'),
  type: z
    .enum(['userdownline', 'client', 'all', 'administrator', 'sales'])
    .describe(
      'Which rows to list. all: the companies directly below. administrator, sales: users of your company',
    ),
  module: z
    .union([All, z.literal('LeadsPeek').transform(() => undefined), ModuleName])
    .describe('Only companies that can use this product'),
  sortby: z.union([All, z.enum(COMPANY_SORTS)]),
  order: z.union([All, z.enum(['asc', 'desc'])]),
  search: z.union([All, z.string().trim().max(200)]),
  Page: z.coerce.number().int().min(1).max(100_000).default(1),
  PerPage: z.coerce.number().int().min(1).max(100).default(10),
  CardStatus: z
    .enum(['all', 'active', 'failed', 'none'])
    .default('all')
    .describe('active: has a working card on file'),
  CampaignStatus: z
    .enum(['all', 'active', 'inactive'])
    .default('all')
    .describe('active: has an active campaign'),
  Filters: Several.pipe(z.array(z.enum([...COMPANY_FILTERS, ...STAFF_FILTERS])).max(100))
    .optional()
    .describe(`${COMPANY_FILTERS.join(', ')}; for users: ${STAFF_FILTERS.join(', ')}`),
  Exclude: Several.pipe(z.array(Id).max(100)).optional().describe('Companies to exclude'),
  inAgencyList: Flag.default('F').describe('T: clients are nested in the agency list'),
});

const ruled = (fault: (text: string) => string | null, required: string) =>
  z
    .string(required)
    .trim()
    .superRefine((text, ctx) => {
      const why = fault(text);
      if (why) ctx.addIssue({ code: 'custom', message: why });
      else if (hasControls(text))
        ctx.addIssue({ code: 'custom', message: 'must not contain control characters' });
    });

const Factor = z
  .enum(['', 'email', 'google'])
  .describe('Unchanged only: users set their own second factor (otherwise refused)');
const SalesPerson = z
  .union([z.literal(''), z.null(), Id])
  .describe("'' or null for none. Same as in PUT /configuration/sales");

/** What is entered for an agency or client and its owner (spec product 3, Client/user payload fields). */
const Fields = z.object({
  companyID: Id.describe('The parent company'),
  idsys: Id.optional(),
  userType: z.enum(['userdownline', 'client']),
  ClientCompanyName: ruled(companyNameFault, messages.companyNameRequired),
  ClientFullName: ruled(fullNameFault, messages.fullNameRequired),
  ClientEmail: z
    .string(messages.emailRequired)
    .trim()
    .toLowerCase()
    .min(1, messages.emailRequired)
    .max(70, messages.emailLong)
    .pipe(z.email(messages.emailInvalid)),
  ClientPhone: z.string(messages.phoneInvalid).trim().max(40, messages.phoneInvalid),
  ClientPhoneCountryCode: z.string().trim().max(2).default(''),
  ClientPhoneCountryCallingCode: z.string().trim().max(5).default(''),
  ClientWhiteLabeling: Flag.optional(),
  ApiMode: Flag.optional(),
  disabledaddcampaign: Flag.optional(),
  ...enteredFields,
  // Fields of the owner (spec product 3); fields that only administrators have are refused instead of dropped.
  ClientRole: z.literal('owner', 'must be owner for an agency or client').optional(),
  defaultAdmin: Flag.optional(),
  customercare: Flag.optional(),
  adminGetNotification: Flag.optional(),
  disabledreceivedemail: Flag.optional(),
  permission_active: z.literal('T', 'is only for administrators').optional(),
  user_permissions: z.array(z.unknown()).max(0, 'is only for administrators').optional(),
  twoFactorAuth: Factor.optional(),
  salesRep: SalesPerson.optional(),
  salesAE: SalesPerson.optional(),
  salesRef: SalesPerson.optional(),
  DownlineSubDomain: Optional,
  DownlineDomain: Optional,
  ClientDomain: Optional.describe('Same as DownlineDomain'),
});
const Status = z.union([z.boolean(), Flag.transform((flag) => flag === 'T')]);
const tags = ['Agencies and clients'];
const Saved = Done.extend({ data: z.union([z.array(CompanyNode), z.array(StaffNode)]) });

/** What is entered for a member of one's own company: an administrator or, in a root or agency, a sales person. */
const Person = Fields.pick({
  idsys: true,
  ClientFullName: true,
  ClientEmail: true,
  ClientPhone: true,
  ClientPhoneCountryCode: true,
  ClientPhoneCountryCallingCode: true,
}).extend({
  companyID: Id.describe('Your company'),
  ...StaffFields.shape,
  twoFactorAuth: Factor.optional(),
});
const Version = z
  .int()
  .min(1)
  .optional()
  .describe('The version that was edited. If omitted, the current version');
const CompanyChange = Fields.extend({
  ClientID: Id.describe('The owner, or the company if it has no owner'),
  selectedterms: z
    .array(z.object({ term: Term, status: Status }))
    .max(10)
    .optional(),
  selectedmodules: z
    .array(z.object({ type: ModuleName, status: Status }))
    .max(10)
    .optional(),
  action: z.enum(['downline', 'client']).optional(),
  planMinSpendId: z
    .union([z.literal(''), z.null(), Id])
    .optional()
    .describe("'' for the default plan"),
  betaUser: Flag.optional().describe('For an agency. T: it has the beta features'),
  version: Version,
});
const PersonChange = Person.partial().extend({
  companyID: Person.shape.companyID,
  userType: Person.shape.userType,
  ClientID: Id.describe('The user to change'),
  action: z.enum(['restore']).optional().describe('restore: restores a removed user'),
  version: Version,
});

/** Agencies of a root and clients of an agency: the lists, and the actions on a row (spec product 2, 4). */
export const companies = {
  list: call
    .route({
      method: 'GET',
      path: '/configuration/user/{companyId}/{group}/{idsys}/{type}/{module}/{sortby}/{order}/{search}',
      tags,
      summary:
        "Lists a root's agencies, an agency's clients (GetClientList), or the users of your company. Send 'all' for unset segments",
    })
    .meta({ access: 'person.list' })
    .input(ListQuery)
    .output(z.union([Page(CompanyNode), Page(StaffNode)])),
  create: call
    .route({
      method: 'POST',
      path: '/configuration/user/create',
      tags,
      summary:
        'Adds an agency or a client with its owner (CreateClient), or a user of your company, and emails them an invitation',
    })
    .meta({ access: 'person.create', notInView: true })
    .input(z.discriminatedUnion('userType', [Fields, Person]))
    .output(Saved),
  update: call
    .route({
      method: 'PUT',
      path: '/configuration/user/update',
      tags,
      summary:
        'Updates an agency or client and its owner (UpdateClient; for sales, only assigned companies), or a user of your company. Omitted fields do not change',
    })
    .meta({ access: 'user.write', notInView: true })
    .input(z.discriminatedUnion('userType', [CompanyChange, PersonChange]))
    .output(Saved),
  remove: call
    .route({
      method: 'DELETE',
      path: '/configuration/user/remove/{companyID}/{userID}',
      tags,
      summary:
        'Removes an agency or client (RemoveClient), or a user of your company. Refused for companies with active campaigns, a balance, open invoices, or payments under way, and for those with a credit unless keep_credit is true',
    })
    .meta({ access: 'person.remove', notInView: true })
    .input(
      z.object({
        companyID: Id.describe('The parent company, which is your company'),
        userID: Id.describe('The owner, the company if it has no owner, or a user of your company'),
        keep_credit: z
          .boolean()
          .optional()
          .describe(
            'Whether a credit toward its next invoice stays on its account, where nothing can use it',
          ),
      }),
    )
    .output(z.object({ data: Done })),
  resendInvitation: call
    .route({
      method: 'POST',
      path: '/configuration/user/resendinvitation',
      tags,
      summary:
        'Sends another invitation to the owner of an agency or client, or to users of your company. Previous links stop working',
    })
    .meta({ access: 'person.write', notInView: true })
    .input(
      z.object({
        companyID: Id.describe('The parent company, which is your company'),
        ClientID: z
          .union([Id, z.array(Id).min(1).max(100)])
          .describe('An owner, a company with no owner, or users of your company'),
      }),
    )
    .output(
      Done.extend({ sent: z.int(), signed_in: z.int().describe('Users who no longer need an invitation') }),
    ),
  checkCampaignActive: call
    .route({
      method: 'POST',
      path: '/leadspeek/check-campaign-active',
      tags,
      summary: 'Lists the active campaigns of an agency or client in a product',
    })
    .meta({ access: 'company.list' })
    .input(
      z.object({
        company_id: Id,
        leadspeek_type: PipeList(
          MODULES.map(({ module }) => module) as [ModuleType, ...ModuleType[]],
          'is not a product',
        ).describe("One or more: 'local|locator'"),
        user_type: z.enum(['agency', 'client']).default('agency'),
      }),
    )
    .output(z.object({ result: z.literal('success'), active_campaign_id: z.array(z.string()) })),
};
