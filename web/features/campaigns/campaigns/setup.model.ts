import { INFORMATION_FIELDS, type InformationKey } from '../../../../contract/audience/enrichment-fields.ts';
import { LEAST_TOLD } from '../../../../contract/audience/signals-messages.ts';
import { campaignRules, ruleInputsSent } from '../../../../contract/campaigns/campaign-rules.ts';
import type { ModuleType } from '../../../../contract/choices.ts';
import { ApiError } from '../../../api/errors.ts';
import { audienceOf } from './audience.ts';
import { type CampaignValues, siteOf } from './model.ts';
import { keywordsOf } from './target.ts';

/** The products, with what each targets by. */
export const KINDS: { module: ModuleType; name: string; text: string }[] = [
  {
    module: 'local',
    name: 'Site ID',
    text: 'Recognizes the visitors to a site with your pixel. Those found in the people data become leads.',
  },
  {
    module: 'locator',
    name: 'Search ID',
    text: 'Finds people who have shown interest in your keywords, anywhere or in the places you choose.',
  },
  {
    module: 'enhance',
    name: 'Enhance ID',
    text: 'Finds more people, because the words of your keywords can appear in any order. Leads include the personal data you choose.',
  },
  {
    module: 'b2b',
    name: 'B2B ID',
    text: 'Finds people at work by keywords, job, and company. Leads include the company data you choose.',
  },
  { module: 'simplifi', name: 'Simplifi ID', text: 'Shows your ads to the people you choose.' },
];

/** The steps, in order, the same for every product. */
export const STEPS = ['campaign', 'audience', 'leads', 'price'] as const;
export type StepKey = (typeof STEPS)[number];
export type Module = CampaignValues['module'];

/** The rules whose inputs are in a part of the form. */
const rulesIn = (...parts: string[]) =>
  campaignRules.filter(([, rule]) => parts.includes(rule.in)).map(([name]) => name);

/** Which fields are checked before moving on from a step. */
export const STEP_FIELDS: Record<StepKey, (keyof CampaignValues)[]> = {
  campaign: ['module', 'company_id', 'campaign_name', 'site_url', 'thank_you_url', 'site_hosts', 'group_id'],
  audience: [
    'keywords',
    'location',
    'states',
    'cities',
    'zips',
    'description',
    'job_titles',
    'seniority',
    'department',
    'industry',
    'company_size',
    ...rulesIn('fits'),
  ],
  leads: [
    'advance_information',
    'b2b_information',
    ...rulesIn('needs', 'which', 'scores'),
    'daily_cap',
    'limit_every',
    'limit_starts_on',
    'limit_ends_on',
    'minimum_limit',
    'starts_on',
    'ends_on',
    'notify_every',
    'notify_to',
    'report',
    'report_to',
  ],
  price: [
    'lead_price',
    'lead_price_advanced',
    'lead_price_b2b',
    'lead_price_company',
    'lead_price_max',
    'monthly_fee',
    'platform_fee',
    'term',
    'topup',
    'leads_buy',
  ],
};

/** Returns the first step with a field that the server refused; undefined if there is none. */
export function firstWrongStep(error: unknown): StepKey | undefined {
  const fields = error instanceof ApiError ? Object.keys(error.errors) : [];
  return STEPS.find((key) =>
    fields.some((field) => (STEP_FIELDS[key] as string[]).includes(field.split('.')[0]!)),
  );
}

/** Returns what a campaign's leads will contain, with an example, and which parts are always included. */
export function contentsOf(
  values: Pick<
    CampaignValues,
    | 'module'
    | 'email_required'
    | 'phone_required'
    | 'address_required'
    | 'site_url'
    | 'min_confidence'
    | 'keywords'
    | 'advance_information'
    | 'b2b_information'
  >,
): { field: string; example: string; isSure: boolean }[] {
  const asked = new Set<number>([...values.advance_information, ...values.b2b_information]);
  return [
    { field: 'Name', example: 'Ada Example', isSure: false },
    { field: 'Email', example: 'ada@people.example', isSure: values.email_required },
    { field: 'Phone', example: '(202) 555-0123', isSure: values.phone_required },
    {
      field: 'Address',
      example: '1 Example Street, Springfield, IL 62701',
      isSure: values.address_required,
    },
    { field: 'Company and job', example: 'Example Company, Tester', isSure: false },
    ...INFORMATION_FIELDS.filter(({ id }) => asked.has(id)).map(({ key, name }) => ({
      field: name,
      example: EXAMPLES[key],
      isSure: false,
    })),
    values.module === 'local'
      ? { field: 'Page', example: siteOf(values.site_url) || 'https://www.example.com', isSure: true }
      : {
          field: 'Signals',
          example: `Looked for ${keywordsOf(values.keywords)[0] ?? 'a keyword'}, with page and time`,
          isSure: true,
        },
    {
      field: 'Matched by',
      example: `Why it is this person, with ${values.min_confidence || 0}% confidence or higher`,
      isSure: true,
    },
  ];
}

/** Made-up values of data fields. */
const EXAMPLES: Record<InformationKey, string> = {
  age_range: '35 to 44',
  gender: 'Female',
  marital_status: 'Married',
  children: 'Yes',
  home_owner: 'Homeowner',
  income_range: '$75,000 to $99,999',
  net_worth_range: '$100,000 to $249,999',
  credit_range: '700 to 749',
  occupation: 'Teacher',
  veteran: 'No',
  job_title: 'Marketing Manager',
  headline: 'Marketing Manager at Example Company',
  seniority: 'Manager',
  department: 'Marketing',
  company_name: 'Example Company',
  company_domain: 'company.example',
  industry: 'Software',
  company_size: '51 to 200',
  company_revenue: '$10M to $25M',
  company_phone: '(202) 555-0199',
  business_email: 'ada@company.example',
  linkedin: 'linkedin.example/in/ada',
  naics: '511210',
  sic: '7372',
};

/** Returns the count behind a campaign's estimate, as the call takes it; for a given company if an agency asks. */
export function countOf(values: CampaignValues, companyId: string | undefined) {
  return {
    ...(companyId ? { company_id: companyId } : {}),
    module: values.module as 'locator',
    location: values.location,
    states: values.states,
    cities: values.cities,
    zips: values.zips,
    keyword: values.keywords,
    ...(values.module === 'b2b' ? audienceOf(values) : {}),
    ...ruleInputsSent(values),
    tell: 'F' as const,
  };
}

const DAYS = { day: 1, week: 7, month: 30 };

/** Expected leads over time, in terms of the limit. */
export interface Expected {
  /** Leads on the first day: everyone who already qualifies, up to the limit. */
  now: number;
  /** Leads a day once the backlog is gone. */
  aDay: number;
  /** Days until the backlog is gone; 0: at once. Infinity: the limit is below the incoming rate. */
  backlogDays: number;
  isLimited: boolean;
  costNow: number;
  costADay: number;
  /** A daily limit that spreads the backlog over about a week; null if there is no backlog to spread. */
  suggested: number | null;
}

/**
 * Estimates the leads of a campaign from the number of people in seven days who would become leads: all of them at once
 * when it starts, then a seventh of them per day, both up to the limit. Amounts are in micro-dollars, like `price`, the
 * price of one lead.
 */
export function estimateOf(given: {
  deliverable: number;
  price: number;
  limit: number | null;
  every: keyof typeof DAYS;
}): Expected {
  const { deliverable, price, limit, every } = given;
  const free = deliverable / 7;
  // A limit of a week or a month may be used up on its first day.
  const first = limit === null ? deliverable : Math.min(deliverable, limit);
  const most = limit === null ? Number.POSITIVE_INFINITY : limit / DAYS[every];
  const aDay = Math.min(free, most);
  const left = deliverable - first;
  return {
    now: first,
    aDay,
    backlogDays: left === 0 ? 0 : most > free ? Math.ceil(left / (most - free)) : Number.POSITIVE_INFINITY,
    isLimited: first < deliverable || most < free,
    costNow: Math.round(first * price),
    costADay: Math.round(aDay * price),
    suggested: deliverable >= LEAST_TOLD ? Math.ceil(free * 2) : null,
  };
}

/** Whether a count of people is too small to be told, because it would say something about single people. */
export const isFew = (count: number): boolean => count < LEAST_TOLD;

/** A count of people as it is told. */
export const peopleWords = (count: number): string =>
  isFew(count) ? `Fewer than ${LEAST_TOLD}` : count.toLocaleString('en-US');

/** What leads and costs are estimated from: of few people, the most that there can be, since they may all be charged. */
export const mostOf = (count: number): number => (isFew(count) ? LEAST_TOLD - 1 : count);
