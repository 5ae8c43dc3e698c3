import { type RawBuilder, sql } from 'kysely';
import type { CompanyFilter } from '../../../../contract/accounts/companies.ts';
import { type CompanyFieldValues, companyFields } from '../../../../contract/accounts/company-fields.ts';
import type { CompanySort } from '../../../../contract/choices.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** A row of the agency or client list as it is stored. */
export interface NodeRow extends CompanyFieldValues {
  id: string;
  root_id: string;
  agency_id: string;
  parent_id: string;
  kind: 'agency' | 'client';
  name: string;
  created_at: Date;
  updated_at: Date;
  version: number;
  owner_id: string | null;
  owner_name: string;
  owner_email: string;
  phone: string | null;
  phone_country: string | null;
  phone_calling: string | null;
  profile_done: boolean | null;
  subdomain: string | null;
  domain: string | null;
  package_id: string | null;
  manual_bill: boolean | null;
  payment_status: '' | 'failed' | null;
  campaigns_closed: boolean | null;
  is_default_admin: boolean | null;
  customer_care: boolean | null;
  gets_notices: boolean | null;
  mail_off: boolean | null;
  factor: 'email' | 'google' | null;
  beta_user: boolean;
  api_mode: boolean | null;
  white_labelling: boolean | null;
  excluded_minimum_spend: boolean | null;
  excluded_onboarding: boolean | null;
  onboarding_charged: Date | null;
  card_id: string | null;
  account_status: string | null;
  developer_agreed: boolean;
  /** Whether it has an API key that was not deleted. */
  has_api_key: boolean;
  /** Whether the agreement for its kind was accepted, so that a file of it exists. */
  has_agreement: boolean;
  plan_id: string | null;
  plan_name: string | null;
  modules: string[] | null;
  terms: string[] | null;
  /** The slugs of its products in URLs, by product. */
  slugs: Partial<Record<'local' | 'locator', string>> | null;
  sales: { role: string; id: string; name: string }[];
  clients: bigint;
  active_campaigns: bigint;
  last_lead_at: Date | null;
  /** Micro-dollars in the wallet of an agency or the prepaid balances of a client; null: it has neither. */
  balance: bigint | null;
  /** The automatic top-up of its wallet was declined and has not succeeded since. */
  topup_failing: boolean;
  /** The first of consecutive failures, payments before top-ups; null if nothing is failing. */
  failing_since: Date | null;
}

/** Which rows of a list, and in what order. */
export interface Wanted {
  kind: 'agency' | 'client' | undefined;
  module: string | undefined;
  sort: CompanySort | undefined;
  order: 'asc' | 'desc';
  search: string;
  card: 'all' | 'active' | 'failed' | 'none';
  campaigns: 'all' | 'active' | 'inactive';
  filters: CompanyFilter[];
  exclude: string[];
  limit: number;
  offset: number;
}

/** Maximum number of search hits that are sorted and paged; anything beyond that is not a useful search result. */
const MOST_HITS = 10_000;

const SORTS: Record<CompanySort, RawBuilder<unknown>> = {
  company_name: sql`lower(c.name)`,
  full_name: sql`lower(c.owner_name)`,
  email: sql`c.owner_email`,
  created_at: sql`c.created_at`,
};
const FILTERS: Record<CompanyFilter, RawBuilder<boolean>> = {
  direct_payment: sql`exists (select from company_billing b where b.company_id = c.id and b.manual_bill)`,
  payment_failed: sql`exists (select from company_billing b where b.company_id = c.id and b.payment_status = 'failed')`,
  api_key_generated: sql`exists (select from developer_key k where k.company_id = c.id and k.removed_at is null)`,
  developer_mode_enabled: sql`exists (select from company_billing b where b.company_id = c.id and b.api_mode)`,
  no_white_labelling: sql`exists (select from company_billing b where b.company_id = c.id and not b.white_labelling)`,
  excluded_minimum_spend: sql`exists (select from company_billing b where b.company_id = c.id and b.excluded_minimum_spend)`,
  minimum_spend_plan: sql`(select o.plan_id from minspend_choice o where o.company_id = c.id
    order by o.valid_from desc, o.serial desc limit 1) is not null`,
  out_of_balance: sql`(select sum(x.balance) from account v join account_balance x on x.account_id = v.id
    where v.company_id = c.id and v.kind = case c.kind when 'agency' then 'agency_wallet' else 'client_prepaid' end) <= 0`,
  beta_user: sql`exists (select from beta_user b where b.company_id = c.id)`,
};
/** The columns of company-fields.ts. */
const OWN = sql.join(companyFields.map(([name]) => sql.ref(`c.${name}`)));
const CARD = sql`exists (select from payment_card p where p.company_id = c.id and p.removed_at is null)`;
const CARDS = {
  active: sql<boolean>`${CARD} and not ${FILTERS.payment_failed}`,
  failed: FILTERS.payment_failed,
  none: sql<boolean>`not ${CARD}`,
};
/**
 * Whose active campaigns count for a row; if the kind is known, a plain equality, so that an entire list can be joined
 * on it.
 */
const OWN_CAMPAIGNS = {
  agency: sql`g.agency_id = c.id`,
  client: sql`g.agency_id = c.agency_id and g.company_id = c.id`,
  any: sql`g.agency_id = c.agency_id and (c.kind = 'agency' or g.company_id = c.id)`,
};
const active = (kind: Wanted['kind']) =>
  sql<boolean>`exists (select from campaign g where ${OWN_CAMPAIGNS[kind ?? 'any']} and g.state = 'active')`;

/** The companies directly below `parentId` that a list shows. */
function listed(parentId: string, wanted: Omit<Wanted, 'sort' | 'order' | 'limit' | 'offset'>) {
  const where = [sql`c.parent_id = ${parentId} and c.removed_at is null`];
  if (wanted.kind) where.push(sql`c.kind = ${wanted.kind}`);
  if (wanted.search) where.push(searched(wanted.search, parentId, wanted.filters.length > 0));
  if (wanted.module)
    where.push(sql`not exists (select from company_products p where p.company_id = c.id and p.modules is not null
      and not ${wanted.module} = any(p.modules))`);
  if (wanted.card !== 'all') where.push(CARDS[wanted.card]);
  if (wanted.campaigns !== 'all')
    where.push(wanted.campaigns === 'active' ? active(wanted.kind) : sql`not ${active(wanted.kind)}`);
  for (const filter of new Set(wanted.filters)) where.push(FILTERS[filter]);
  if (wanted.exclude.length > 0) where.push(sql`c.id <> all(${wanted.exclude}::uuid[])`);
  return sql`from company c where ${sql.join(where, sql` and `)}`;
}

/**
 * A page of the companies directly below `parentId`, with everything that a row shows, and the total count; it is
 * counted together with the ids if all of them have to be found anyway: by a search, or by their campaigns.
 * `developerVersion`: the current version of the developer's agreement.
 */
export async function page(tx: Tx, parentId: string, wanted: Wanted, developerVersion: string) {
  const all = listed(parentId, wanted);
  // By default the newest come first.
  const key = SORTS[wanted.sort ?? 'created_at'];
  const dir = (wanted.sort ? wanted.order : 'desc') === 'desc' ? sql`desc` : sql`asc`;
  const countsAtOnce = wanted.search !== '' || wanted.campaigns !== 'all';
  const total = countsAtOnce ? sql`count(*) over ()` : sql`null::bigint`;
  const { rows: found } = await sql<{ id: string; total: bigint | null }>`
    select c.id, ${total} as total ${all} order by ${key} ${dir}, c.id ${dir} limit ${wanted.limit} offset ${wanted.offset}`.execute(
    tx,
  );
  const counted =
    found[0]?.total ??
    (await sql<{ total: bigint }>`select count(*) as total ${all}`.execute(tx)).rows[0]!.total;
  const rows = await nodes(
    tx,
    found.map((row) => row.id),
    developerVersion,
  );
  return { rows, total: Number(counted) };
}

/**
 * The next of these companies after a position, the newest first, up to one more than `limit`. Only positions: `nodes`
 * has the rows. `changedSince`: those that changed at or after it, by their last change, the oldest first.
 */
export async function nextOf(
  tx: Tx,
  parentId: string,
  {
    changedSince,
    ...wanted
  }: Pick<Wanted, 'kind' | 'module' | 'search'> & { changedSince: Date | undefined },
  after: { at: Date; id: string } | null,
  limit: number,
): Promise<{ id: string; at: Date }[]> {
  const all = listed(parentId, { ...wanted, card: 'all', campaigns: 'all', filters: [], exclude: [] });
  if (changedSince) {
    const { rows } = await sql<{ id: string; at: Date }>`
      select c.id, c.updated_at as at ${all} and c.updated_at >= ${changedSince}
        ${after ? sql`and (c.updated_at, c.id) > (${after.at}::timestamptz, ${after.id}::uuid)` : sql``}
      order by c.updated_at, c.id limit ${limit + 1}`.execute(tx);
    return rows;
  }
  const { rows } = await sql<{ id: string; at: Date }>`
    select c.id, c.created_at as at ${all}
      ${after ? sql`and (c.created_at, c.id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``}
    order by c.created_at desc, c.id desc limit ${limit + 1}`.execute(tx);
  return rows;
}

/** One row; undefined for a company that is outside the scope or removed. */
export async function node(tx: Tx, id: string, developerVersion: string): Promise<NodeRow | undefined> {
  const here = await tx
    .selectFrom('company')
    .select('id')
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return here && (await nodes(tx, [here.id], developerVersion))[0];
}

/**
 * The hits of a search directly below a company: by name, owner, address or phone, an agency also by its clients. Fewer
 * than three letters have no trigram, and filters leave few rows: in those cases each row's text is scanned.
 */
function searched(text: string, parentId: string, isFiltered: boolean): RawBuilder<unknown> {
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const phone = phonePattern(text);
  return isFiltered || [...text].length < 3
    ? sql`(c.search like ${pattern}
        or exists (select from company k where k.parent_id = c.id and k.removed_at is null and k.search like ${pattern})
        or exists (select from user_account u where u.id = c.owner_id and ltrim(u.phone_calling, '+') || u.phone like ${phone}))`
    : sql`c.id = any(array(select search_company_list(${pattern}, ${phone}, ${parentId}, ${MOST_HITS})))`;
}

/** The LIKE pattern for a phone's digits; null if the text is not part of a phone number. */
function phonePattern(text: string): string | null {
  const digits = text.replace(/[\s().+-]/g, '');
  return /^\d{3,}$/.test(digits) ? `%${digits}%` : null;
}

/**
 * What a list shows of companies, in the order of their ids; each value is one index lookup. The first of consecutive
 * failures counts: an invoice stores it; for renewals and top-ups it is derived from the last run of declined ones. The
 * plan is cached (platform/db/connect.ts): with this many tables, planning takes longer than the query itself.
 */
export async function nodes(tx: Tx, ids: readonly string[], developerVersion: string): Promise<NodeRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<NodeRow>`/* kept: company_nodes */
    select c.id, c.root_id, c.agency_id, c.parent_id, c.kind, c.name, c.created_at, c.updated_at, c.version,
      c.owner_id, c.owner_name, c.owner_email,
      ${OWN},
      u.phone, u.phone_country, u.phone_calling, u.profile_done,
      u.is_default_admin, u.customer_care, u.gets_notices, u.mail_off,
      (select f.kind from user_factor f where f.user_id = u.id) as factor,
      (select d.host from domain d where d.company_id = c.id and d.kind = 'subdomain' limit 1) as subdomain,
      coalesce((select d.host from domain d where d.company_id = c.id and d.kind = 'custom' limit 1),
        (select m.host from domain_claim m where m.company_id = c.id order by m.created_at desc, m.host limit 1)) as domain,
      b.package_id, b.manual_bill, b.payment_status, b.campaigns_closed, b.api_mode, b.white_labelling,
      exists (select from beta_user x where x.company_id = c.id) as beta_user,
      b.excluded_minimum_spend, b.excluded_onboarding, b.onboarding_charged,
      (select p.id from payment_card p where p.company_id = c.id and p.removed_at is null) as card_id,
      a.status as account_status,
      exists (select from agreement_acceptance g where g.company_id = c.id and g.document_type = 'developer'
        and g.version = ${developerVersion} and g.accepted_at >= coalesce(b.api_mode_since, '-infinity'))
        and developer_fee_posted(c.id) as developer_agreed,
      exists (select from developer_key k where k.company_id = c.id and k.removed_at is null) as has_api_key,
      exists (select from agreement_acceptance g where g.company_id = c.id
        and g.document_type = case c.kind when 'agency' then 'default_agency' else 'default_client' end) as has_agreement,
      o.plan_id, (select p.name from minspend_plan p where p.id = o.plan_id) as plan_name,
      s.modules, s.terms,
      (select json_object_agg(l.module, l.slug) from module_label l where l.company_id = c.id) as slugs,
      coalesce((select json_agg(json_build_object('role', r.role, 'id', r.user_id, 'name', w.name))
        from sales_assignment r join user_account w on w.id = r.user_id where r.company_id = c.id), '[]') as sales,
      (select count(*) from company k where k.parent_id = c.id and k.removed_at is null) as clients,
      (select count(*) from campaign g where ${OWN_CAMPAIGNS.any} and g.state = 'active') as active_campaigns,
      coalesce((select l.created_at from lead l where l.agency_id = c.id order by l.created_at desc limit 1),
        (select l.created_at from lead l where l.company_id = c.id order by l.created_at desc limit 1)) as last_lead_at,
      (select sum(x.balance)::bigint from account v join account_balance x on x.account_id = v.id where v.company_id = c.id
        and v.kind = case c.kind when 'agency' then 'agency_wallet' else 'client_prepaid' end) as balance,
      coalesce(t.continual and t.declines > 0, false) as topup_failing,
      coalesce(
        case when b.payment_status = 'failed' then least(
          (select min(i.first_failed_at) from invoice i where i.company_id = c.id and i.status = 'open'),
          (select min(d.created_at) from prepaid_auto f cross join lateral
            (select d.created_at from prepaid_attempt d where d.campaign_id = f.campaign_id and d.state = 'declined'
             order by d.created_at desc, d.id desc limit f.declines) d
           where f.company_id = c.id and f.is_failing)) end,
        case when t.declines > 0 then (select min(d.created_at) from
          (select d.created_at from wallet_attempt d where d.company_id = c.id and d.state = 'declined'
           order by d.created_at desc, d.id desc limit t.declines) d) end) as failing_since
    from unnest(${ids}::uuid[]) with ordinality wanted (id, place)
    join company c on c.id = wanted.id
    left join user_account u on u.id = c.owner_id
    left join company_billing b on b.company_id = c.id
    left join connected_account a on a.company_id = c.id
    left join company_products s on s.company_id = c.id
    left join wallet_setting t on t.company_id = c.id
    left join lateral (select o.plan_id from minspend_choice o where o.company_id = c.id
      order by o.valid_from desc, o.serial desc limit 1) o on true
    order by wanted.place`.execute(tx);
  return rows;
}

/** A company of the scope by its own id or its owner's, locked against other changes. */
export async function lockTarget(tx: Tx, id: string) {
  return tx
    .selectFrom('company')
    .selectAll()
    .where((eb) => eb.or([eb('id', '=', id), eb('owner_id', '=', id)]))
    .where('kind', '<>', 'root')
    .where('removed_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/**
 * Waits until no one else is about to start one of an agency's or client's campaigns; anyone who does so afterward sees
 * what this transaction has changed.
 */
export async function holdCampaigns(tx: Tx, company: { id: string; kind: string }): Promise<void> {
  await tx
    .selectFrom('campaign')
    .select('id')
    .where(company.kind === 'agency' ? 'agency_id' : 'company_id', '=', company.id)
    .where('state', 'in', ['active', 'paused'])
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/** The numbers of an agency's or client's active campaigns, by product if one is given. */
export async function activeCampaigns(
  tx: Tx,
  company: { id: string; kind: string },
  modules?: readonly string[],
): Promise<string[]> {
  const rows = await tx
    .selectFrom('campaign')
    .select('number')
    .where(company.kind === 'agency' ? 'agency_id' : 'company_id', '=', company.id)
    .where('state', '=', 'active')
    .$if(modules !== undefined, (q) => q.where('module', 'in', modules as 'local'[]))
    .orderBy('number')
    .execute();
  return rows.map((row) => String(row.number));
}

/**
 * What blocks a removal, micro-dollars: what the company (for an agency, its clients too) still has in wallets, prepaid
 * balances, and as credit toward its next invoice, how much of it is such credit, and what it owes, invoiced or not.
 * What clients kept that had left before counts no more. `leftAt`: since when those are removed that leave now.
 */
export async function money(tx: Tx, company: { id: string; kind: string }, at: Date, leftAt?: Date) {
  const { rows } = await sql<{ has: bigint; credit: bigint; owes: bigint }>`
    with those as (
      select c.id, c.id = ${company.id} or c.removed_at is null or c.removed_at = ${leftAt ?? null}::timestamptz as leaves
      from company c where c.id = ${company.id} or c.agency_id = ${company.id}),
    arrears as (
      select t.leaves, balance_of(a.company_id, array[account_code(a.kind)], ${at}) as balance
      from (select distinct company_id, kind from account where company_id in (select id from those)
              and kind in ('client_unbilled', 'agency_payable')) a join those t on t.id = a.company_id),
    sums as (
      select coalesce(sum(balance) filter (where leaves and balance > 0), 0) as credit,
        coalesce(sum(balance) filter (where balance < 0), 0) as due from arrears)
    select
      (coalesce((select sum(b.balance) from account_balance b where b.company_id in (select id from those where leaves)), 0)
       + s.credit)::bigint as has,
      s.credit::bigint as credit,
      (coalesce((select sum(i.total_micros - i.paid_micros - i.credited_micros) from invoice i
        where i.company_id in (select id from those) and i.status = 'open'), 0) - s.due)::bigint as owes
    from sums s`.execute(tx);
  return rows[0]!;
}

/**
 * The main host of a company at which it is served, in the transaction that may have just created it; null if there is
 * none. Without white labeling, that is not its custom domain.
 */
export async function hostOf(tx: Tx, companyId: string): Promise<string | null> {
  const row = await tx
    .selectFrom('domain')
    .select('host')
    .where('company_id', '=', companyId)
    .where('verified_at', 'is not', null)
    .where((eb) => eb.or([eb('kind', '<>', 'custom'), sql<boolean>`wears_own(company_id)`]))
    .orderBy('is_primary', 'desc')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return row?.host ?? null;
}
