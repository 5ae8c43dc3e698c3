import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { CompanyKind } from '../../../platform/ctx.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';
import type { ModuleRight } from '../../accounts/users/index.ts';
import type { KeyFacts, KeyMode } from './key.policy.ts';

export type KeyRow = Selectable<Schema['developer_key']>;

/** A key with everything a request with it depends on. */
export interface KnownKey extends KeyFacts {
  id: string;
  root_id: string;
  agency_id: string;
  company_id: string;
  company_name: string;
  maker_id: string;
  maker_role: string;
  is_account_executive: boolean;
  rights: ModuleRight[] | null;
  name: string;
  mode: KeyMode;
  client_id: string;
  scopes: string[];
  last_used_at: Date | null;
  last_used_ip: string | null;
  sandbox_root_id: string | null;
  sandbox_agency_id: string | null;
  version: string;
}

/** Returns a key by one of its names, before any scope is known; undefined if there is none. */
export async function known(
  db: Db,
  by: { id: string } | { clientId: string } | { hash: Buffer },
): Promise<KnownKey | undefined> {
  const id = 'id' in by ? by.id : null;
  const client = 'clientId' in by ? by.clientId : null;
  const hash = 'hash' in by ? by.hash : null;
  const { rows } = await sql<KnownKey>`/* kept: known_key */
    select s.*, rights_of(s.maker_id) as rights
    from developer_key_state(${id}::uuid, ${client}::text, ${hash}::bytea) s`.execute(db);
  return rows[0];
}

/** Prevents others from making keys, or a sandbox, for a company until the transaction ends. */
export async function lockCompany(tx: Tx, companyId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${companyId}, 191))`.execute(tx);
}

const ofCompany = (tx: Tx, companyId: string) =>
  tx
    .selectFrom('developer_key as k')
    .innerJoin('user_account as u', 'u.id', 'k.maker_id')
    .innerJoin('company as c', 'c.id', 'k.company_id')
    .leftJoin('company_billing as b', 'b.company_id', 'k.company_id')
    .selectAll('k')
    .select([
      'u.name as maker_name',
      'u.role as maker_role',
      sql<boolean>`u.disabled_at is null and u.company_id = k.company_id`.as('is_maker_there'),
      sql<boolean>`c.removed_at is null`.as('is_company_there'),
      sql<CompanyKind>`c.kind`.as('kind'),
      sql<boolean>`coalesce(b.api_mode, false)`.as('api_mode'),
      sql<boolean>`coalesce(b.payment_status = 'failed', false)`.as('is_unpaid'),
    ])
    .where('k.company_id', '=', companyId)
    .where('k.removed_at', 'is', null);

/** Returns the keys of a company that were not deleted, newest first. */
export const list = (tx: Tx, companyId: string) =>
  ofCompany(tx, companyId).orderBy('k.created_at', 'desc').orderBy('k.id', 'desc').execute();
export type ListedKey = Awaited<ReturnType<typeof list>>[number];

/** Returns one of a company's keys as the list shows it; undefined if the company has no key with that id. */
export const one = (tx: Tx, companyId: string, id: string): Promise<ListedKey | undefined> =>
  ofCompany(tx, companyId).where('k.id', '=', id).executeTakeFirst();

/**
 * Returns one of a company's keys, locked until the transaction ends; undefined if the company has no key with that id.
 */
export const lock = (tx: Tx, companyId: string, id: string): Promise<KeyRow | undefined> =>
  tx
    .selectFrom('developer_key')
    .selectAll()
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .where('removed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();

export async function insert(tx: Tx, row: Insertable<Schema['developer_key']>): Promise<void> {
  await tx.insertInto('developer_key').values(row).execute();
}

export async function update(tx: Tx, id: string, set: Updateable<Schema['developer_key']>): Promise<void> {
  await tx.updateTable('developer_key').set(set).where('id', '=', id).execute();
}

/** Records a use, unless a later one has already been recorded. */
export async function touch(tx: Tx, id: string, at: Date, ip: string): Promise<void> {
  await tx
    .updateTable('developer_key')
    .set({ last_used_at: at, last_used_ip: ip })
    .where('id', '=', id)
    .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<', at)]))
    .execute();
}

/** Returns the keys of a root that expire before one instant, or have expired since another. */
export const ending = (tx: Tx, rootId: string, from: Date, to: Date): Promise<KeyRow[]> =>
  tx
    .selectFrom('developer_key')
    .selectAll()
    .where('root_id', '=', rootId)
    .where('removed_at', 'is', null)
    .where('expires_at', '>', from)
    .where('expires_at', '<=', to)
    .orderBy('expires_at')
    .execute();
