import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import type { Database } from './connect.ts';
import type { Schema } from './schema.ts';
import { inScope, type Scope, type Tx } from './scope.ts';

/** The connection of a transaction. */
export type Client = pg.PoolClient;

/**
 * Like inScope, for work that also needs the connection itself, for COPY: `client` is the one that `tx` runs on, inside
 * the same transaction. Retried like inScope, so `work` must be safe to run again.
 */
export async function inScopeWithClient<T>(
  db: Database,
  scope: Scope,
  work: (tx: Tx, client: Client) => Promise<T>,
): Promise<T> {
  const client = await db.appPool.connect();
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  // A pool of only this connection, which returns to the real pool when everything is done.
  const lent = { query: client.query.bind(client), release: () => {} } as unknown as PostgresPoolClient;
  const dialect = new PostgresDialect({
    pool: { connect: async () => lent, end: async () => {}, options: {} },
  });
  try {
    return await inScope(new Kysely<Schema>({ dialect }), scope, (tx) => work(tx, client));
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}
