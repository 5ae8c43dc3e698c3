// Plain lists shared by server and browser: no schema here, so that none is sent to the browser.

/** First path segments reserved for us: no module may use these names. */
export const RESERVED_SLUGS = [
  'a',
  'agency-register',
  'api',
  'ask',
  'assets',
  'audience',
  'banner',
  'brand',
  'campaign',
  'campaign-setup',
  'client',
  'configuration',
  'confirm-email',
  'dashboard',
  'alerts',
  'deliveries',
  'developer',
  'download-auth',
  'favicon',
  'healthz',
  'integrations',
  'leads',
  'login',
  'logout',
  'marketing-services-agreement-developer',
  'oauth',
  'p',
  'privacy',
  'privacy-policy',
  'readyz',
  'register',
  'reset-password-invalid',
  'returns',
  'service-billing-agreement',
  'set-new-password',
  'setup',
  'sso',
  'static',
  'term-of-use',
  'theme',
  'unsubscribe',
  'user',
  'v',
  'v1',
  'verify',
] as const;

/** The modules with their global names and addresses (spec product 1). */
export const MODULES = [
  { module: 'local', name: 'Site ID', slug: 'site-id' },
  { module: 'locator', name: 'Search ID', slug: 'search-id' },
  { module: 'enhance', name: 'Enhance ID', slug: 'enhance-id' },
  { module: 'b2b', name: 'B2B ID', slug: 'b2b-id' },
  { module: 'simplifi', name: 'Simplifi ID', slug: 'simplifi-id' },
] as const;
export type ModuleType = (typeof MODULES)[number]['module'];
/** The modules that produce leads. */
export const LEAD_MODULES = ['local', 'locator', 'enhance', 'b2b'] as const satisfies readonly ModuleType[];

/** The states of the United States by their codes, for addresses. */
export const US_STATES: Readonly<Record<string, string>> = /* @__PURE__ */ Object.fromEntries(
  (
    'AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,' +
    'DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,' +
    'KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,' +
    'MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,' +
    'NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,PR Puerto Rico,' +
    'RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,' +
    'WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming'
  )
    .split(',')
    .map((one) => [one.slice(0, 2), one.slice(3)]),
);

/** The available payment terms (spec calls 9). */
export const PAYMENT_TERMS = ['Weekly', 'Monthly', 'One Time', 'Prepaid'] as const;
export type PaymentTermName = (typeof PAYMENT_TERMS)[number];

/** The payment terms as the agency cost setting spells them (spec product 3). */
export const COST_TERMS = {
  Weekly: 'Weekly',
  Monthly: 'Monthly',
  OneTime: 'One Time',
  Prepaid: 'Prepaid',
} as const;
export type CostTerm = keyof typeof COST_TERMS;

/** What a fee is for: once at the start, monthly, per lead, or per lead with advanced information. */
export type CostPart = 'setup' | 'month' | 'lead' | 'advanced' | 'company';

/** The fees of the agency cost setting by module, under their names (spec product 3). Simplifi: master root's tree only. */
export const COST_FIELDS = {
  local: {
    LeadspeekPlatformFee: 'setup',
    LeadspeekMinCostMonth: 'month',
    LeadspeekCostperlead: 'lead',
    LeadspeekCostperleadAdvanced: 'advanced',
    LeadspeekCostperleadCompany: 'company',
  },
  locator: { LocatorPlatformFee: 'setup', LocatorMinCostMonth: 'month', LocatorCostperlead: 'lead' },
  enhance: { EnhancePlatformFee: 'setup', EnhanceMinCostMonth: 'month', EnhanceCostperlead: 'lead' },
  b2b: { B2bPlatformFee: 'setup', B2bMinCostMonth: 'month', B2bCostperlead: 'lead' },
  simplifi: { SimplifiPlatformFee: 'setup', SimplifiMinCostMonth: 'month' },
} as const satisfies Record<ModuleType, Record<string, CostPart>>;

/** Modules whose cost per lead may not go below the root's (spec product 5). */
export const MINIMUM_MODULES: readonly ModuleType[] = ['enhance', 'b2b'];

/** The default suggested minimum spend, US dollars per month, where none has been set (spec calls 9). */
export const FLAT_MINIMUM = '349.00';

/** What lists can be sorted by, in the order of their columns. */
export const COMPANY_SORTS = ['company_name', 'full_name', 'email', 'created_at'] as const;
export type CompanySort = (typeof COMPANY_SORTS)[number];
/** Of COMPANY_SORTS, those of people. */
export const STAFF_SORTS = ['full_name', 'email', 'created_at'] as const;
export const CAMPAIGN_SORTS = [
  'campaign_name',
  'company_name',
  'status',
  'created_at',
  'leads_30d',
  'campaign_number',
] as const;
export const CLIENT_SORTS = ['company_name', 'active', 'leads_30d', 'spend_30d', 'balance'] as const;
export const KEYWORD_COUNT_SORTS = [
  'created_at',
  'count',
  'count_without_geo',
  'keyword',
  'location',
  'status',
] as const;

/** How many leads can be chosen for one file. */
export const MAX_CHOSEN = 200;
