import { z } from 'zod';
import { call } from '../base.ts';
import { MOST_RETURN_DAYS, PROVABLE_REASONS } from '../campaigns/return-rules.ts';
import { MODULES, PAYMENT_TERMS, RESERVED_SLUGS } from '../choices.ts';
import { messages } from '../messages.ts';
import { Cents, CostAgency, Onboarding, OnboardingAmount, RootMinSpend } from '../money/pricing.ts';
import { Dollars, Done, Email, Flag, GivenDay, Id, Instant, Line } from '../primitives.ts';
import { type Inside, type InsideName, insideName } from '../wire.ts';
import { oneOf } from '../wire-schema.ts';
import { FONT_THEMES, type FontTheme } from './fonts.ts';
import { FIRST_PACKAGE, MOST_PACKAGES, PACKAGE_ID } from './package-rules.ts';
import { AGENCY_ENTRIES, CLIENT_ENTRIES } from './sidebar.ts';

const Color = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^#[0-9a-f]{6}$/, 'must be a color such as #1a73e8')
  .nullable();

/** Name, colors, font and images of a tenant (spec product 1 and 3). A null color means the product's own. */
export const Branding = z.object({
  name: Line,
  tagline: z.union([z.literal('').transform(() => null), Line]).nullable(),
  box_bgcolor: Color,
  text_color: Color,
  link_color: Color,
  template_bgcolor: Color,
  sidebar_bgcolor: Color,
  font_theme: z.enum(Object.keys(FONT_THEMES) as FontTheme[], 'must be one of the listed fonts').nullable(),
  logo: Id.nullable().describe('ID of an uploaded image'),
  favicon: Id.nullable().describe('ID of an uploaded image; null: the logo'),
});

/** Code that an agency adds to the pages of its own host (spec product 2, calls 7). */
export const EmbeddedCode = z.object({
  placeEmbedded: z.enum(['head', 'body', 'footer'], 'must be head, body or footer'),
  embeddedcode: z.string().max(20_000, 'must not exceed 20000 characters'),
});

/** Whether people may sign up on their own. */
export const Registration = z.object({ open: z.boolean() });

/** Whom a company requires a second factor from (BEY-32). */
export const SecondFactor = z.object({
  people: z.boolean().describe('Required of users in the company'),
  owners: z.boolean().describe('Required of the owners of the companies below it'),
  from: z
    .union([z.literal('').transform(() => null), GivenDay])
    .nullable()
    .describe("From the start of this day in the company's time zone; null: from now on"),
});

const ModuleName = z.union([z.literal(''), Line.pipe(z.string().max(60, 'must not exceed 60 characters'))]);
export const ModuleSlug = z
  .string()
  .trim()
  .toLowerCase()
  .max(60, 'must not exceed 60 characters')
  .regex(
    /^([a-z0-9]([a-z0-9-]*[a-z0-9])?)?$/,
    'must contain only letters, digits, and hyphens, and must not begin or end with a hyphen',
  )
  .refine(
    (slug) => !(RESERVED_SLUGS as readonly string[]).includes(slug),
    'is the address of a page. Choose another one',
  );

/** Names and paths of the modules; empty means the root's (spec product 1). */
export const ModuleNames = z.object({
  leadlocalname: ModuleName,
  leadlocalurl: ModuleSlug,
  leadlocatorname: ModuleName,
  leadlocatorurl: ModuleSlug,
  leadenhancename: ModuleName,
  leadenhanceurl: ModuleSlug,
  leadb2bname: ModuleName,
  leadb2burl: ModuleSlug,
  leadsimplifiname: ModuleName,
  leadsimplifiurl: ModuleSlug,
});

/** The packages that a root's agencies choose from, each with its monthly price. */
export const Packages = z.object({
  packages: z
    .array(
      z.object({
        package_id: z
          .string()
          .trim()
          .regex(PACKAGE_ID, 'must contain only lowercase letters, digits, - and _'),
        name: Line,
        amount: Cents.describe('US dollars per month; 0: no charge'),
        description: z.union([z.literal(''), Line]).default(''),
      }),
    )
    .max(MOST_PACKAGES, `must not have more than ${MOST_PACKAGES} packages`)
    .refine(
      (all) => new Set(all.map((one) => one.package_id)).size === all.length,
      'must not contain the same package_id twice',
    )
    .refine(
      (all) => all.some((one) => one.package_id === FIRST_PACKAGE),
      `must include the package ${FIRST_PACKAGE}, which agencies start with`,
    ),
});

const HostName = z
  .string()
  .trim()
  .toLowerCase()
  .max(253, 'must not exceed 253 characters')
  .regex(/^([a-z0-9]([a-z0-9.-]*[a-z0-9])?)?$/, 'must be a server name such as smtp.example.com');
/** The ports on which mail servers accept email. */
export const SMTP_PORTS = [25, 465, 587, 2465, 2525, 2587] as const;

/**
 * A tenant's own mail server (spec product 2, general-setting). Without a host, its email goes through the platform's.
 */
export const Smtp = z
  .object({
    host: HostName.describe('Empty: none'),
    port: z
      .int('must be a port such as 587')
      .min(1, 'must be a port such as 587')
      .max(65_535, 'must be a port such as 587'),
    security: z.enum(['starttls', 'tls', 'none'], 'must be starttls, tls or none'),
    username: z.string().trim().max(255, 'must not exceed 255 characters'),
    password: z
      .string()
      .max(1024, 'must not exceed 1024 characters')
      .default('')
      .describe('Write-only. Empty: keeps the saved password if host and user stay the same'),
    from_name: z.union([z.literal(''), Line]),
    from_address: z.union([z.literal(''), Email]),
  })
  .superRefine((value, ctx) => {
    if (value.host && !value.from_address)
      ctx.addIssue({ code: 'custom', path: ['from_address'], message: 'is required' });
  });

/** The defaults for new agencies of a root (spec product 3, Setup-check response). */
export const AgencyDefaults = z.object({
  rootPaymentTermsNewAgencies: z
    .array(z.enum(PAYMENT_TERMS, 'must be Weekly, Monthly, One Time, or Prepaid'))
    .min(1, messages.selectPaymentTerm)
    .max(PAYMENT_TERMS.length),
  agencyDefaultModules: z
    .array(z.enum(MODULES.map(({ module }) => module) as [string, ...string[]], 'is not a product'))
    .max(MODULES.length),
});

/** What a root sells: its modules, and the features that are in trial (BETA-01). */
export const Products = z.object({
  modules: z
    .array(z.enum(MODULES.map(({ module }) => module) as [string, ...string[]], 'is not a product'))
    .min(1, 'must have at least one product')
    .max(MODULES.length)
    .describe('Products that its agencies and clients can have'),
  betaFeature: z
    .array(
      z.object({
        id: z.int(),
        is_beta: z.boolean().describe('Whether it is offered as a beta feature; false: to no one'),
        apply_to_all_agency: z.boolean().describe('false: offered to agencies that are beta users'),
      }),
    )
    .max(3)
    .describe('Omitted features stay unchanged'),
});

/** The hidden sidebar entries; an entry added later is shown until it is hidden. */
const sidebarOf = <E extends string>(entries: readonly [E, ...E[]]) =>
  z.object({
    hidden: z
      .array(z.enum(entries, 'is not an entry that can be hidden'))
      .max(entries.length, `must not have more than ${entries.length} entries`)
      .transform((names) => entries.filter((name) => names.includes(name)))
      .describe('Pages hidden from the sidebar'),
  });
/** The sidebar entries that a root hides from its agencies. */
export const AgencySidebar = sidebarOf(AGENCY_ENTRIES);
/** The sidebar entries that an agency hides from its clients. */
export const ClientSidebar = sidebarOf(CLIENT_ENTRIES);

/**
 * The confidence below which an agency is not billed for a match, so that the match does not become a lead, whatever
 * its campaigns require.
 */
export const BillingThreshold = z.object({
  least_confidence: z
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(99, 'must be 99 or less'),
});

/** How long clients can return leads, and which returns need no decision (docs/decisions/0340-returns.md). */
export const LeadReturns = z.object({
  window_days: z
    .int('must be a whole number of days')
    .min(0, 'must be at least 0')
    .max(MOST_RETURN_DAYS, `must be ${MOST_RETURN_DAYS} or less`)
    .nullable()
    .describe('0: leads cannot be returned; null: what the platform allows'),
  automatic: z
    .array(z.enum(PROVABLE_REASONS, 'is not a reason that can be proven'))
    .max(PROVABLE_REASONS.length, `must not have more than ${PROVABLE_REASONS.length} reasons`)
    .transform((reasons) => PROVABLE_REASONS.filter((one) => reasons.includes(one)))
    .describe('Reasons for which a proven return is approved automatically. Agencies only'),
});

/** The days after a first failed charge on which an invoice is charged again. */
export const RETRY_DAYS = [1, 3, 5, 7] as const;
/**
 * Applies to all invoices in a root's system, its own and its agencies'; invoices that have already failed follow it
 * from their next failure on.
 */
export const Dunning = z.object({
  retry_days: z
    .array(z.int('must be a whole number of days').min(1, 'must be at least 1').max(30, 'must be 30 or less'))
    .min(1, 'must have at least one day')
    .max(10, 'must have no more than 10 days')
    .refine((days) => days.every((day, i) => i === 0 || day > days[i - 1]!), 'must be in ascending order'),
});

/** The lowest daily lead limit that an Enhance ID campaign may have; 0 means no minimum (spec calls 7). */
export const LeastLeads = z.object({
  minleaddayenhance: z.coerce
    .number()
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(1_000_000, 'must not exceed 1000000'),
});

/** Every setting by its name on the wire, with the shape of its value. */
const SHAPES = {
  branding: Branding,
  rootAgencyEmbeddedCode: EmbeddedCode,
  registration: Registration,
  secondfactor: SecondFactor,
  modulenames: ModuleNames,
  costagency: CostAgency,
  agencyonboardingcustom: Onboarding,
  rootminspend: RootMinSpend,
  minleaddayenhance: LeastLeads,
  packages: Packages,
  smtp: Smtp,
  agencydefaults: AgencyDefaults,
  products: Products,
  agencysidebar: AgencySidebar,
  clientsidebar: ClientSidebar,
  billingthreshold: BillingThreshold,
  dunning: Dunning,
  leadreturns: LeadReturns,
} as const;
type WireName = keyof typeof SHAPES;
/** The same by the name inside. */
export const SETTINGS = Object.fromEntries(
  Object.entries(SHAPES).map(([name, shape]) => [insideName(name), shape]),
) as { [N in WireName as InsideName<N>]: (typeof SHAPES)[N] };
export type SettingName = keyof typeof SETTINGS;
export type SettingValue<N extends SettingName> = Inside<z.output<(typeof SETTINGS)[N]>>;

const Name = z.enum(Object.keys(SHAPES) as [WireName, ...WireName[]], {
  error: ({ input }) =>
    input === undefined
      ? 'is required'
      : typeof input === 'string'
        ? `${input.slice(0, 60)} is not a setting`
        : 'must be the name of a setting',
});
const shapes = Object.values(SHAPES);
/** A setting's value. */
const Value = oneOf(shapes);

/** A setting's current value. `version` is sent with the next save, so that two editors cannot overwrite each other. */
export const Setting = z.object({
  company_id: Id,
  settingname: Name,
  version: z.int(),
  data: Value,
  rootcostagency: Value.optional().describe(
    'With costagency: the root’s values, whose cost per lead is the minimum for enhance and b2b',
  ),
  dpay: z.string().optional().describe('With costagency: the selected payment term'),
  planned: z
    .array(z.object({ effective_from: Instant, data: Value }))
    .optional()
    .describe('With costagency: costs that take effect later'),
});

/** A record that must be in the DNS, and what was found there. */
export const DnsRecord = z.object({
  type: z.enum(['TXT', 'CNAME', 'A']),
  name: z.string(),
  value: z.string(),
  /** unknown: not checked yet; unanswered: the name servers did not respond. */
  status: z.enum(['unknown', 'found', 'missing', 'wrong', 'unanswered']),
  found: z.array(z.string()),
});

export const DomainState = z.object({
  company_id: Id,
  subdomain: z.string().describe("The name under the root's domain, or empty"),
  subdomain_suffix: z.string().describe("The part after it, such as '.example.com'; empty if there is none"),
  domain: z.string().nullable().describe('The custom domain in use'),
  claim: z
    .object({
      domain: z.string(),
      status: z.enum(['waiting', 'verified', 'failing']),
      records: z.array(DnsRecord),
      taken: z.boolean().describe('Someone else has verified this domain in the meantime'),
      checked_at: Instant.nullable(),
      next_check_at: Instant,
      verified_at: Instant.nullable(),
      failing_since: Instant.nullable(),
      serves_until: Instant.nullable().describe('When a failing domain will stop being served'),
    })
    .nullable(),
  status: z.enum(['none', 'waiting', 'verified', 'failing']),
});

const Company = {
  companyID: Id.optional().describe('Another company in the system; defaults to your own'),
};

/** The query of an upload of an image. */
export const PictureUpload = z.object({
  ...Company,
  purpose: z.enum(['logo', 'favicon'], 'must be logo or favicon'),
});

/** How a mail server responded. */
const MailTest = z.object({
  result: z.enum(['success', 'failed']),
  message: z.string().describe('Description of what happened'),
  answer: z.string().describe("The server's response; empty: there was none"),
});

export const settings = {
  all: call
    .route({
      method: 'GET',
      path: '/configuration/setting',
      tags: ['Settings'],
      summary: 'Returns all settings of a company',
    })
    .meta({ access: 'setting.read' })
    .input(z.object({ ...Company, settingname: Name.optional() }))
    .output(z.object({ data: z.array(Setting) })),
  get: call
    .route({
      method: 'GET',
      path: '/configuration/setting/{companyID}/{settingname}',
      tags: ['Settings'],
      summary:
        "Returns one setting by name; a root's sales can read the costs and product names of agencies assigned to them",
    })
    .meta({ access: 'setting.get' })
    .input(z.object({ companyID: Id, settingname: Name }))
    .output(Setting),
  save: call
    .route({
      method: 'PUT',
      path: '/configuration/setting',
      tags: ['Settings'],
      summary: "Saves one setting; a root's sales can save the costs of agencies assigned to them",
    })
    .meta({ access: 'setting.save' })
    .input(
      z.object({
        ...Company,
        comsetname: Name,
        comsetval: oneOf(shapes, true),
        version: z
          .int()
          .min(0)
          .optional()
          .describe('The version that was edited. If omitted, the current version'),
        effective_from: GivenDay.optional().describe(
          'With costagency: from the start of this day, up to two years ahead; changes can be planned for up to 20 days. If omitted, from now on',
        ),
      }),
    )
    .output(Done.extend({ data: Setting })),
  onboarding: call
    .route({
      method: 'GET',
      path: '/configuration/setting/onboarding-charge/{companyID}',
      tags: ['Settings'],
      summary: 'Returns the one-time onboarding charge of an agency (getOnboardAgencySettings)',
    })
    .meta({ access: 'cost.write' })
    .input(z.object({ companyID: Id }))
    .output(z.object({ data: z.object({ amount: Dollars, enable_coupon: Flag }) })),
  saveOnboarding: call
    .route({
      method: 'PUT',
      path: '/configuration/setting/onboarding-charge',
      tags: ['Settings'],
      summary: 'Sets the onboarding charge (setAgencyOnboardingCharge); 0: no charge',
    })
    .meta({ access: 'cost.write', notInView: true })
    .input(z.object({ CompanyID: Id, amount: OnboardingAmount, enable_coupon: Flag.default('F') }))
    .output(Done.extend({ status: z.literal('success') })),
  domain: call
    .route({
      method: 'GET',
      path: '/configuration/custom-domain',
      tags: ['Settings'],
      summary: 'Returns the subdomain and custom domain with their DNS records and status',
    })
    .meta({ access: 'setting.read' })
    .input(z.object(Company))
    .output(DomainState),
  saveSubdomain: call
    .route({
      method: 'PUT',
      path: '/configuration/subdomain',
      tags: ['Settings'],
      summary: 'Changes the subdomain',
    })
    .meta({ access: 'owner.write', notInView: true, fresh: true })
    .input(z.object({ ...Company, subdomain: z.string().max(300) }))
    .output(Done.extend({ data: DomainState })),
  saveDomain: call
    .route({
      method: 'PUT',
      path: '/configuration/update-custom-domain',
      tags: ['Settings'],
      summary: 'Sets a custom domain, or removes it (empty)',
    })
    .meta({ access: 'owner.write', notInView: true, fresh: true })
    .input(z.object({ ...Company, domain: z.string().max(2000) }))
    .output(Done.extend({ data: DomainState })),
  checkDomain: call
    .route({
      method: 'POST',
      path: '/configuration/custom-domain/check',
      tags: ['Settings'],
      summary: 'Checks the DNS records now',
    })
    .meta({ access: 'setting.write' })
    .input(z.object(Company))
    .output(Done.extend({ data: DomainState })),
  testSmtp: call
    .route({
      method: 'POST',
      path: '/configuration/user/testsmtp',
      tags: ['Settings'],
      summary: 'Connects and signs in to a mail server before it is saved; sends nothing',
    })
    .meta({ access: 'setting.write', notInView: true })
    .input(z.object({ ...Company, smtp: Smtp }))
    .output(MailTest),
  testEmail: call
    .route({
      method: 'POST',
      path: '/configuration/setting/test-email',
      tags: ['Settings'],
      summary: 'Sends you an email through the saved mail server',
    })
    .meta({ access: 'setting.write', notInView: true })
    .input(z.object(Company))
    .output(MailTest),
};
