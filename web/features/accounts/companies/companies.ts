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
type DownlineQuery = NonNullable<Parameters<Client['sales']['downline']>[0]>;
type Calls = {
  companies: Pick<Client['companies'], 'list'>;
  sales: Pick<Client['sales'], 'downline'>;
};

/** The parameters of a list request, apart from which list it is. */
export interface Asked {
  kind: 'agency' | 'client';
  /** The agency whose clients are listed; absent: those directly below the user's own company. */
  company_id?: string | undefined;
  page: number;
  per_page: number;
  sort?: CompanySort | undefined;
  order?: 'asc' | 'desc' | undefined;
  search?: string | undefined;
  filters?: readonly CompanyFilter[];
}

/** What sales do not see of a company; they see the details only of companies in their care. */
const UNTOLD: Omit<
  CompanyItem,
  'company_id' | 'company_name' | 'kind' | 'created_at' | 'name' | 'email' | 'clients' | 'user_type'
> = {
  id: '',
  root_id: '',
  package_id: '',
  phone: '',
  phone_country: '',
  phone_calling: '',
  subdomain: '',
  subdomain_name: '',
  domain: '',
  manual_bill: 'F',
  white_labelling: 'T',
  beta_user: 'F',
  api_mode: 'F',
  has_api_key: false,
  developer_agreed: 'F',
  excluded_minimum_spend: 0,
  excluded_onboarding: 0,
  onboarding_on: false,
  onboarding_charged: false,
  card_id: '',
  agreement_file: '',
  payment_status: '',
  plan_id: '',
  plan_name: '',
  selected_terms: [],
  selected_modules: [],
  root_terms: [],
  root_modules: [],
  profile_setup_completed: 'F',
  account_status: '',
  local_url: '',
  locator_url: '',
  campaigns_closed: 'F',
  ...NO_COMPANY_FIELDS,
  is_default_admin: 'F',
  customer_care: 'F',
  gets_notices: 'T',
  mail_off: 'F',
  two_factor_auth_type: '',
  active_campaigns: 0,
  activity: null,
  version: 0,
  sales_rep: '',
  sales_rep_id: '',
  account_executive: '',
  account_executive_id: '',
  referrer: '',
  referrer_id: '',
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

type Reader = Pick<SessionUser, 'user_type' | 'company_id' | 'root_id'>;

/** Returns the parameters of a company list request, and the list's name for downloads (server/exports.ts). */
export function companiesAsked(
  user: Reader,
  asked: Asked,
):
  | { list: 'user'; of: 'companies.list'; query: ListQuery }
  | { list: 'downline'; of: 'sales.downline'; query: DownlineQuery } {
  const { kind, company_id, filters, ...input } = asked;
  if (user.user_type === 'sales')
    return {
      list: 'downline',
      of: 'sales.downline',
      query: { ...input, kind, ...(company_id ? { company_id } : {}) },
    };
  return {
    list: 'user',
    of: 'companies.list',
    query: {
      company_id: company_id ?? user.company_id,
      group: 'all',
      root_id: user.root_id,
      type: kind === 'agency' ? 'userdownline' : 'client',
      module: 'all',
      sort: input.sort ?? 'all',
      order: input.sort ? (input.order ?? 'asc') : 'all',
      search: searchSegment(input.search),
      page: input.page,
      per_page: input.per_page,
      ...(filters?.length ? { filters: filters.join(',') } : {}),
      ...(company_id ? { in_agency_list: 'T' } : {}),
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

/** Returns the contents of the SALES column: the company's salespeople, or for sales their own role. */
export function salesWords(
  row: Pick<CompanyItem, 'sales_rep' | 'account_executive' | 'referrer' | 'roles'>,
): string {
  if (row.roles) return row.roles.map((role) => ROLE_WORDS[role]).join(', ');
  // A person with two roles is listed once.
  return [...new Set([row.sales_rep, row.account_executive, row.referrer].filter(Boolean))].join(', ');
}

/** Returns a row in a state that allows every action, to check whether the user has any at all. */
export const anyRow = (kind: CompanyItem['kind'], rootId: string): ActionRow => ({
  kind,
  root_id: rootId,
  user_id: rootId,
  agreement_file: 'download',
  payment_status: 'failed',
  roles: ['representative'],
});

/** Whether a search matched what the company's own row shows; otherwise it matched one of its clients. */
export function matchesItself(
  row: Pick<CompanyItem, 'company_name' | 'name' | 'email' | 'phone' | 'phone_calling'>,
  search: string | undefined,
): boolean {
  const text = (search ?? '').trim().toLowerCase();
  const digits = text.replace(/[\s().+-]/g, '');
  const phone = `${row.phone_calling}${row.phone}`.replace(/\D/g, '');
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
