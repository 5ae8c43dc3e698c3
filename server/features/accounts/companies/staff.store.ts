import { type RawBuilder, sql } from 'kysely';
import type { StaffFilter } from '../../../../contract/accounts/staff.ts';
import type { PersonalPermission } from '../../../platform/db/columns.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { ModuleRight } from '../users/index.ts';

/** A user of a company as shown in the lists. */
export interface StaffRow {
  id: string;
  root_id: string;
  agency_id: string | null;
  company_id: string;
  role: 'owner' | 'administrator' | 'sales';
  name: string;
  email: string;
  phone: string;
  phone_country: string;
  phone_calling: string;
  role_id: string | null;
  role_name: string | null;
  is_default_admin: boolean;
  customer_care: boolean;
  gets_notices: boolean;
  mail_off: boolean;
  campaigns_closed: boolean;
  permission_active: boolean;
  permissions: PersonalPermission[];
  is_account_executive: boolean;
  factor: 'email' | 'google' | null;
  has_password: boolean;
  invited_until: Date | null;
  created_at: Date;
  disabled_at: Date | null;
  version: number;
  rights: ModuleRight[] | null;
}

/** Which people, and in what order. */
export interface StaffWanted {
  type: 'administrator' | 'sales';
  sort: 'full_name' | 'email' | 'created_at';
  order: 'asc' | 'desc';
  search: string;
  filters: StaffFilter[];
}

const SORTS: Record<StaffWanted['sort'], RawBuilder<unknown>> = {
  full_name: sql`lower(u.name)`,
  email: sql`u.email`,
  created_at: sql`u.created_at`,
};
const COLUMNS = sql`u.id, u.root_id, u.agency_id, u.company_id, u.role, u.name, u.email, u.phone, u.phone_country,
  u.phone_calling, u.role_id, r.name as role_name, u.is_default_admin, u.customer_care, u.gets_notices, u.mail_off,
  u.campaigns_closed, u.permission_active, u.permissions, u.is_account_executive, f.kind as factor,
  u.password_hash is not null as has_password, u.created_at, u.disabled_at, u.version, rights_of(u.id) as rights,
  (select max(p.expires_at) from password_reset p where p.user_id = u.id and p.used_at is null) as invited_until`;
const FROM = sql`from user_account u left join role r on r.id = u.role_id left join user_factor f on f.user_id = u.id`;

function where(companyId: string, wanted: Omit<StaffWanted, 'sort' | 'order'>): RawBuilder<unknown> {
  const parts = [
    sql`u.company_id = ${companyId}`,
    wanted.type === 'sales' ? sql`u.role = 'sales'` : sql`u.role in ('owner', 'administrator')`,
    wanted.filters.includes('removed') ? sql`u.disabled_at is not null` : sql`u.disabled_at is null`,
  ];
  if (wanted.filters.includes('invited')) parts.push(sql`u.password_hash is null`);
  if (wanted.search) {
    const like = `%${wanted.search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    parts.push(
      sql`(lower(u.name) like ${like} or u.email like ${like} or lower(coalesce(r.name, '')) like ${like})`,
    );
  }
  return sql.join(parts, sql` and `);
}

/** A page of the people of a company, and how many there are. */
export async function people(
  tx: Tx,
  companyId: string,
  wanted: StaffWanted,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: StaffRow[]; total: number }> {
  const dir = wanted.order === 'desc' ? sql`desc` : sql`asc`;
  const of = where(companyId, wanted);
  const { rows } = await sql<StaffRow>`select ${COLUMNS} ${FROM} where ${of}
    order by ${SORTS[wanted.sort]} ${dir}, u.id ${dir} limit ${limit} offset ${offset}`.execute(tx);
  const counted = await sql<{ total: bigint }>`select count(*) as total ${FROM} where ${of}`.execute(tx);
  return { rows, total: Number(counted.rows[0]!.total) };
}

/** A user of a company, including removed ones; locked against other changes to the company's users. */
export async function person(tx: Tx, companyId: string, id: string): Promise<StaffRow | undefined> {
  const { rows } =
    await sql<StaffRow>`select ${COLUMNS} ${FROM} where u.id = ${id} and u.company_id = ${companyId}
    for no key update of u`.execute(tx);
  return rows[0];
}

/**
 * Makes changes to a company's users run one after another, so that two owners cannot remove each other at the same
 * time.
 */
export async function lockStaff(tx: Tx, companyId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('staff ' || ${companyId}, 0))`.execute(tx);
}

/** How many owners a company has other than the given one. */
export async function ownersBesides(tx: Tx, companyId: string, id: string): Promise<number> {
  const row = await tx
    .selectFrom('user_account')
    .select((eb) => eb.fn.countAll<bigint>().as('n'))
    .where('company_id', '=', companyId)
    .where('role', '=', 'owner')
    .where('disabled_at', 'is', null)
    .where('id', '<>', id)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}
