import { sql } from 'kysely';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../test/database.ts';
import { sendVisits, until } from '../../test/faults/harness.ts';
import { hasPgBouncer, startPgBouncer } from '../../test/pgbouncer.ts';
import { openStage } from '../../test/stage.ts';
import { inScopeWithClient } from './client.ts';
import { type Database, openDatabase, provisionLogins } from './connect.ts';
import { inScope, type Tx } from './scope.ts';

const ROOTS = ['0198c0de-0000-7000-8000-000000000001', '0198c0de-0000-7000-8000-000000000002'];
const KEY = Buffer.alloc(32, 7);

describe.runIf(hasPgBouncer)('[SCAL-01] PgBouncer in transaction mode', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let pooler: Awaited<ReturnType<typeof startPgBouncer>>;
  let db: Database;
  beforeAll(async () => {
    database = await createTestDatabase(inject('adminUrl'));
    const urls = await provisionLogins(database.url, KEY, true);
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(`create table note (text text not null, root_id text default current_setting('scope.root_id'));
      grant all on note to lead_app, lead_root;
      alter table note enable row level security;
      create policy own on note using (root_id = current_setting('scope.root_id'));
      create table plain (text text, root_id text default current_setting('scope.root_id'));
      grant all on plain to lead_root`);
    await admin.end();
    // One connection to the server, which all transactions take turns on.
    pooler = await startPgBouncer(database.url, 1);
    db = openDatabase(urls, 8, pooler.address);
  });
  afterAll(async () => {
    await db.close();
    await pooler.close();
    await database.drop();
  });

  const who = async (tx: Tx | Database['app']) =>
    (
      await sql<{ role: string; root: string | null; read: string; pid: number }>`
        select current_user as role, nullif(current_setting('scope.root_id', true), '') as root,
          current_setting('transaction_read_only') as read, pg_backend_pid() as pid`.execute(tx)
    ).rows[0]!;

  test('transactions of different tenants that share a connection see their own rows only', async () => {
    const found = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const rootId = ROOTS[at % 2]!;
        const isRead = at % 3 === 0;
        return inScope(db.app, { rootId, isRead }, async (tx) => {
          if (!isRead) await sql`insert into note (text) values (${String(at)})`.execute(tx);
          // A statement that a connection of our own would keep prepared.
          const { rows } = await sql<{
            root_id: string;
          }>`select /* kept: pooler_notes */ root_id from note`.execute(tx);
          expect(rows.every((row) => row.root_id === rootId)).toBe(true);
          expect(await who(tx)).toMatchObject({
            role: 'lead_root',
            root: rootId,
            read: isRead ? 'on' : 'off',
          });
          return (await who(tx)).pid;
        });
      }),
    );
    expect(new Set(found).size).toBe(1);
    expect(await who(db.app)).toMatchObject({ root: null, read: 'off' });
    expect((await who(db.app)).role).toMatch(/^lead_app_/);
    await expect(
      inScope(db.app, { rootId: ROOTS[0]!, isRead: true }, (tx) =>
        sql`select * from note for update`.execute(tx),
      ),
    ).rejects.toThrow('read-only transaction');
  });

  test('COPY, several statements in one text, and what fails stay in their transaction', async () => {
    const scope = { rootId: ROOTS[0]! };
    await inScopeWithClient(db, scope, async (_tx, client) => {
      const copy = client.query(copyFrom('copy plain (text) from stdin'));
      await new Promise<void>((done, fail) => {
        copy.on('finish', done).on('error', fail).end('i\nj\n');
      });
    });
    await expect(
      inScope(db.app, scope, async (tx) => {
        await sql`set local work_mem = '64MB'; insert into plain (text) values ('k')`.execute(tx);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    const texts = await inScope(db.app, scope, (tx) =>
      sql<{ text: string; root_id: string }>`select text, root_id from plain order by text`.execute(tx),
    );
    expect(texts.rows).toEqual(['i', 'j'].map((text) => ({ text, root_id: ROOTS[0] })));
  });

  test('the time limits hold', async () => {
    const limits = await sql<Record<string, string>>`select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle`.execute(db.app);
    expect(limits.rows).toEqual([{ statement: '1min', idle: '1min' }]);
  });

  test('a whole platform works behind it, also after it was killed', { timeout: 300_000 }, async () => {
    const stage = await openStage({ databaseUrl: database.url });
    // The stage's logins are not those of the other tests.
    const own = await startPgBouncer(database.url, 3);
    try {
      const campaign = await stage.make.campaign(
        await stage.make.client(await stage.make.agency(await stage.make.root())),
      );
      const server = await stage.start('app', { DATABASE_POOLER: own.address, VISIT_LOG: 'database' });
      const visitors = sendVisits(() => server, campaign.siteKey, 3);
      const { acknowledged } = visitors.log;
      await until('visits', () => acknowledged.size > 20);
      await own.kill();
      await until('the platform to say so', async () => {
        const { status } = await fetch(`http://127.0.0.1:${server.port}/readyz`);
        return status === 503;
      });
      await own.start();
      const before = acknowledged.size;
      await until('more visits', () => acknowledged.size > before + 20);
      await visitors.stop();
      await until('all to be worked off', async () => {
        return (await stage.number('select count(*) from visit where resolved_at is null')) === 0;
      });
      expect(await stage.number('select count(*) from visit')).toBe(acknowledged.size);
      expect(await stage.number('select count(distinct event_id) from visit')).toBe(acknowledged.size);
      expect(visitors.log.unhelpful).toBe(0);
      await server.stop();
    } finally {
      await stage.close();
      await own.close();
    }
  });
});
