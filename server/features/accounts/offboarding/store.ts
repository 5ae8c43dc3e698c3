import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export type OffboardingRow = Selectable<Schema['offboarding']>;

/** The offboarding of a client; `lock` prevents its job and others from going on in the meantime. */
export async function byClient(tx: Tx, companyId: string, lock = false): Promise<OffboardingRow | undefined> {
  const query = tx.selectFrom('offboarding').selectAll().where('company_id', '=', companyId);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

/** Begins an offboarding, or begins one again that was canceled. */
export async function begin(tx: Tx, row: Insertable<Schema['offboarding']>): Promise<void> {
  const { company_id: _, root_id: __, agency_id: ___, ...set } = row;
  await tx
    .insertInto('offboarding')
    .values(row)
    .onConflict((on) => on.column('company_id').doUpdateSet({ ...set, export_at: null, ended_at: null }))
    .execute();
}

export async function update(
  tx: Tx,
  companyId: string,
  set: Updateable<Schema['offboarding']>,
): Promise<void> {
  await tx.updateTable('offboarding').set(set).where('company_id', '=', companyId).execute();
}

/** The clients of a root that are being offboarded. */
export const running = (tx: Tx, rootId: string) =>
  tx
    .selectFrom('offboarding')
    .select('company_id')
    .where('root_id', '=', rootId)
    .where('state', '=', 'running')
    .orderBy('company_id')
    .execute();

const shown = (tx: Tx) =>
  tx
    .selectFrom('offboarding as o')
    .innerJoin('company as c', 'c.id', 'o.company_id')
    .leftJoin('user_account as u', 'u.id', 'o.started_by')
    .selectAll('o')
    .select(['c.name as company_name', 'u.name as started_by_name']);

export async function pageOf(
  tx: Tx,
  agencyId: string,
  search: string | undefined,
  limit: number,
  offset: number,
) {
  let query = shown(tx).where('o.agency_id', '=', agencyId);
  if (search) query = query.where('c.name', 'ilike', `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`);
  const rows = await query
    .orderBy('o.started_at', 'desc')
    .orderBy('o.company_id')
    .limit(limit)
    .offset(offset)
    .execute();
  const { count } = await query
    .clearSelect()
    .select(sql<number>`count(*)::float8`.as('count'))
    .executeTakeFirstOrThrow();
  return { rows, total: count };
}

/** A client by its id, also one that was removed, with its offboarding if there is one. */
export const client = (tx: Tx, agencyId: string, companyId: string) =>
  tx
    .selectFrom('company as c')
    .leftJoin('offboarding as o', 'o.company_id', 'c.id')
    .leftJoin('user_account as u', 'u.id', 'o.started_by')
    .select([
      'c.id',
      'c.kind',
      'c.name',
      'c.removed_at',
      'o.state',
      'o.keeps_balance',
      'o.delete_on',
      'o.export_at',
      'o.problem',
      'o.started_at',
      'o.ended_at',
      'u.name as started_by_name',
    ])
    .where('c.id', '=', companyId)
    .where('c.agency_id', '=', agencyId)
    .where('c.kind', '=', 'client')
    .executeTakeFirst();

/** What there still is of a client. */
export interface Left {
  campaigns: number;
  charges: number;
  refunds: number;
  /** Declined charges that their cardholders could still confirm. */
  confirmable: number;
  deliveries: number;
  connections: number;
}

export async function leftOf(tx: Tx, companyId: string): Promise<Left> {
  const { rows } = await sql<Left>`
    select
      (select count(*) from campaign k where k.company_id = ${companyId} and k.state in ('active', 'paused'))::float8 as campaigns,
      (select count(*) from charge h where h.company_id = ${companyId} and h.state in ('intended', 'sent', 'unknown'))::float8 as charges,
      (select count(*) from refund r join charge h on h.id = r.charge_id
       where h.company_id = ${companyId} and r.state in ('intended', 'unknown', 'pending'))::float8 as refunds,
      (select count(*) from charge h where h.company_id = ${companyId} and h.state = 'declined'
         and h.needs_authentication and h.provider_reference is not null)::float8 as confirmable,
      (select count(*) from delivery d where d.company_id = ${companyId} and d.state in ('pending', 'unknown'))::float8 as deliveries,
      (select count(*) from connection x where x.company_id = ${companyId} and x.state <> 'removed')::float8 as connections`.execute(
    tx,
  );
  return rows[0]!;
}

/** The campaigns of a client that are not archived or removed, whatever they bring. */
export const openCampaigns = (tx: Tx, companyId: string) =>
  tx
    .selectFrom('campaign')
    .select(['id', 'module'])
    .where('company_id', '=', companyId)
    .where('state', 'in', ['active', 'paused'])
    .orderBy('id')
    .execute();

/** The campaigns of a client with a prepaid balance. */
export async function withBalance(tx: Tx, companyId: string): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct a.campaign_id as id from account a join account_balance b on b.account_id = a.id
    where a.company_id = ${companyId} and a.kind = 'client_prepaid' and b.balance > 0 and a.campaign_id is not null
    order by 1`.execute(tx);
  return rows;
}

export const connectionsOf = (tx: Tx, companyId: string) =>
  tx
    .selectFrom('connection')
    .select('id')
    .where('company_id', '=', companyId)
    .where('state', '!=', 'removed')
    .orderBy('id')
    .execute();
