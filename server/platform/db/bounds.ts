import { type RawBuilder, sql } from 'kysely';
import { refusalOf } from '../../../contract/errors.ts';
import type { Tx } from './scope.ts';

interface Bound {
  /** The maximum number per holder. Tests lower it. */
  most: number;
  /** What there are too many of, whose they are, and what to do: 'campaigns of one client; remove some first'. */
  what: string;
  /** The holder's current rows. */
  rows: (holder: string) => RawBuilder<unknown>;
}

/**
 * How many of a kind one holder can create through the API: far more than anyone needs, so that no login, however it is
 * used, can fill the database or make others wait (docs/security.md lists these and where all others stand).
 */
export const BOUNDS = {
  agencies: {
    most: 10_000,
    what: 'agencies per root. Remove some first',
    rows: (id) => sql`company where parent_id = ${id} and removed_at is null`,
  },
  clients: {
    most: 10_000,
    what: 'clients per agency. Remove some first',
    rows: (id) => sql`company where parent_id = ${id} and removed_at is null`,
  },
  people: {
    most: 1000,
    what: 'users per company. Remove some first',
    rows: (id) => sql`user_account where company_id = ${id} and disabled_at is null`,
  },
  roles: {
    most: 100,
    what: 'roles per company. Remove some first',
    rows: (id) => sql`role where company_id = ${id} and removed_at is null`,
  },
  campaigns: {
    most: 1000,
    what: 'campaigns per client. Remove some first',
    rows: (id) => sql`campaign where company_id = ${id} and state <> 'removed'`,
  },
  groups: {
    most: 200,
    what: 'campaign groups per company. Remove some first',
    rows: (id) => sql`company_group where company_id = ${id}`,
  },
  views: {
    most: 100,
    what: 'saved views per user. Delete some first',
    rows: (id) => sql`list_view where user_id = ${id}`,
  },
  alerts: {
    most: 50,
    what: 'alerts per client. Remove some first',
    rows: (id) => sql`alert where company_id = ${id} and state <> 'removed'`,
  },
  templates: {
    most: 500,
    what: 'templates per company. Remove some first',
    rows: (id) => sql`template where company_id = ${id} and removed_at is null`,
  },
  templateVersions: {
    most: 500,
    what: 'versions per template. Create another template',
    rows: (id) => sql`template_version where template_id = ${id}`,
  },
  fullExports: {
    most: 5,
    what: 'full exports kept per company. Delete one first',
    rows: (id) => sql`company_export where company_id = ${id} and state = 'ready'`,
  },
  viewExports: {
    most: 20,
    what: 'views emailed to one user. Stop one first',
    rows: (id) => sql`view_export where user_id = ${id}`,
  },
  viewExportsOfCompany: {
    most: 200,
    what: 'emailed views per company. Have someone stop one first',
    rows: (id) => sql`view_export where company_id = ${id}`,
  },
  reportSchedules: {
    most: 20,
    what: 'emailed reports per company. Remove one first',
    rows: (id) => sql`report_schedule where company_id = ${id}`,
  },
  importRuns: {
    most: 20,
    what: 'archives of imports kept per root. Delete one first',
    rows: (id) =>
      sql`company_import_run where root_id = ${id} and state <> 'removed' and file_path is not null`,
  },
  waitingExports: {
    most: 10,
    what: 'full exports being made per agency. Try again when some are done',
    rows: (id) => sql`company_export where agency_id = ${id} and state in ('queued', 'making', 'held')`,
  },
  looks: {
    most: 200,
    what: 'customized lists per user',
    rows: (id) => sql`list_look where user_id = ${id}`,
  },
  lists: {
    most: 1000,
    what: 'exclusion lists per company and its campaigns. Purge some first',
    rows: (id) => sql`exclusion_list where company_id = ${id} and state in ('queued', 'loading', 'active')`,
  },
  waitingLists: {
    most: 20,
    what: 'exclusion lists waiting to load per company. Try again when some are done',
    rows: (id) => sql`exclusion_list where company_id = ${id} and state in ('queued', 'loading')`,
  },
  waitingImports: {
    most: 50,
    what: 'unfinished imports per root. End or cancel some first',
    rows: (id) => sql`import_job where root_id = ${id} and state not in ('done', 'failed', 'cancelled')`,
  },
  waitingCounts: {
    most: 50,
    what: 'keyword counts in progress per client. Try again when some are done',
    rows: (id) => sql`intent_count where company_id = ${id} and state = 'pending'`,
  },
  audiences: {
    most: 200,
    what: 'audiences per client. Delete some first',
    rows: (id) => sql`audience where company_id = ${id} and state <> 'removed'`,
  },
  waitingAudiences: {
    most: 10,
    what: 'audiences waiting per client. Try again when some of them are ready',
    rows: (id) => sql`audience where company_id = ${id} and state in ('queued', 'loading')`,
  },
  media: {
    most: 500,
    what: 'images per library. Remove some first',
    rows: (id) => sql`creative where company_id = ${id} and campaign_id is null and state <> 'removed'`,
  },
  banners: {
    most: 500,
    what: 'banners per company. Delete some first',
    rows: (id) => sql`banner where company_id = ${id} and state = 'active'`,
  },
  zones: {
    most: 200,
    what: 'ad zones per company. Remove some first',
    rows: (id) => sql`ad_zone where company_id = ${id} and state = 'active'`,
  },
  connections: {
    most: 100,
    what: 'connections per company. Disconnect some first',
    rows: (id) => sql`connection where company_id = ${id} and state <> 'removed'`,
  },
  coupons: {
    most: 1000,
    what: 'coupons per root. Remove some first',
    rows: (id) => sql`coupon where company_id = ${id} and removed_at is null`,
  },
  taxRates: {
    most: 1000,
    what: 'tax rates per root. Remove some first',
    rows: (id) => sql`tax_rate where root_id = ${id}`,
  },
  plans: {
    most: 100,
    what: 'minimum spend plans per root. Remove some first',
    rows: (id) => sql`minspend_plan where company_id = ${id} and removed_at is null`,
  },
} satisfies Record<string, Bound>;

export type BoundName = keyof typeof BOUNDS;

/** More than can be added at the same moment, each on its own connection. */
const AT_ONCE = 500;

/**
 * Makes sure that a holder can have one more, before it is added in this transaction. Near the bound, concurrent
 * additions wait here until the previous one is done, so that no burst exceeds it; far from it, none waits and ties up
 * a connection.
 * @param field the name of the field in the request
 * @throws Refusal 422 naming field and bound
 */
export async function boundedBy(tx: Tx, name: BoundName, holder: string, field: string): Promise<void> {
  if (!(await holds(tx, name, holder, BOUNDS[name].most - AT_ONCE))) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`bound:${name}:${holder}`}, 0))`.execute(tx);
  await checkBound(tx, name, holder, field);
}

/**
 * Does the same without waiting for others, to refuse something expensive, such as a large upload, before it is
 * accepted.
 */
export async function checkBound(tx: Tx, name: BoundName, holder: string, field: string): Promise<void> {
  const { most, what } = BOUNDS[name];
  if (await holds(tx, name, holder, most))
    throw refusalOf(field, `would exceed the limit of ${most.toLocaleString('en-US')} ${what}`);
}

/** Returns whether a holder has this many. */
async function holds(tx: Tx, name: BoundName, holder: string, many: number): Promise<boolean> {
  if (many <= 0) return true;
  const { rows } = await sql<{ is_so: boolean }>`
    select count(*) >= ${many} as is_so from (select from ${BOUNDS[name].rows(holder)} limit ${many}) t`.execute(
    tx,
  );
  return rows[0]?.is_so ?? false;
}
