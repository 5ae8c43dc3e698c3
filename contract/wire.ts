import { COMPANY_FIELDS, type CompanyFieldName } from './accounts/company-fields.ts';
import { CAMPAIGN_RULES, type RuleName } from './campaigns/campaign-rules.ts';

/**
 * The names of the specification's wire, each with its name inside: what handlers, services, stores, and pages call it.
 * Inside, a field is called like its column. Which name a field has inside depends on its wire name alone. Two wire
 * names may share a name inside, but never in one object (wire.test.ts). Names that are missing are the same on both
 * sides. The server converts in server/platform/http, the web in web/api.
 */
const NAMES = {
  // Ads
  maxBid: 'max_bid',
  monthlyBudget: 'monthly_budget',
  dailyBudget: 'daily_budget',
  goalValue: 'goal_value',
  goalType: 'goal_type',
  agencyMarkup: 'agency_markup',
  remainingDays: 'remaining_days',
  totalSpend: 'total_spend',

  // Lists
  Page: 'page',
  PerPage: 'per_page',
  sortby: 'sort',
  searchQuery: 'search',
  minScore: 'min_score',
  Exclude: 'exclude',
  Filters: 'filters',
  CardStatus: 'card_status',
  CampaignStatus: 'campaign_status',
  inAgencyList: 'in_agency_list',
  startDate: 'starts_on',
  endDate: 'ends_on',
  idempotencyKey: 'idempotency_key',
  timezone: 'time_zone',
  msg: 'message',

  // Companies
  companyID: 'company_id',
  CompanyID: 'company_id',
  companyId: 'company_id',
  ownedcompanyid: 'company_id',
  clientID: 'client_id',
  ClientID: 'id',
  packageID: 'package_id',
  idsys: 'root_id',
  company_root_id: 'root_id',
  companyrootid: 'root_id',
  masteridsys: 'master_root_id',
  company_parent: 'parent_id',
  companyparentname: 'parent_name',
  companyparentlogo: 'parent_logo',
  colors_parent: 'parent_colors',
  ClientCompanyName: 'company_name',
  companyname: 'company_name',
  DownlineSubDomain: 'subdomain_name',
  orisubdomain: 'subdomain_name',
  DownlineDomain: 'domain',
  ClientDomain: 'client_domain',
  domainName: 'host',
  domainorsub: 'host',
  ClientWhiteLabeling: 'white_labelling',
  is_whitelabeling: 'white_labelling',
  ApiMode: 'api_mode',
  is_user_generate_api: 'has_api_key',
  betaUser: 'beta_user',
  isBeta: 'beta_user',
  betaFeature: 'beta_features',
  apply_to_all_agency: 'for_all',
  selectedmodules: 'selected_modules',
  selectedterms: 'selected_terms',
  selected_payment_term: 'selected_terms',
  rootmodules: 'root_modules',
  rootsidemenu: 'root_modules',
  sidemenu: 'modules',
  agency_side_menu: 'menu_modules',
  agencyFilteredModules: 'agency_modules',
  rootpaymentterm: 'root_terms',
  paymenttermlist: 'payment_terms',
  customer_payment_id: 'card_id',
  customer_card_id: 'card_id',
  status_acc: 'account_status',
  accountconnected: 'account_status',
  company_agreement_file: 'agreement_file',
  companyrootname: 'root_name',
  companyrootlegalname: 'root_legal_name',
  companyrootnameshort: 'root_short_name',
  userrootname: 'root_user_name',
  userrootemail: 'root_user_email',
  userrootaddress: 'root_user_address',
  agencyplatformroot: 'is_master_root',
  rootcomp: 'is_root',

  // Who is responsible for a company
  salesrep: 'sales_rep',
  salesrepid: 'sales_rep_id',
  salesRep: 'sales_rep_id',
  accountexecutive: 'account_executive',
  accountexecutiveid: 'account_executive_id',
  salesAE: 'account_executive_id',
  accountref: 'referrer',
  accountrefid: 'referrer_id',
  salesRef: 'referrer_id',

  // Users
  userID: 'user_id',
  searchUser: 'search',
  type_user_tx: 'type_user',
  create_date: 'created_at',
  logDateRange: 'range',
  campaignID: 'campaign_id',
  userId: 'user_id',
  usrID: 'user_id',
  currentUserID: 'current_user_id',
  ClientFullName: 'full_name',
  ClientEmail: 'email',
  ClientPhone: 'phone',
  phonenum: 'phone',
  ClientPhoneCountryCode: 'phone_country',
  phone_country_code: 'phone_country',
  ClientPhoneCountryCallingCode: 'phone_calling',
  phone_country_calling_code: 'phone_calling',
  userType: 'user_type',
  user_type_ori: 'true_user_type',
  user_permissions_view_mode: 'true_permissions',
  isViewMode: 'in_view_mode',
  systemuser: 'system_user',
  defaultAdmin: 'is_default_admin',
  customercare: 'customer_care',
  adminGetNotification: 'gets_notices',
  disabledreceivedemail: 'mail_off',
  disabledaddcampaign: 'campaigns_closed',
  client_add_campaign_disabled: 'campaigns_closed',
  isAccExecutive: 'is_account_executive',
  twoFactorAuth: 'two_factor_auth_type',
  profile_pict: 'picture_url',
  franchize: 'franchise',
  franchizedirector: 'franchise_director',
  officemanager: 'office_manager',
  ip_login: 'ip',

  // Roles
  ClientRole: 'role',
  roleID: 'role_id',
  roleName: 'role_name',
  roleModule: 'modules',
  getType: 'kind',
  settingMenuShow_create: 'settings_create',
  settingMenuShow_update: 'settings_update',
  settingMenuShow_delete: 'settings_delete',

  // Signing in
  currpassword: 'current_password',
  newpassword: 'new_password',
  qrCodeUrl: 'qr_code_url',
  secretKey: 'secret_key',
  refcode: 'referral_code',
  gtoken: 'captcha_token',
  recapkey: 'captcha_key',
  isRegisterAccount: 'registration_open',

  // Setting up
  accessmodule: 'access',
  accessmodule_agency: 'agency_access',
  setupcomplete: 'setup_complete',
  paymentStatusFailed: 'payment_failed',
  paymentgateway: 'gateway',
  sppubkey: 'publishable_key',
  fcampid: 'first_campaign_id',
  finamt: 'first_amount',
  agency_onboarding_status: 'onboarding_on',
  agency_onboarding_price: 'onboarding_price',
  agency_enable_coupon: 'enable_coupon',
  is_onboard_charged: 'onboarding_charged',
  exclude_onboard_charge: 'excluded_onboarding',
  exclude_minimum_spend: 'excluded_minimum_spend',
  minspend_setting: 'minimum_spend',
  isAgreementV2: 'agreed_v2',
  isAgreementV3: 'agreed_v3',
  isDataWalletAgree: 'wallet_agreed',
  is_marketing_services_agreement_developer: 'developer_agreed',
  is_marketing_services_agreement_feature: 'feature_agreed',

  // Settings, and their names
  settingname: 'setting',
  comsetname: 'setting',
  comsetval: 'value',
  rootAgencyEmbeddedCode: 'embed_code',
  placeEmbedded: 'place',
  embeddedcode: 'code',
  secondfactor: 'second_factor',
  modulenames: 'module_names',
  leadlocalname: 'local_name',
  leadlocalurl: 'local_url',
  leadlocatorname: 'locator_name',
  leadlocatorurl: 'locator_url',
  leadenhancename: 'enhance_name',
  leadenhanceurl: 'enhance_url',
  leadb2bname: 'b2b_name',
  leadb2burl: 'b2b_url',
  leadsimplifiname: 'simplifi_name',
  leadsimplifiurl: 'simplifi_url',
  costagency: 'agency_costs',
  rootcostagency: 'root_costs',
  dpay: 'term',
  agencyonboardingcustom: 'onboarding_charge',
  rootminspend: 'minimum_spend',
  minleaddayenhance: 'minimum_leads',
  agencydefaults: 'agency_defaults',
  rootPaymentTermsNewAgencies: 'default_terms',
  agencyDefaultModules: 'default_modules',
  agencysidebar: 'agency_sidebar',
  clientsidebar: 'client_sidebar',
  billingthreshold: 'billing_threshold',
  leadreturns: 'lead_returns',

  // Campaigns
  leadspeekID: 'campaign_id',
  leadspeek_api_id: 'campaign_number',
  leadspeekType: 'module',
  moduleType: 'module',
  leadspeek_type: 'modules',
  campaignName: 'campaign_name',
  statusReason: 'state_reason',
  companyGroupID: 'group_id',
  urlCode: 'site_url',
  urlCodeThankyou: 'thank_you_url',
  siteHosts: 'site_hosts',
  LimitLead: 'daily_cap',
  LimitLeadFreq: 'limit_every',
  LimitLeadStart: 'limit_starts_on',
  LimitLeadEnd: 'limit_ends_on',
  enableMinimumLimitLeads: 'has_minimum_limit',
  minimumLimitLeads: 'minimum_limit',
  leadsAmountNotification: 'notify_every',
  adminNotifyTo: 'notify_to',
  reportType: 'report_type',
  reportFreq: 'report_every',
  reportSentTo: 'report_to',
  CostSet: 'lead_price',
  CostSetAdvanced: 'lead_price_advanced',
  CostSetB2b: 'lead_price_b2b',
  CostSetCompany: 'lead_price_company',
  CostMaxLead: 'lead_price_max',
  CostMonth: 'monthly_fee',
  PlatformFee: 'platform_fee',
  PaymentTerm: 'term',
  topupoptions: 'topup',
  leadsbuy: 'leads_buy',
  advanceInformation: 'advance_information',
  b2bInformation: 'b2b_information',
  locatorkeyword: 'keywords',
  locationtarget: 'location',
  target_location: 'location',
  nationaltargeting: 'is_national',
  locatorstate: 'states',
  locatorcity: 'cities',
  locatorzip: 'zips',
  zip_code: 'zips',
  locatordesc: 'description',
  locatorrequire: 'requirements',
  jobTitles: 'job_titles',
  companySize: 'company_size',

  // Leads, deliveries, exclusions, money
  leadId: 'lead_id',
  everyCampaign: 'every_campaign',
  connectionID: 'connection_id',
  deliveryID: 'delivery_id',
  paramID: 'owner_id',
  campaignType: 'level',
  campaigntype: 'level',
  ClientCompanyID: 'company_id',
  clientoptoutfile: 'file',
  ignoreAliases: 'ignore_aliases',
  filename: 'file_name',
  jobProgress: 'running',
  jobDone: 'done',
  subjectID: 'subject_id',
  manualBill: 'manual_bill',
  planMinSpendId: 'plan_id',
  plan_minspend_id: 'plan_id',
  planName: 'plan_name',
  plan_minspend_name: 'plan_name',
  flatMonth: 'flat',
  is_enable_topup_prepaid_direct_payment: 'topup_enabled',
} as const;

type Fields = typeof COMPANY_FIELDS;
type Rules = typeof CAMPAIGN_RULES;
/** Every name that differs inside, by its name on the wire. */
type Names = typeof NAMES & {
  [N in CompanyFieldName as Fields[N]['enter' | 'show']]: Fields[N] extends { inside: infer I } ? I : N;
} & { [N in RuleName as Rules[N]['wire']]: N };

/** Every name that differs inside, by its name on the wire. */
export const WIRE: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...Object.entries(NAMES),
    ...Object.entries(COMPANY_FIELDS).flatMap(([name, field]) =>
      [field.enter, field.show].map((wire) => [wire, 'inside' in field ? field.inside : name] as const),
    ),
    ...Object.entries(CAMPAIGN_RULES).map(([name, { wire }]) => [wire, name] as const),
  ].filter(([wire, inside]) => wire !== inside),
);

/** The fields whose value is a name: of the column to sort by, or of a setting. */
const NAMING = ['sortby', 'settingname', 'comsetname'] as const;
export const isNaming = (wire: string): boolean => (NAMING as readonly string[]).includes(wire);

/** The name inside of what has this name on the wire. */
export const insideName = (wire: string): string => (Object.hasOwn(WIRE, wire) ? WIRE[wire]! : wire);

/** The name inside of a name on the wire. */
export type InsideName<K> = K extends keyof Names ? Names[K] : K;

/** A value of the wire as it is inside: with the names there. */
export type Inside<T> = T extends readonly unknown[]
  ? { [I in keyof T]: Inside<T[I]> }
  : T extends object
    ? {
        [K in keyof T as InsideName<K> & PropertyKey]: K extends (typeof NAMING)[number]
          ? InsideName<T[K]>
          : Inside<T[K]>;
      }
    : T;
