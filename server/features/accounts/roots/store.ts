import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';

/** A root as the master root sees it. */
export interface RootRow {
  id: string;
  name: string;
  host: string | null;
  owner_name: string;
  owner_email: string;
  agencies: bigint;
  created_at: Date;
  is_master: boolean;
  total: bigint;
}

/** A page of all roots; empty in any scope other than the master root's. */
export async function list(tx: Tx, search: string, limit: number, offset: number): Promise<RootRow[]> {
  const pattern = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  return (await sql<RootRow>`select * from root_list(${pattern}, ${limit}, ${offset})`.execute(tx)).rows;
}

/**
 * Continues in another root's scope within one transaction, so that what was created there and its log row are
 * committed together.
 */
export async function goOnIn(tx: Tx, rootId: string): Promise<void> {
  await sql`select set_config('scope.root_id', ${rootId}, true)`.execute(tx);
}
