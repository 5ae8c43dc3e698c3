import type { Permission } from '../accounts/permissions.ts';
import type { ModuleName, Role } from './routing-facts.ts';

/** The rules for individual pages; routing.ts explains what each does. */
export type RuleName =
  | 'registerOpen'
  | 'clientCard'
  | 'profileSetupV1'
  | 'notForSystem'
  | 'paymentAccount'
  | 'addCampaign'
  | 'accountExecutive'
  | 'companies'
  | 'reportAnalytics'
  | 'masterRoot'
  | 'developer'
  | 'outbox';

/** One page of the product (spec product 2). */
export interface PageRow {
  /** The page's id, which the web app's pages are registered under. */
  id: string;
  /** Its address: `{name}` is a required part, `{name?}` an optional one; `{module}` is a module's slug. */
  path: string;
  aliases?: readonly string[];
  title: string;
  /** Whether the page has the sidebar or fills the screen alone. */
  layout: 'bare' | 'frame';
  /** 'visitor': only while no one is signed in; 'protected': only for signed-in users. */
  guard: 'public' | 'visitor' | 'protected';
  /** Always redirects to this address. */
  to?: string;
  /** Who has the page; all other users get the 404 page. Absent: every signed-in user. */
  who?: readonly Role[];
  /** A permission that the user's grade must also have. */
  permission?: Permission;
  /** The permission module that a person with permission rows must have enabled (ROLE-01). */
  needs?: 'Ads Design' | 'Campaign' | 'LeadsPeek' | 'Settings';
  /** For `{module}`: the modules that have the page. Absent: all. */
  modules?: readonly ModuleName[];
  /** Checked in this order. */
  rules?: readonly RuleName[];
  /** Accessible while the agency's setup is incomplete. */
  duringSetup?: true;
  /** Runs the agency's embed code: pages where no one types a password, a card or a key. */
  embed?: true;
  /** Accessible despite any forced redirect: an account's security must not wait for a payment. */
  always?: true;
  /** Accessible after a failed payment: purchases and amounts owed stay readable. */
  whileUnpaid?: true;
}

const system = ['root', 'rootAdministrator'] as const;
const agency = ['agency', 'agencyAdministrator'] as const;
const notSales = [...system, ...agency, 'client'] as const;
const withLeads = ['local', 'locator', 'enhance', 'b2b'] as const;

const open = { layout: 'bare', guard: 'public' } as const;
const visitor = { layout: 'bare', guard: 'visitor' } as const;
const inside = { layout: 'frame', guard: 'protected' } as const;
const ads = { ...inside, who: notSales, needs: 'Ads Design', embed: true } as const;
const campaign = { ...inside, who: notSales, needs: 'Campaign', embed: true } as const;
const module = { ...inside, needs: 'LeadsPeek', embed: true } as const;
const setting = { ...inside, needs: 'Settings' } as const;

/** Every route of the product with its guard, restrictions and redirects, interpreted by `decide` in routing.ts. */
export const PAGES = [
  { id: 'home', path: '/', title: 'Home', ...open, to: '/login' },
  { id: 'login', path: '/login', title: 'Sign in', ...visitor },
  { id: 'register', path: '/register', title: 'Register', ...visitor, rules: ['registerOpen'] },
  {
    id: 'agency-register',
    path: '/agency-register/{referralCode?}',
    title: 'Register your agency',
    ...visitor,
  },
  {
    id: 'confirm-register',
    path: '/register/confirm/{token}',
    title: 'Complete your registration',
    ...open,
  },
  { id: 'unsubscribe', path: '/unsubscribe/{token}', title: 'Unsubscribe', ...open },
  { id: 'confirm-email', path: '/confirm-email/{token}', title: 'Your email address', ...open },
  { id: 'sso', path: '/sso', title: 'Single sign-on', ...open },
  { id: 'set-new-password', path: '/set-new-password/{token}', title: 'Set a new password', ...open },
  {
    id: 'reset-password-invalid',
    path: '/reset-password-invalid',
    title: 'This link cannot be used',
    ...open,
  },
  { id: 'setup', path: '/setup', title: 'Set-up', ...open },
  { id: 'privacy', path: '/privacy', title: 'Your privacy choices', ...open },
  { id: 'privacy-policy', path: '/privacy-policy', title: 'Privacy policy', ...open },
  { id: 'term-of-use', path: '/term-of-use', title: 'Terms of use', ...open },
  {
    id: 'service-billing-agreement',
    path: '/service-billing-agreement',
    title: 'Service and billing agreement',
    ...open,
  },
  {
    id: 'marketing-services-agreement-developer',
    path: '/marketing-services-agreement-developer',
    title: 'Marketing services agreement for developers',
    ...open,
  },
  { id: 'verify', path: '/verify', title: 'Check a file', ...open },
  {
    id: 'download-auth',
    path: '/download-auth/{pkdoc}',
    title: 'Download',
    ...inside,
    who: [...system, ...agency],
    duringSetup: true,
  },

  { id: 'user', path: '/user', title: 'Profile', ...inside, to: '/user/profile', duringSetup: true },
  { id: 'profile', path: '/user/profile', title: 'Profile', ...inside, duringSetup: true },
  { id: 'profile-setup', path: '/user/profile-setup', title: 'Profile setup', ...inside, duringSetup: true },
  {
    id: 'profile-setup-v1',
    path: '/user/profile-setup-v1',
    title: 'Profile setup',
    ...inside,
    duringSetup: true,
    rules: ['profileSetupV1'],
  },
  {
    id: 'card-setting',
    path: '/user/card-setting',
    title: 'Card Setting',
    ...inside,
    who: notSales,
    duringSetup: true,
    rules: ['clientCard'],
  },
  {
    id: 'sandbox-account',
    path: '/user/sandbox-account/{token}',
    title: 'Payment account (sandbox)',
    ...inside,
    permission: 'account.connect',
    duringSetup: true,
  },
  {
    id: 'questionnaire',
    path: '/user/questionnaire',
    title: 'Questionnaire',
    ...inside,
    who: [...system, ...agency, 'rootSales', 'agencySales'],
    duringSetup: true,
  },
  {
    id: 'questionnaire-add',
    path: '/user/questionnaire-add',
    title: 'New questionnaire',
    ...inside,
    who: [...system, ...agency, 'rootSales', 'agencySales'],
    duringSetup: true,
  },
  {
    id: 'sessions',
    path: '/user/sessions',
    title: 'Security',
    ...inside,
    duringSetup: true,
    always: true,
  },
  {
    id: 'developer',
    path: '/developer',
    title: 'Developer',
    ...inside,
    who: ['root', 'agency'],
    rules: ['developer'],
  },
  {
    id: 'authorize',
    path: '/oauth/authorize',
    title: 'Give access',
    layout: 'bare',
    guard: 'protected',
    who: ['root', 'agency'],
    rules: ['developer'],
  },

  {
    id: 'second-factor',
    path: '/user/second-factor',
    title: 'Set up a second factor',
    layout: 'bare',
    guard: 'protected',
    duringSetup: true,
    always: true,
  },

  {
    id: 'dashboard',
    path: '/dashboard',
    title: 'Dashboard',
    ...inside,
    embed: true,
    whileUnpaid: true,
    rules: ['notForSystem', 'paymentAccount'],
  },
  {
    id: 'leads',
    path: '/leads',
    title: 'Leads',
    ...module,
    permission: 'lead.read',
    whileUnpaid: true,
    rules: ['notForSystem', 'paymentAccount'],
  },
  { id: 'banner-create', path: '/banner/create', title: 'Create banner', ...ads },
  { id: 'banner-list', path: '/banner/list', title: 'Banners', ...ads },
  {
    id: 'client',
    path: '/client',
    aliases: ['/Client'],
    title: 'Clients',
    ...inside,
    embed: true,
    who: [...system, ...agency],
    permission: 'insight.read',
    needs: 'LeadsPeek',
  },
  { id: 'campaign', path: '/campaign', title: 'Campaigns', ...campaign },
  {
    id: 'campaign-setup',
    path: '/campaign-setup',
    title: 'Build Your Campaign',
    ...campaign,
    rules: ['addCampaign'],
  },
  { id: 'audience', path: '/audience', aliases: ['/Audience'], title: 'Audiences', ...campaign },
  {
    id: 'deliveries',
    path: '/deliveries',
    title: 'Deliveries',
    ...inside,
    who: [...agency, 'client'],
    permission: 'integration.read',
  },
  {
    id: 'returns',
    path: '/returns',
    title: 'Returns',
    ...inside,
    who: [...system, ...agency, 'client'],
    permission: 'lead.read',
  },
  {
    id: 'alerts',
    path: '/alerts',
    title: 'Alerts',
    ...inside,
    who: [...agency, 'client'],
    permission: 'integration.read',
  },
  {
    id: 'integrations',
    path: '/integrations',
    title: 'Integrations',
    ...inside,
    who: ['agency', 'client'],
  },
  {
    id: 'integration',
    path: '/integrations/{id}',
    title: 'Integration',
    ...inside,
    who: ['agency', 'client'],
  },

  {
    id: 'configuration',
    path: '/configuration',
    title: 'Configuration',
    ...inside,
    to: '/configuration/client-management',
  },
  {
    id: 'client-management',
    path: '/configuration/client-management',
    title: 'Client Management',
    ...inside,
    embed: true,
    who: [...system, ...agency, 'rootSales', 'agencySales'],
    rules: ['notForSystem', 'accountExecutive', 'companies'],
  },
  {
    id: 'offboardings',
    permission: 'client.offboard',
    path: '/configuration/offboarding',
    title: 'Offboarding',
    ...setting,
    who: agency,
  },
  {
    id: 'offboarding',
    permission: 'client.offboard',
    path: '/configuration/offboarding/{id}',
    title: 'Offboarding',
    ...setting,
    who: agency,
  },
  {
    id: 'transfers',
    permission: 'client.transfer',
    path: '/configuration/transfers',
    title: 'Transfers',
    ...setting,
    who: [...agency, 'client'],
  },
  {
    id: 'transfer',
    permission: 'client.transfer',
    path: '/configuration/transfers/{id}',
    title: 'Transfer',
    ...setting,
    who: [...agency, 'client'],
  },
  {
    id: 'root-list',
    permission: 'root.list',
    path: '/configuration/root/list',
    title: 'Root List',
    ...setting,
    who: system,
    rules: ['masterRoot'],
  },
  {
    id: 'agency-list',
    path: '/configuration/agency-list',
    title: 'Agency List',
    ...inside,
    who: [...system, 'rootSales'],
    rules: ['companies'],
  },
  {
    id: 'administrator-list',
    permission: 'person.read',
    path: '/configuration/administrator-list',
    title: 'Administrator List',
    ...setting,
    who: notSales,
  },
  {
    id: 'sales-account-list',
    permission: 'person.read',
    path: '/configuration/sales-account-list',
    title: 'Sales Rep & AE List',
    ...setting,
    who: system,
  },
  {
    id: 'role-list',
    permission: 'role.read',
    path: '/configuration/role-list',
    title: 'Role List',
    ...setting,
    who: [...system, ...agency],
  },
  {
    id: 'general-setting',
    permission: 'setting.read',
    path: '/configuration/general-setting',
    title: 'General Settings',
    ...setting,
    who: [...system, ...agency],
  },
  {
    id: 'agreements',
    permission: 'agreement.read',
    path: '/configuration/agreements',
    title: 'Agreements',
    ...inside,
    who: notSales,
    whileUnpaid: true,
  },
  {
    id: 'agreement',
    path: '/configuration/agreements/{document}',
    title: 'Agreement',
    ...inside,
    who: notSales,
    whileUnpaid: true,
  },
  {
    id: 'templates',
    permission: 'template.read',
    path: '/configuration/templates',
    title: 'Templates',
    ...setting,
    who: [...system, ...agency],
  },
  {
    id: 'template',
    permission: 'template.read',
    path: '/configuration/templates/{id}',
    title: 'Template',
    ...setting,
    who: [...system, ...agency],
  },
  {
    id: 'data-enrichment',
    permission: 'setting.read',
    path: '/configuration/data-enrichment',
    title: 'Data Enrichment',
    ...inside,
    who: [...system, ...agency],
  },
  {
    id: 'opt-out-list',
    path: '/configuration/opt-out-list',
    title: 'Exclusion List',
    ...inside,
    who: system,
  },
  {
    id: 'privacy-requests',
    permission: 'privacy.read',
    path: '/configuration/privacy-requests',
    title: 'Privacy Requests',
    ...setting,
    who: [...system, ...agency],
  },
  {
    id: 'exclusion-lists',
    path: '/configuration/exclusion-lists',
    title: 'Exclusion Lists',
    ...inside,
    who: [...agency, 'client'],
    permission: 'exclusion.read',
  },
  {
    id: 'report-analytics',
    path: '/configuration/report-analytics',
    title: 'Report Analytics',
    ...inside,
    embed: true,
    who: [...system, ...agency],
    rules: ['reportAnalytics'],
  },
  {
    id: 'sales-connect-account',
    path: '/configuration/sales-connect-account',
    title: 'Connect your account',
    ...inside,
    who: ['rootSales', 'agencySales'],
  },
  {
    id: 'statement',
    path: '/configuration/statement',
    title: 'Statement',
    ...inside,
    whileUnpaid: true,
    permission: 'statement.read',
  },
  {
    id: 'margins',
    path: '/configuration/margins',
    title: 'Margins',
    ...setting,
    who: [...system, ...agency],
    permission: 'cost.read',
  },
  {
    id: 'reports',
    path: '/configuration/reports',
    title: 'Reports',
    ...setting,
    who: agency,
    permission: 'cost.read',
  },
  {
    id: 'invoices',
    path: '/configuration/invoices',
    title: 'Invoices',
    ...inside,
    whileUnpaid: true,
    permission: 'invoice.read',
  },
  {
    id: 'taxes',
    path: '/configuration/taxes',
    title: 'Taxes',
    ...setting,
    who: [...system, ...agency],
    permission: 'cost.read',
  },
  {
    id: 'limits',
    path: '/configuration/limits',
    title: 'Limits',
    ...inside,
    who: [...agency, 'client'],
    permission: 'cap.read',
    needs: 'Campaign',
  },
  {
    id: 'minimum-spend',
    path: '/configuration/minimum-spend',
    title: 'Minimum Spend',
    ...setting,
    who: system,
    permission: 'cost.write',
  },
  {
    id: 'coupons',
    path: '/configuration/coupons',
    title: 'Coupons',
    ...setting,
    who: system,
    permission: 'cost.write',
  },
  {
    id: 'payments',
    path: '/configuration/payments',
    title: 'Payments to check',
    ...inside,
    permission: 'payment.read',
  },
  {
    id: 'background-jobs',
    path: '/configuration/background-jobs',
    title: 'Background jobs',
    ...inside,
    permission: 'job.read',
  },
  {
    id: 'outbox',
    path: '/configuration/outbox',
    title: 'Outbox',
    ...inside,
    permission: 'mail.read',
    rules: ['outbox'],
  },
  {
    id: 'data-retention',
    path: '/configuration/data-retention',
    title: 'Data retention',
    ...inside,
    who: system,
    permission: 'retention.write',
    rules: ['masterRoot'],
  },
  {
    id: 'company-imports',
    path: '/configuration/company-imports',
    title: 'Import companies',
    ...inside,
    who: system,
    permission: 'company.import',
  },
  {
    id: 'people-import',
    path: '/configuration/people-import',
    title: 'People data',
    ...inside,
    permission: 'people.import',
  },
  {
    id: 'people-merge',
    path: '/configuration/people-merge',
    title: 'Merge people',
    ...inside,
    permission: 'people.merge',
  },

  {
    id: 'module',
    path: '/{module}',
    title: 'Module',
    ...module,
    to: '/{module}/dashboard',
    modules: withLeads,
  },
  {
    id: 'module-simplifi',
    path: '/{module}',
    title: 'Module',
    ...module,
    to: '/{module}/campaign-management',
    modules: ['simplifi'],
  },
  {
    id: 'module-dashboard',
    path: '/{module}/dashboard',
    title: 'Dashboard',
    ...module,
    whileUnpaid: true,
    modules: withLeads,
    rules: ['notForSystem', 'paymentAccount'],
  },
  {
    id: 'campaign-management',
    permission: 'campaign.read',
    path: '/{module}/campaign-management',
    title: 'Campaign Management',
    ...module,
    rules: ['notForSystem', 'paymentAccount', 'addCampaign'],
  },
  {
    id: 'campaign-management-v1',
    permission: 'campaign.read',
    path: '/{module}/campaign-management-v1',
    title: 'Campaign Management',
    ...module,
    modules: withLeads,
    rules: ['notForSystem', 'paymentAccount', 'addCampaign'],
  },
  {
    id: 'leads-management',
    path: '/{module}/leads-management',
    title: 'Leads Management',
    ...module,
    whileUnpaid: true,
    who: ['rootAdministrator', 'agencyAdministrator'],
    modules: withLeads,
  },
] as const satisfies readonly PageRow[];

export type PageId = (typeof PAGES)[number]['id'];
