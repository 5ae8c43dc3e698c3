import type { CompanyNodeData } from '../../../../contract/accounts/companies.ts';
import { companyFieldName, companyFields } from '../../../../contract/accounts/company-fields.ts';
import type { StaffNodeData } from '../../../../contract/accounts/staff.ts';
import { contract } from '../../../../contract/index.ts';
import type { ExportColumn, ExportList } from '../../../platform/http/csv-file.ts';
import { phone, yes } from '../../../platform/http/export-columns.ts';

/** The columns of the fields that are declared for files (company-fields.ts). */
const own = (kind: 'agency' | 'client'): readonly ExportColumn<CompanyNodeData>[] =>
  companyFields.flatMap(([column, field]) => {
    const { kind: type, exported } = field;
    const value = (row: CompanyNodeData) => row[companyFieldName(column, field)];
    return exported?.of.includes(kind)
      ? [[exported.title, (row) => (type === 'flag' ? yes(value(row) as 'T' | 'F') : value(row))]]
      : [];
  });

const COMPANY: readonly ExportColumn<CompanyNodeData>[] = [
  ['Company name', (row) => row.company_name],
  ['Full name', (row) => row.name],
  ['Email', (row) => row.email],
  ['Phone', phone],
  ['Sales representative', (row) => row.sales_rep],
  ['Account executive', (row) => row.account_executive],
  ['Referral account', (row) => row.referrer],
  ['Created', (row) => row.created_at],
  ['Active campaigns', (row) => row.active_campaigns],
  ['Payment', (row) => row.payment_status || 'ok'],
];
const CLIENT: typeof COMPANY = [...COMPANY, ...own('client')];
const AGENCY: typeof COMPANY = [
  ...COMPANY,
  ['Clients', (row) => row.clients],
  ['Subdomain', (row) => row.subdomain],
  ['Domain', (row) => row.domain],
  ...own('agency'),
  ['Direct payment', (row) => yes(row.manual_bill)],
  ['White label', (row) => yes(row.white_labelling)],
  ['Developer mode', (row) => yes(row.api_mode)],
  ['Excluded from minimum spend', (row) => yes(row.excluded_minimum_spend === 1)],
  ['Payment terms', (row) => on(row.selected_terms.map((one) => [one.term, one.status]))],
  ['Products', (row) => on(row.selected_modules.map((one) => [one.type, one.status]))],
];
const on = (all: readonly (readonly [string, boolean])[]): string =>
  all
    .filter(([, status]) => status)
    .map(([name]) => name)
    .join(', ');
const STAFF: readonly ExportColumn<StaffNodeData>[] = [
  ['Full name', (row) => row.name],
  ['Email', (row) => row.email],
  ['Phone', phone],
  ['Role', roleOf],
  ['Status', (row) => row.status],
  ['Two-factor', (row) => row.two_factor_auth_type || 'off'],
  ['Created', (row) => row.created_at],
  ['Removed', (row) => row.removed_at],
];
function roleOf(row: StaffNodeData): string {
  if (row.user_type === 'sales') return row.is_account_executive === 'T' ? 'Account executive' : 'Sales';
  return row.role === 'owner' ? 'Owner' : row.role_name || 'All permissions';
}

/** The rows of the long call are companies or people, depending on the requested type. */
const BY_TYPE: Record<string, { fileName: string; columns: readonly ExportColumn<never>[] }> = {
  userdownline: { fileName: 'agencies', columns: AGENCY },
  client: { fileName: 'clients', columns: CLIENT },
  all: { fileName: 'companies', columns: COMPANY },
  administrator: { fileName: 'administrators', columns: STAFF },
  sales: { fileName: 'sales-accounts', columns: STAFF },
};
const typeOf = (asked: unknown) => BY_TYPE[(asked as { type: string }).type]!;

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  {
    name: 'user',
    call: contract.companies.list,
    fileName: (asked) => typeOf(asked).fileName,
    columns: (asked) => typeOf(asked).columns as readonly ExportColumn<unknown>[],
    rows: (answer) => (answer as { data: unknown[] }).data,
  },
];
