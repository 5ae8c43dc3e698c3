import { type Kysely, sql, type Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/** A transaction that runs inside a tenant's scope. */
export type Tx = Transaction<Schema>;
export type Db = Kysely<Schema>;

/** What a transaction may see: a root's whole system, one of its agencies, or one client of that agency. */
export interface Scope {
  rootId: string;
  agencyId?: string | undefined;
  companyId?: string | undefined;
  /** A transaction of this very scope, to work in instead of a new one. */
  tx?: Tx | undefined;
  /** Runs at the end of each transaction that is begun in this scope, before it is committed. */
  beforeCommit?: ((tx: Tx) => Promise<void>) | undefined;
}

/**
 * Thrown by code that needs an answer from the network in the middle of a transaction: the transaction is rolled back,
 * `ask` gets and stores the answer, and the transaction starts again. So no lock is held while an external service
 * takes its time.
 */
export class AskFirst extends Error {
  override name = 'AskFirst';
  /** The same for the same question. */
  readonly question: string;
  readonly ask: () => Promise<void>;
  constructor(question: string, ask: () => Promise<void>) {
    super('requires an external answer first');
    this.question = question;
    this.ask = ask;
  }
}

const MOST_ASKED = 3;

/**
 * Runs `work` in one transaction that row-level security confines to `scope`. Serialization failures and deadlocks
 * (40001, 40P01) are retried up to 5 times, and the transaction is restarted for each question that it has to ask
 * first, so `work` must be safe to run again.
 */
export async function inScope<T>(db: Db, scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (scope.tx) return work(scope.tx);
  const asked = new Map<string, number>();
  for (let attempt = 1; ; ) {
    try {
      return await db.transaction().execute(async (tx) => {
        const role = scope.companyId ? 'lead_client' : scope.agencyId ? 'lead_agency' : 'lead_root';
        await sql`/* kept: scope */ select set_config('role', ${role}, true), set_config('scope.root_id', ${scope.rootId}, true),
                         set_config('scope.agency_id', ${scope.agencyId ?? ''}, true),
                         set_config('scope.company_id', ${scope.companyId ?? ''}, true)`.execute(tx);
        const result = await work(tx);
        await scope.beforeCommit?.(tx);
        return result;
      });
    } catch (error) {
      if (error instanceof AskFirst) {
        const times = (asked.get(error.question) ?? 0) + 1;
        // Another transaction may take the answer first, but not forever.
        if (times > MOST_ASKED) throw error;
        asked.set(error.question, times);
        await error.ask();
        continue;
      }
      const code = (error as { code?: string }).code;
      if ((code !== '40001' && code !== '40P01') || attempt === 5) throw error;
      attempt++;
    }
  }
}
