import type { Client } from '../../../contract/index.ts';
import type { SessionUser } from '../../../contract/people.ts';

type Listed = Awaited<ReturnType<Client['access']['companies']>>;
export type Assigned = Awaited<ReturnType<Client['sales']['downline']>>['data'][number];
/** A row of the agency or client list; what sales see of it lacks whom to view as, and has one's own roles. */
export type CompanyItem = Omit<Listed['data'][number], 'user_id'> & {
  user_id: string | null;
  roles?: Assigned['roles'];
};

type Calls = {
  access: Pick<Client['access'], 'companies'>;
  sales: Pick<Client['sales'], 'downline'>;
};

const NOBODY = {
  salesrep: '',
  salesrepid: '',
  accountexecutive: '',
  accountexecutiveid: '',
  accountref: '',
  accountrefid: '',
};

/** Reads a list of companies: sales by the sales downline call, everybody else by the downline call (ROLE-02). */
export async function readCompanies(
  api: Calls,
  user: Pick<SessionUser, 'user_type'>,
  asked: {
    kind: 'agency' | 'client';
    companyID?: string | undefined;
    Page: number;
    PerPage: number;
    sortby?: string | undefined;
    order?: 'asc' | 'desc' | undefined;
    searchQuery?: string | undefined;
  },
  options: { signal: AbortSignal },
): Promise<Omit<Listed, 'data'> & { data: CompanyItem[] }> {
  const { kind, ...input } = asked;
  if (user.user_type !== 'sales') return api.access.companies(input as never, options);
  const found = await api.sales.downline({ ...input, kind } as never, options);
  return { ...found, data: found.data.map((row) => ({ ...NOBODY, ...row, user_id: null })) };
}

const ROLE_WORDS = {
  representative: 'Sales representative',
  account_executive: 'Account executive',
  referrer: 'Referral',
} as const;

/** What stands in the SALES column: who has the company, or for sales their own part. */
export function salesWords(row: CompanyItem): string {
  if (row.roles) return row.roles.map((role) => ROLE_WORDS[role]).join(', ');
  // Somebody with two roles is named once.
  return [...new Set([row.salesrep, row.accountexecutive, row.accountref].filter(Boolean))].join(', ');
}
