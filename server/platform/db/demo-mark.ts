import pg from 'pg';
import { connectionOf } from './hosts.ts';

/** What a database contains of the demo. */
export type DemoState =
  /** No demo was ever started. */
  | { is: 'none' }
  /** One was begun, and whoever made it ended before it was whole. */
  | { is: 'begun' }
  /** A whole one, made by a process that listened on `port`. */
  | { is: 'whole'; port: number };

/** A hold on the demo of a database: while one process has it, no other process reads or creates the demo. */
export interface DemoHold {
  state(): Promise<DemoState>;
  begin(port: number): Promise<void>;
  whole(): Promise<void>;
  /** Empties the database of everything that this product has created in it; roles and rights stay. */
  empty(): Promise<void>;
  release(): Promise<void>;
}

/** Waits, with a message, until no other process is creating the demo of this database, and takes the hold. */
export async function holdDemo(adminUrl: string, say: (line: string) => void): Promise<DemoHold> {
  const client = new pg.Client(connectionOf(adminUrl));
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query(`select pg_try_advisory_lock(hashtext('lead_demo')) as mine`);
  if (!rows[0].mine) {
    say('Waiting for another process to create the demo ...');
    await client.query(`select pg_advisory_lock(hashtext('lead_demo'))`);
  }
  await client.query('set role lead_owner');
  return {
    async state() {
      const [row] = (
        await client.query('select port, whole_at, begun_at = whole_at as taken_for_whole from demo')
      ).rows;
      if (!row) return { is: 'none' };
      if (!row.whole_at || (row.taken_for_whole && (await isHalf(client)))) return { is: 'begun' };
      return { is: 'whole', port: row.port };
    },
    async begin(port) {
      await client.query('insert into demo (port) values ($1)', [port]);
    },
    async whole() {
      await client.query('update demo set whole_at = now()');
    },
    async empty() {
      // lead_owner owns everything, here and in the schema of the queues.
      await client.query(`select pg_advisory_lock(hashtext('lead_migrate'))`);
      await client.query('drop owned by lead_owner cascade');
      await client.query(`select pg_advisory_unlock(hashtext('lead_migrate'))`);
    },
    async release() {
      await client.end().catch(() => {});
    },
  };
}

/**
 * Returns whether a demo started by a version without marks was interrupted (version 0.1.0 considered all of those
 * complete). They were filled day by day up to the day on which the database was created, so a demo whose leads end
 * before that is half made. A demo that a user has signed in to is left as it is, and so is one that this login cannot
 * read.
 */
async function isHalf(client: pg.Client): Promise<boolean> {
  await client.query('reset role');
  try {
    const { rows } = await client.query(`
      select (r.rolsuper or r.rolbypassrls) and not exists (select from session)
        and not exists (select from lead where created_at > (select min(applied_at) from migration) - interval '2 days') as half
      from pg_roles r where r.rolname = current_user`);
    return rows[0]?.half ?? false;
  } finally {
    await client.query('set role lead_owner');
  }
}
