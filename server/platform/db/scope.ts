import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, type Kysely } from 'kysely';
import { isDatabaseAway } from './away.ts';
import { SCOPE } from './keeping-client.ts';
import type { Schema } from './schema.ts';

/**
 * What statements are built on and executed by: of Kysely, only what is used. To compare the whole of it, TypeScript
 * compared each of the types that it returns, among them all the schema without some of its tables: a third of its time.
 */
export interface Db
  extends Pick<
    Kysely<Schema>,
    | 'selectFrom'
    | 'insertInto'
    | 'updateTable'
    | 'deleteFrom'
    | 'with'
    | 'fn'
    | 'executeQuery'
    | 'getExecutor'
    | 'transaction'
    | 'destroy'
  > {}
/** A transaction that runs inside a tenant's scope. */
export interface Tx extends Db {
  readonly isTransaction: true;
  transaction(): never;
  destroy(): never;
}

/** What a transaction may see: a root's whole system, one of its agencies, or one client of that agency. */
export interface Scope {
  rootId: string;
  agencyId?: string | undefined;
  companyId?: string | undefined;
  /** A transaction of this very scope, to work in instead of a new one. */
  tx?: Tx | undefined;
  /** Runs at the end of each transaction that is begun in this scope, before it is committed. */
  beforeCommit?: ((tx: Tx) => Promise<void>) | undefined;
  /** Whether its transactions only read: PostgreSQL refuses changes, and each query takes one round trip. */
  isRead?: boolean | undefined;
  /** Whether all statements of a transaction see the database as it was at the first: for files made table by table. */
  isSnapshot?: boolean | undefined;
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
/** Each question begins the transaction again: work that asks more of them in all has to be split. */
const MOST_ASKED_IN_ALL = 20;

/** What is done once a transaction has committed. */
const waiting = new WeakMap<Tx, (() => void)[]>();

/** Does something once the transaction has committed, and not at all if it does not: for counting what happened. */
export function onCommit(tx: Tx, work: () => void): void {
  const known = waiting.get(tx);
  if (known) known.push(work);
  else waiting.set(tx, [work]);
}

async function enter(tx: Tx, { rootId, agencyId = '', companyId = '' }: Scope): Promise<void> {
  const role = companyId ? 'lead_client' : agencyId ? 'lead_agency' : 'lead_root';
  await tx.executeQuery(CompiledQuery.raw(SCOPE, [role, rootId, agencyId, companyId]));
}

/**
 * Asks something as the root sees it in the middle of a transaction of a narrower scope, which it returns to. For what
 * the narrower scope needs to know without seeing it, such as whether a person is on a list of the root's.
 */
export async function asRoot<T>(tx: Tx, scope: Scope, work: () => Promise<T>): Promise<T> {
  await enter(tx, { rootId: scope.rootId });
  // If it fails, so has the transaction: there is nothing to return to.
  const answer = await work();
  await enter(tx, scope);
  return answer;
}

/**
 * Runs `work` in one transaction that row-level security confines to `scope`. Serialization failures and deadlocks
 * (40001, 40P01) are retried up to 5 times, and the transaction is restarted for each question that it has to ask
 * first, up to 20 in all, so `work` must be safe to run again. If the connection breaks in the middle, as in a failover, it is tried once
 * more on another. If it breaks during the commit, no one knows whether it is committed: then the error is thrown, and
 * whoever asked has to ask again with the same key.
 */
export async function inScope<T>(db: Db, scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (scope.tx) return work(scope.tx);
  const asked = new Map<string, number>();
  let askedInAll = 0;
  let hasMoved = false;
  for (let attempt = 1; ; ) {
    const step: { is: 'connecting' | 'working' | 'committing' } = { is: 'connecting' };
    try {
      const begin = scope.isSnapshot
        ? db.transaction().setIsolationLevel('repeatable read')
        : db.transaction();
      let committed: (() => void)[] | undefined;
      const result = await (scope.isRead ? begin.setAccessMode('read only') : begin).execute(async (tx) => {
        step.is = 'working';
        await enter(tx, scope);
        const made = await work(tx);
        await scope.beforeCommit?.(tx);
        committed = waiting.get(tx);
        if (!scope.isRead) step.is = 'committing';
        return made;
      });
      for (const one of committed ?? []) one();
      return result;
    } catch (error) {
      if (error instanceof AskFirst) {
        const times = (asked.get(error.question) ?? 0) + 1;
        // Another transaction may take the answer first, but not forever.
        if (times > MOST_ASKED || ++askedInAll > MOST_ASKED_IN_ALL) throw error;
        asked.set(error.question, times);
        await error.ask();
        continue;
      }
      // Not if there is no connection at all: those who wait for one would only wait twice as long.
      if (step.is === 'working' && !hasMoved && isDatabaseAway(error)) {
        hasMoved = true;
        // The pool's other connections break at the same time, and it has yet to be told.
        await sleep(100);
        continue;
      }
      const code = (error as { code?: string }).code;
      if ((code !== '40001' && code !== '40P01') || attempt === 5) throw error;
      attempt++;
    }
  }
}
