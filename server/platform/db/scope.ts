import { type Kysely, sql, type Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/** A transaction that runs inside a tenant's scope. */
export type Tx = Transaction<Schema>;
export type Db = Kysely<Schema>;

/** What a transaction may see: a root's whole system, one agency of it, or one client of that agency. */
export interface Scope {
  rootId: string;
  agencyId?: string | undefined;
  companyId?: string | undefined;
}

/**
 * Runs `work` in one transaction that row level security confines to `scope`.
 * Serialisation failures and deadlocks (40001, 40P01) are retried up to 5 times, so `work` must be safe to run again.
 */
export async function inScope<T>(db: Db, scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(async (tx) => {
        const role = scope.companyId ? 'lead_client' : scope.agencyId ? 'lead_agency' : 'lead_root';
        await sql`select set_config('role', ${role}, true), set_config('scope.root_id', ${scope.rootId}, true),
                         set_config('scope.agency_id', ${scope.agencyId ?? ''}, true),
                         set_config('scope.company_id', ${scope.companyId ?? ''}, true)`.execute(tx);
        return work(tx);
      });
    } catch (error) {
      const code = (error as { code?: string }).code;
      if ((code !== '40001' && code !== '40P01') || attempt === 5) throw error;
    }
  }
}
