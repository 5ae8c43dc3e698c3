import pg from 'pg';

/** What a database holds of the demo. */
export type DemoState =
  /** None was ever begun. */
  | { is: 'none' }
  /** One was begun, and whoever made it ended before it was whole. */
  | { is: 'begun' }
  /** A whole one, made by a process that listened on `port`. */
  | { is: 'whole'; port: number };

/** A hold on the demo of a database: while one process has it, no other looks at the demo or makes it. */
export interface DemoHold {
  state(): Promise<DemoState>;
  begin(port: number): Promise<void>;
  whole(): Promise<void>;
  /** Empties the database of all that this product has made in it; roles and rights stay. */
  empty(): Promise<void>;
  release(): Promise<void>;
}

/** Waits until no other process makes the demo of this database, saying so, and takes hold of it. */
export async function holdDemo(adminUrl: string, say: (line: string) => void): Promise<DemoHold> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query(`select pg_try_advisory_lock(hashtext('lead_demo')) as mine`);
  if (!rows[0].mine) {
    say('Waiting for another process that makes the demo ...');
    await client.query(`select pg_advisory_lock(hashtext('lead_demo'))`);
  }
  await client.query('set role lead_owner');
  return {
    async state() {
      const [row] = (await client.query('select port, whole_at from demo')).rows;
      if (!row) return { is: 'none' };
      return row.whole_at ? { is: 'whole', port: row.port } : { is: 'begun' };
    },
    async begin(port) {
      await client.query('insert into demo (port) values ($1)', [port]);
    },
    async whole() {
      await client.query('update demo set whole_at = now()');
    },
    async empty() {
      // Everything is lead_owner's, here and in the schema of the queues.
      await client.query(`select pg_advisory_lock(hashtext('lead_migrate'))`);
      await client.query('drop owned by lead_owner cascade');
      await client.query(`select pg_advisory_unlock(hashtext('lead_migrate'))`);
    },
    async release() {
      await client.end().catch(() => {});
    },
  };
}
