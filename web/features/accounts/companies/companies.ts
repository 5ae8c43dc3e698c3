import type { CompanyFilter, CompanyNodeData } from '../../../../contract/accounts/companies.ts';
import { NO_COMPANY_FIELDS } from '../../../../contract/accounts/company-fields.ts';
import { NAME_MAX } from '../../../../contract/accounts/company-rules.ts';
import type { ActionRow } from '../../../../contract/accounts/row-actions.ts';
import type { SessionUser } from '../../../../contract/accounts/users.ts';
import type { CompanySort } from '../../../../contract/choices.ts';
import type { Client } from '../../../../contract/index.ts';

type Listed = Awaited<ReturnType<Client['companies']['list']>>;
export type Assigned = Awaited<ReturnType<Client['sales']['downline']>>['data'][number];
/** A row of the agency or client list; sales see their own roles in it, and little else. */
export type CompanyItem = CompanyNodeData & { roles?: Assigned['roles'] };
export type CompanyPage = Omit<Listed, 'data'> & { data: CompanyItem[] };

type ListQuery = Parameters<Client['companies']['list']>[0];
type DownlineQuery = Parameters<Client['sales']['downline']>[0];
type Calls = {
  companies: Pick<Client['companies'], 'list'>;
  sales: Pick<Client['sales'], 'downline'>;
};

/** The parameters of a list request, apart from which list it is. */
export interface Asked {
  kind: 'agency' | 'client';
  /** The agency whose clients are listed; absent: those directly below the user's own company. */
  companyID?: string | undefined;
  Page: number;
  PerPage: number;
  sortby?: CompanySort | undefined;
  order?: 'asc' | 'desc' | undefined;
  searchQuery?: string | undefined;
  filters?: readonly CompanyFilter[];
}

/** What sales do not see of a company; they see the details only of companies in their care. */
const UNTOLD: Omit<
  CompanyItem,
  'company_id' | 'company_name' | 'kind' | 'created_at' | 'name' | 'email' | 'clients' | 'user_type'
> = {
  id: '',
  company_root_id: '',
  package_id: '',
  phonenum: '',
  phone_country_code: '',
  phone_country_calling_code: '',
  subdomain: '',
  orisubdomain: '',
  domain: '',
  manual_bill: 'F',
  is_whitelabeling: 'T',
  beta_user: 'F',
  api_mode: 'F',
  is_user_generate_api: false,
  is_marketing_services_agreement_developer: 'F',
  exclude_minimum_spend: 0,
  exclude_onboard_charge: 0,
  agency_onboarding_status: false,
  is_onboard_charged: false,
  customer_payment_id: '',
  company_agreement_file: '',
  payment_status: '',
  plan_minspend_id: '',
  plan_minspend_name: '',
  selected_payment_term: [],
  selected_modules: [],
  rootpaymentterm: [],
  rootmodules: [],
  profile_setup_completed: 'F',
  status_acc: '',
  leadlocalurl: '',
  leadlocatorurl: '',
  disabledaddcampaign: 'F',
  ...NO_COMPANY_FIELDS,
  defaultAdmin: 'F',
  customercare: 'F',
  adminGetNotification: 'T',
  disabledreceivedemail: 'F',
  twoFactorAuth: '',
  active_campaigns: 0,
  activity: null,
  version: 0,
  salesrep: '',
  salesrepid: '',
  accountexecutive: '',
  accountexecutiveid: '',
  accountref: '',
  accountrefid: '',
};

/**
 * Encodes a search as a path segment: 'all' means no search, and dots alone would be treated as a folder. The server
 * ignores case and surrounding spaces.
 */
export function searchSegment(text: string | undefined): string {
  if (!text) return 'all';
  if (text.toLowerCase() === 'all') return 'ALL';
  return /^\.{1,2}$/.test(text) ? `${text} ` : text;
}

type Reader = Pick<SessionUser, 'user_type' | 'company_id' | 'company_root_id'>;

/** Returns the parameters of a company list request, and the list's name for downloads (server/exports.ts). */
export function companiesAsked(
  user: Reader,
  asked: Asked,
): { list: 'user'; query: ListQuery } | { list: 'downline'; query: DownlineQuery } {
  const { kind, companyID, filters, ...input } = asked;
  if (user.user_type === 'sales')
    return { list: 'downline', query: { ...input, kind, ...(companyID ? { companyID } : {}) } };
  return {
    list: 'user',
    query: {
      companyId: companyID ?? user.company_id,
      group: 'all',
      idsys: user.company_root_id,
      type: kind === 'agency' ? 'userdownline' : 'client',
      module: 'all',
      sortby: input.sortby ?? 'all',
      order: input.sortby ? (input.order ?? 'asc') : 'all',
      search: searchSegment(input.searchQuery),
      Page: input.Page,
      PerPage: input.PerPage,
      ...(filters?.length ? { Filters: filters.join(',') } : {}),
      ...(companyID ? { inAgencyList: 'T' } : {}),
    },
  };
}

/**
 * Fetches a list of companies: for sales with the sales downline call, for everyone else with the downline call
 * (ROLE-02).
 */
export async function readCompanies(
  api: Calls,
  user: Reader,
  asked: Asked,
  options: { signal: AbortSignal },
): Promise<CompanyPage> {
  const wanted = companiesAsked(user, asked);
  // The call also lists people; with this type, the result is companies.
  if (wanted.list === 'user') return (await api.companies.list(wanted.query, options)) as CompanyPage;
  const found = await api.sales.downline(wanted.query, options);
  return {
    ...found,
    data: found.data.map(({ id, name, email, user_id, details, ...row }) => ({
      ...UNTOLD,
      ...details,
      ...row,
      id: user_id ?? '',
      company_id: id,
      name: name ?? '',
      email: email ?? '',
      user_type: row.kind === 'agency' ? 'userdownline' : 'client',
    })),
  };
}

const ROLE_WORDS = {
  representative: 'Sales representative',
  account_executive: 'Account executive',
  referrer: 'Referral',
} as const;

/** Returns the contents of the SALES column: the company's sales people, or for sales their own role. */
export function salesWords(
  row: Pick<CompanyItem, 'salesrep' | 'accountexecutive' | 'accountref' | 'roles'>,
): string {
  if (row.roles) return row.roles.map((role) => ROLE_WORDS[role]).join(', ');
  // A person with two roles is listed once.
  return [...new Set([row.salesrep, row.accountexecutive, row.accountref].filter(Boolean))].join(', ');
}

/** Returns a row in a state that allows every action, to check whether the user has any at all. */
export const anyRow = (kind: CompanyItem['kind'], rootId: string): ActionRow => ({
  kind,
  company_root_id: rootId,
  user_id: rootId,
  company_agreement_file: 'download',
  payment_status: 'failed',
  roles: ['representative'],
});

/** Whether a search matched what the company's own row shows; otherwise it matched one of its clients. */
export function matchesItself(
  row: Pick<CompanyItem, 'company_name' | 'name' | 'email' | 'phonenum' | 'phone_country_calling_code'>,
  search: string | undefined,
): boolean {
  const text = (search ?? '').trim().toLowerCase();
  const digits = text.replace(/[\s().+-]/g, '');
  const phone = `${row.phone_country_calling_code}${row.phonenum}`.replace(/\D/g, '');
  return (
    `${row.company_name} ${row.name} ${row.email}`.toLowerCase().includes(text) ||
    (/^\d{3,}$/.test(digits) && phone.includes(digits))
  );
}

/**
 * Prepares a name for use in a sentence: truncates it if it is very long, and keeps right-to-left names from reordering
 * the words around them.
 */
export function named(text: string): string {
  const all = [...text];
  const short = all.length > 60 ? `${all.slice(0, 59).join('')}…` : text;
  return `\u2068${short}\u2069`;
}

/** For inputs: slightly more than is allowed, so that text that is too long is reported instead of cut off. */
export const INPUT_MAX = NAME_MAX * 2 + 50;
