import type { AnyContractProcedure, ContractProcedure, InferSchemaOutput } from '@orpc/contract';
import type { CompanyNodeData } from '../contract/accounts/companies.ts';
import { type CompanyFieldsShown, companyFields } from '../contract/accounts/company-fields.ts';
import type { StaffNodeData } from '../contract/accounts/staff.ts';
import { MODULES } from '../contract/choices.ts';
import { contract } from '../contract/index.ts';
import { priceOf } from '../contract/money/lead-price.ts';
import { dollarsOf } from '../contract/primitives.ts';
import type { ExportColumn, ExportList } from './platform/http/csv-file.ts';

/**
 * The lists that can be downloaded, with the columns of their files (docs/decisions/0063). A file may contain only what
 * its call returns, so nothing here can reveal more than the list itself. Leads, the statement and the Data Wallet's
 * history are longer than any page and have their own routes.
 */

type Answer<Call> =
  Call extends ContractProcedure<infer _I, infer O, infer _E, infer _M> ? InferSchemaOutput<O> : never;
type RowOf<Call> = Answer<Call> extends { data: readonly (infer Row)[] } ? Row : never;

const usd = (micros: number | null): string => (micros === null ? '' : dollarsOf(micros));
const yes = (flag: boolean | string): string => (flag === true || flag === 'T' ? 'yes' : 'no');
const phone = (row: { phone_country_calling_code: string; phonenum: string }): string =>
  row.phonenum && `${row.phone_country_calling_code} ${row.phonenum}`.trim();

/** A list whose rows are the call's `data`. */
function list<Call extends AnyContractProcedure>(
  name: string,
  call: Call,
  columns: readonly ExportColumn<RowOf<Call>>[],
): ExportList {
  return of(name, call, (answer) => (answer as { data: readonly RowOf<Call>[] }).data, columns);
}

function of<Call extends AnyContractProcedure, Row>(
  name: string,
  call: Call,
  rows: (answer: Answer<Call>) => readonly Row[],
  columns: readonly ExportColumn<Row>[],
): ExportList {
  return {
    name,
    call,
    fileName: () => name,
    columns: () => columns as readonly ExportColumn<unknown>[],
    rows: (answer) => rows(answer as Answer<Call>),
  };
}

/** The entries that a row contains, and how many more there are. */
function listed(lines: string, count: number): string {
  const shown = lines.split('\n').filter(Boolean);
  return [...shown, ...(count > shown.length ? [`and ${count - shown.length} more`] : [])].join(', ');
}

/** The columns of the fields that are declared for files (company-fields.ts). */
const own = (kind: 'agency' | 'client'): readonly ExportColumn<CompanyNodeData>[] =>
  companyFields.flatMap(([, { kind: type, show, exported }]) => {
    const value = (row: CompanyNodeData) => row[show as keyof CompanyFieldsShown];
    return exported?.of.includes(kind)
      ? [[exported.title, (row) => (type === 'flag' ? yes(value(row) as 'T' | 'F') : value(row))]]
      : [];
  });

const COMPANY: readonly ExportColumn<CompanyNodeData>[] = [
  ['Company name', (row) => row.company_name],
  ['Full name', (row) => row.name],
  ['Email', (row) => row.email],
  ['Phone', phone],
  ['Sales representative', (row) => row.salesrep],
  ['Account executive', (row) => row.accountexecutive],
  ['Referral account', (row) => row.accountref],
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
  ['White label', (row) => yes(row.is_whitelabeling)],
  ['Developer mode', (row) => yes(row.api_mode)],
  ['Excluded from minimum spend', (row) => yes(row.exclude_minimum_spend === 1)],
  ['Payment terms', (row) => on(row.selected_payment_term.map((one) => [one.term, one.status]))],
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
  ['Two-factor', (row) => row.twoFactorAuth || 'off'],
  ['Created', (row) => row.created_at],
  ['Removed', (row) => row.removed_at],
];
function roleOf(row: StaffNodeData): string {
  if (row.user_type === 'sales') return row.isAccExecutive === 'T' ? 'Account executive' : 'Sales';
  return row.ClientRole === 'owner' ? 'Owner' : row.role_name || 'All permissions';
}

const humanOf = (one: RowOf<typeof contract.people.merges>['kept']): string =>
  one ? [one.first_name, one.last_name].filter(Boolean).join(' ') : 'Erased';

/** The rows of the long call are companies or people, depending on the requested type. */
const BY_TYPE: Record<string, { fileName: string; columns: readonly ExportColumn<never>[] }> = {
  userdownline: { fileName: 'agencies', columns: AGENCY },
  client: { fileName: 'clients', columns: CLIENT },
  all: { fileName: 'companies', columns: COMPANY },
  administrator: { fileName: 'administrators', columns: STAFF },
  sales: { fileName: 'sales-accounts', columns: STAFF },
};
const typeOf = (asked: unknown) => BY_TYPE[(asked as { type: string }).type]!;

export const EXPORTS: readonly ExportList[] = [
  {
    name: 'user',
    call: contract.companies.list,
    fileName: (asked) => typeOf(asked).fileName,
    columns: (asked) => typeOf(asked).columns as readonly ExportColumn<unknown>[],
    rows: (answer) => (answer as { data: unknown[] }).data,
  },
  list('downline', contract.sales.downline, [
    ['Company name', (row) => row.company_name],
    ['Kind', (row) => row.kind],
    ['Full name', (row) => row.name],
    ['Email', (row) => row.email],
    ['Your role', (row) => row.roles.map((role) => role.replace('_', ' ')).join(', ')],
    ['Clients', (row) => (row.kind === 'agency' ? row.clients : '')],
    ['Created', (row) => row.created_at],
  ]),
  list('roots', contract.roots.list, [
    ['Name', (row) => row.name],
    ['Host', (row) => row.host],
    ['Owner', (row) => row.owner_name],
    ['Email', (row) => row.owner_email],
    ['Agencies', (row) => row.agencies],
    ['Master root', (row) => yes(row.is_master)],
    ['Created', (row) => row.created_at],
  ]),
  of('roles', contract.roles.list, (answer) => answer.roles, [
    ['Role', (row) => row.role_name],
    ['People', (row) => row.people],
    ['Created', (row) => row.created_at],
  ]),
  list('developer-keys', contract.developer.keys, [
    ['Name', (row) => row.name],
    ['Mode', (row) => row.mode],
    ['Status', (row) => row.state],
    ['Client ID', (row) => row.client_id],
    ['Scopes', (row) => row.scopes.join(', ')],
    ['Created by', (row) => row.made_by],
    ['Created', (row) => row.created_at],
    ['Expires', (row) => row.expires_at],
    ['Last used', (row) => row.last_used_at],
    ['Last IP address', (row) => row.last_used_ip],
  ]),
  // A campaign can include 40,000 zip codes, none of which appear in the file.
  {
    ...list('campaigns', contract.campaigns.list, [
      ['Campaign ID', (row) => row.leadspeek_api_id],
      ['Campaign', (row) => row.campaignName],
      ['Client', (row) => row.company_name],
      ['Agency', (row) => row.agency_name],
      ['Status', (row) => row.status],
      ['Visits 30d', (row) => row.visits_30d],
      ['Leads 30d', (row) => row.leads_30d],
      ['Payment term', (row) => row.PaymentTerm],
      ['Cost per lead (USD)', (row) => priceOf(row, row)],
      ['Balance (USD)', (row) => usd(row.balance_micros)],
      ['Site', (row) => row.urlCode],
      ['Tag', (row) => row.pixel_check],
      ['Last visit', (row) => row.last_visit_at],
      ['Created', (row) => row.created_at],
    ]),
    step: 200,
  },
  list('clients', contract.analytics.clients, [
    ['Client', (row) => row.company_name],
    ['Agency', (row) => row.agency_name],
    ['Active campaigns', (row) => row.active],
    ['Campaigns', (row) => row.campaigns],
    ['Leads 30d', (row) => row.leads_30d],
    ['Spend 30d (USD)', (row) => usd(row.spend_30d_micros)],
    ['Balance (USD)', (row) => usd(row.balance_micros)],
  ]),
  list('refusals', contract.campaigns.refusals, [
    ['Reason', (row) => row.reason],
    ['Count', (row) => row.count],
    ['Last seen', (row) => row.last_at],
  ]),
  list('purchases', contract.prepaid.current, [
    ['Bought', (row) => row.created_at],
    ['Leads', (row) => row.leads],
    ['Amount (USD)', (row) => usd(row.amount_micros)],
    ['Refunded (USD)', (row) => usd(row.refunded_micros)],
    ['Automatic', (row) => yes(row.automatic)],
    ['Status', (row) => row.status],
    ['Reason', (row) => row.reason],
    ['Card', (row) => row.card],
  ]),
  list('deliveries', contract.delivery.log, [
    ['Delivery', (row) => row.message_id],
    ['Lead', (row) => row.lead_name],
    ['State', (row) => row.state],
    ['Test', (row) => yes(row.is_test)],
    ['Attempts', (row) => row.attempts],
    ['Last response', (row) => row.tries.at(-1)?.status],
    ['Last error', (row) => row.tries.at(-1)?.error],
    ['Delivered', (row) => row.delivered_at],
    ['Created', (row) => row.created_at],
    ['ID', (row) => row.id],
  ]),
  of('dashboard-campaigns', contract.analytics.dashboard, (answer) => answer.campaigns, [
    ['Campaign ID', (row) => row.leadspeek_api_id],
    ['Campaign', (row) => row.campaignName],
    ['Client', (row) => row.company_name],
    ['Status', (row) => row.status],
    ['Product', (row) => MODULES.find((one) => one.module === row.leadspeek_type)?.name],
    ['Visits', (row) => row.visits],
    ['Matched', (row) => row.matched],
    ['Leads', (row) => row.leads],
    ['Spend (USD)', (row) => usd(row.spend_micros)],
    ['Balance (USD)', (row) => usd(row.balance_micros)],
  ]),
  list('invoices', contract.invoices.list, [
    ['Number', (row) => row.number],
    ['Status', (row) => (row.is_failing ? 'failing' : row.status)],
    ['Side', (row) => row.side],
    ['Kind', (row) => row.kind],
    ['Term', (row) => row.term],
    ['Billed to', (row) => row.company_name],
    ['From', (row) => row.issuer_name],
    ['Period start', (row) => row.period_from],
    ['Period end', (row) => row.period_to],
    ['Tax', (row) => row.tax_name],
    ['Tax (USD)', (row) => usd(row.tax_micros)],
    ['Total (USD)', (row) => usd(row.total_micros)],
    ['Due (USD)', (row) => usd(row.due_micros)],
    ['Issued', (row) => row.finalised_at],
    ['Due by', (row) => row.due_at],
    ['Paid on', (row) => row.paid_at],
  ]),
  list('invoice-events', contract.invoices.events, [
    ['When', (row) => row.created_at],
    ['Kind', (row) => row.kind],
    ['Name', (row) => row.name],
    ['Amount (USD)', (row) => usd(row.amount_micros)],
    ['Lead', (row) => row.leadId],
    ['ID', (row) => row.id],
  ]),
  list('packages', contract.dunning.packages, [
    ['ID', (row) => row.package_id],
    ['Name', (row) => row.name],
    ['Price per month (USD)', (row) => usd(row.monthly_micros)],
    ['Description', (row) => row.description],
  ]),
  list('payments', contract.payments.problems, [
    ['Company', (row) => row.company_name],
    ['Kind', (row) => row.kind],
    ['What', (row) => row.what],
    ['Amount (USD)', (row) => usd(row.amount_micros)],
    ['For', (row) => row.purpose],
    ['State', (row) => row.state],
    ['Card', (row) => row.card],
    ['Since', (row) => row.created_at],
    ['Next check', (row) => row.next_ask_at],
    ['Provider reference', (row) => row.provider_reference],
  ]),
  list('user-logs', contract.companies.userLogs, [
    ['Name', (row) => row.name],
    ['User Type', (row) => row.user_type],
    ['Location', (row) => row.place],
    ['IP Address', (row) => row.ip],
    ['Action', (row) => row.action],
    ['Description', (row) => row.description],
    ['Company Name', (row) => row.company_name],
    ['Created at', (row) => row.created_at],
  ]),
  list('stopped-jobs', contract.backgroundJobs.stoppedJobs, [
    ['Job', (row) => row.title],
    ['Details', (row) => row.about],
    ['Attempts', (row) => row.starts],
    ['Stopped', (row) => row.set_aside_at],
  ]),
  list('outbox', contract.outbox.list, [
    ['Subject', (row) => row.subject],
    ['To', (row) => row.to_name],
    ['Address', (row) => row.to_address],
    ['From', (row) => row.from_name],
    ['Company', (row) => row.company_name],
    ['Status', (row) => row.state],
    ['Error', (row) => row.error],
    ['Created', (row) => row.created_at],
  ]),
  list('tax-payers', contract.taxes.payers, [
    ['Company', (row) => row.company_name],
    ['Location', (row) => row.place],
    ['Tax ID', (row) => row.tax_id],
    ['Exempt', (row) => yes(row.exempt)],
    ['Reason', (row) => row.exempt_reason],
    ['Custom rate (%)', (row) => row.rate],
    ['Tax on invoices', (row) => row.holds],
  ]),
  list('margins', contract.ledger.margins, [
    ['Name', (row) => row.name],
    ['Client', (row) => row.company_name],
    ['Leads', (row) => row.leads],
    ['Charged to clients (USD)', (row) => usd(row.price_micros)],
    ['Charged to agencies (USD)', (row) => usd(row.cost_micros)],
    ['Supplier cost (USD)', (row) => usd(row.supplier_micros)],
    ['Margin (USD)', (row) => usd(row.margin_micros)],
  ]),
  list('coupons', contract.pricing.coupons, [
    ['Code', (row) => row.coupon_code],
    ['Percent', (row) => row.percent],
    ['Amount (USD)', (row) => row.amount],
    ['Maximum uses', (row) => row.max_uses],
    ['Used', (row) => row.uses],
    ['Last day', (row) => row.expires_at],
  ]),
  list('plans', contract.pricing.plans, [
    ['Name', (row) => row.planName],
    ['Months (USD)', (row) => row.months.join(' / ')],
    ['Each month after (USD)', (row) => row.flatMonth],
    ['Default', (row) => yes(row.default)],
  ]),
  list('minimum-spend-offers', contract.minimumSpend.offers, [
    ['Agency', (row) => row.company_name],
    ['Plan', (row) => row.planName],
    ['Months (USD)', (row) => row.months.join(' / ')],
    ['Each month after (USD)', (row) => row.flatMonth],
    ['Announced', (row) => row.announced_at],
    ['Reminded', (row) => row.reminded_at ?? ''],
    ['Accepted', (row) => row.accepted_at ?? ''],
  ]),
  list('payouts', contract.payments.payouts, [
    ['Sent', (row) => row.created_at],
    ['Arrival date', (row) => row.arrives_at],
    ['Status', (row) => row.status],
    ['Amount (USD)', (row) => usd(row.amount_micros)],
    ['Id', (row) => row.id],
  ]),
  list('payout-parts', contract.payments.payout, [
    ['Date', (row) => row.created_at],
    ['Kind', (row) => row.kind],
    ['Company', (row) => row.company_name],
    ['Description', (row) => row.description],
    ['Amount (USD)', (row) => usd(row.amount_micros)],
    ['Fees (USD)', (row) => usd(row.fee_micros)],
    ['Net (USD)', (row) => usd(row.net_micros)],
  ]),
  list('limits', contract.spendingLimits.list, [
    ['Limit on', (row) => row.subject],
    ['Name', (row) => row.name],
    ['Period', (row) => row.period],
    ['Spent (USD)', (row) => row.spent],
    ['Stops at (USD)', (row) => row.hard],
    ['Alerts at (USD)', (row) => row.soft],
    ['Set by', (row) => row.set_by],
  ]),
  list('keyword-counts', contract.signals.history, [
    ['Location', (row) => row.target_location],
    ['States', (row) => row.states.join(', ')],
    ['Cities', (row) => row.cities.join(', ')],
    ['Zip codes', (row) => listed(row.zip_code, row.zip_count)],
    ['Keywords', (row) => listed(row.keyword, row.keyword_count)],
    ['Count without geography', (row) => row.count_without_geo],
    ['Count', (row) => row.count],
    ['Status', (row) => row.status],
    ['Campaign', (row) => row.leadspeek_api_id],
    ['Asked', (row) => row.created_at],
    ['Counted', (row) => row.counted_at],
  ]),
  list('exclusion-lists', contract.exclusions.lists, [
    ['File', (row) => row.filename],
    ['State', (row) => row.state],
    ['Rows', (row) => row.rows_read],
    ['Added', (row) => row.entries_added],
    ['Same', (row) => row.entries_same],
    ['Bad', (row) => row.rows_bad],
    ['Email addresses', (row) => row.emails],
    ['Phone numbers', (row) => row.phones],
    ['Domains', (row) => row.domains],
    ['Uploaded', (row) => row.created_at],
    ['Ended', (row) => row.finished_at],
    ['Removed', (row) => row.removed_at],
    ['Error', (row) => row.error],
  ]),
  list('imports', contract.people.imports, [
    ['File', (row) => row.file_name],
    ['State', (row) => row.state],
    ['Rows', (row) => row.rows_read],
    ['New', (row) => row.rows_added],
    ['Changed', (row) => row.rows_changed],
    ['Same', (row) => row.rows_same],
    ['Bad', (row) => row.rows_bad],
    ['Uploaded', (row) => row.created_at],
    ['Ended', (row) => row.finished_at],
    ['Error', (row) => row.error],
    ['Country', (row) => row.country],
    ['Values skipped', (row) => row.values_bad],
    ['On do-not-call lists', (row) => row.phones_marked],
  ]),
  list('merges', contract.people.merges, [
    ['Kept', (row) => humanOf(row.kept)],
    ['Kept email', (row) => row.kept?.email ?? ''],
    ['Merged person', (row) => humanOf(row.absorbed)],
    ['Merged email', (row) => row.absorbed?.email ?? ''],
    ['Merged', (row) => row.merged_at],
    ['Undone', (row) => row.undone_at],
  ]),
  list('activity', contract.auth.activity, [
    ['When', (row) => row.at],
    ['What', (row) => row.what],
    ['Place', (row) => row.place],
    ['IP address', (row) => row.ip],
    ['Details', (row) => row.detail],
    ['Suspicious', (row) => yes(row.suspicious)],
  ]),
  list('sessions', contract.auth.sessions, [
    ['Device', (row) => row.device],
    ['Kind', (row) => row.kind],
    ['Place', (row) => row.place],
    ['IP address', (row) => row.ip],
    ['Signed in', (row) => row.created_at],
    ['Last seen', (row) => row.last_seen],
    ['This device', (row) => yes(row.current)],
  ]),
  list('passkeys', contract.auth.passkeys, [
    ['Name', (row) => row.name],
    ['Works on', (row) => row.host],
    ['Synced', (row) => yes(row.synced)],
    ['Added', (row) => row.created_at],
    ['Last used', (row) => row.last_used_at],
  ]),
  list('views', contract.auth.views, [
    ['Who', (row) => row.who],
    ['Reason', (row) => row.reason],
    ['From', (row) => row.started_at],
    ['Until', (row) => row.until],
  ]),
];
