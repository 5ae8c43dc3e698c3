import { sql } from 'kysely';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { createTestDatabase } from '../../test/database.ts';
import { isDatabaseAway } from './away.ts';
import { inScopeWithClient } from './client.ts';
import { type Database, openDatabase, provisionLogins } from './connect.ts';
import { AskFirst, inScope, type Tx } from './scope.ts';

const ROOT = '0198c0de-0000-7000-8000-000000000001';
const AGENCY = '0198c0de-0000-7000-8000-000000000002';
let given: Awaited<ReturnType<typeof createTestDatabase>>;
let admin: pg.Client;
let db: Database;
let roundTrips = 0;

beforeAll(async () => {
  given = await createTestDatabase(inject('adminUrl'));
  admin = new pg.Client({ connectionString: given.url });
  await admin.connect();
  await admin.query(`create table note (text text not null unique, root_id text default current_setting('scope.root_id'));
    grant all on note to lead_app, lead_root, lead_agency;
    alter table note enable row level security;
    create table plain (text text, root_id text default current_setting('scope.root_id'), role text default current_user);
    grant all on plain to lead_agency;
    create policy own on note using (root_id = current_setting('scope.root_id'))`);
  // One connection: what a transaction leaves behind, the next one finds.
  db = openDatabase(await provisionLogins(given.url, Buffer.alloc(32, 7)), 1);
  db.appPool.on('acquire', (client) => {
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
    if (connection.listenerCount('readyForQuery') === 1)
      connection.on('readyForQuery', () => {
        roundTrips++;
      });
  });
  await sql`select 1`.execute(db.app);
});
afterAll(async () => {
  await db.close();
  await admin.end();
  await given.drop();
});

const counted = async (work: () => Promise<unknown>): Promise<number> => {
  const before = roundTrips;
  await work();
  return roundTrips - before;
};
const who = async (tx: Tx | Database['app']) =>
  (
    await sql<{ role: string; root: string | null; read: string }>`
      select current_user as role, nullif(current_setting('scope.root_id', true), '') as root,
        current_setting('transaction_read_only') as read`.execute(tx)
  ).rows[0]!;
const mine = { rootId: ROOT, agencyId: AGENCY };
const reading = { ...mine, isRead: true };
/** Nothing of a transaction is left on the connection. */
const isClean = async () => {
  const { role, root, read } = await who(db.app);
  expect([role.startsWith('lead_app'), root, read]).toEqual([true, null, 'off']);
};
const write = (tx: Tx, text: string) => sql`insert into note (text) values (${text})`.execute(tx);
const notes = async (tx: Tx) =>
  (await sql<{ text: string }>`select text from note order by text`.execute(tx)).rows.map(({ text }) => text);

test('[BEY-14] a change takes a round trip for each statement and one for its commit', async () => {
  expect(await counted(() => inScope(db.app, mine, (tx) => write(tx, 'a')))).toBe(2);
  expect(await counted(() => inScope(db.app, mine, notes))).toBe(2);
  expect(await counted(() => inScope(db.app, mine, async () => {}))).toBe(0);
  await isClean();
});

test('[BEY-14] a read takes one, in its scope, which ends with it, also when it fails', async () => {
  expect(await counted(() => inScope(db.app, reading, notes))).toBe(1);
  expect(await inScope(db.app, reading, who)).toEqual({ role: 'lead_agency', root: ROOT, read: 'on' });
  expect(await inScope(db.app, reading, notes)).toEqual(['a']);
  const other = { ...reading, rootId: AGENCY };
  expect(await inScope(db.app, other, notes)).toEqual([]);
  await isClean();
  await expect(inScope(db.app, reading, (tx) => sql`select 1 / 0`.execute(tx))).rejects.toThrow(
    'division by zero',
  );
  await isClean();
  await expect(inScope(db.app, reading, (tx) => sql`select nothing`.execute(tx))).rejects.toThrow('nothing');
  await isClean();
  await expect(inScope(db.app, { ...reading, rootId: 'no \0 text' }, (tx) => notes(tx))).rejects.toThrow();
  await isClean();
});

test('[BEY-14] a read changes nothing, however it tries', async () => {
  await expect(inScope(db.app, reading, (tx) => write(tx, 'b'))).rejects.toThrow('nothing but queries');
  await expect(
    inScope(db.app, reading, (tx) =>
      sql`with x as (insert into note (text) values ('b') returning 1) select * from x`.execute(tx),
    ),
  ).rejects.toThrow('read-only transaction');
  await expect(
    inScope(db.app, reading, (tx) => sql`select * from note for update`.execute(tx)),
  ).rejects.toThrow('read-only transaction');
  await isClean();
  expect(await inScope(db.app, mine, notes)).toEqual(['a']);
});

test('[BEY-14] a change that fails leaves nothing, whichever statement it was', async () => {
  await expect(inScope(db.app, mine, (tx) => write(tx, 'a'))).rejects.toThrow('duplicate');
  await isClean();
  await expect(
    inScope(db.app, mine, async (tx) => {
      await write(tx, 'c');
      await write(tx, 'a');
    }),
  ).rejects.toThrow('duplicate');
  await isClean();
  await expect(
    inScope(db.app, mine, async (tx) => {
      await write(tx, 'c');
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  await isClean();
  // A scope that cannot be set: its statement never runs.
  await expect(inScope(db.app, { rootId: ROOT, agencyId: 'x\0' }, (tx) => write(tx, 'c'))).rejects.toThrow();
  await isClean();
  expect(await inScope(db.app, mine, notes)).toEqual(['a']);
});

test('[BEY-14] statements at once, several in one text, and COPY are in the transaction that was begun', async () => {
  await inScope(db.app, mine, async (tx) => {
    await Promise.all(['d', 'e', 'f'].map((text) => write(tx, text)));
  });
  await inScope(db.app, mine, async (tx) => {
    await sql`set local work_mem = '64MB'; insert into note (text) values ('g')`.execute(tx);
    expect((await who(tx)).role).toBe('lead_agency');
  });
  await isClean();
  await expect(
    inScope(db.app, mine, async (tx) => {
      await sql`set local work_mem = '64MB'; insert into note (text) values ('h')`.execute(tx);
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  await inScopeWithClient(db, mine, async (_tx, client) => {
    const copy = client.query(copyFrom('copy plain (text) from stdin'));
    await new Promise<void>((done, fail) => {
      copy.on('finish', done).on('error', fail).end('i\nj\n');
    });
  });
  await isClean();
  expect(await inScope(db.app, mine, notes)).toEqual(['a', 'd', 'e', 'f', 'g']);
  const of = { root_id: ROOT, role: 'lead_agency' };
  expect((await admin.query('select * from plain order by text')).rows).toEqual([
    { text: 'i', ...of },
    { text: 'j', ...of },
  ]);
  expect(await inScope(db.app, { rootId: AGENCY, agencyId: ROOT }, notes)).toEqual([]);
});

test('[BEY-14] a transaction that has ever more to ask gives up after 20 questions', async () => {
  const known = new Set<number>();
  let times = 0;
  const asking = (most: number) =>
    inScope(db.app, mine, async () => {
      times++;
      for (let i = 0; i < most; i++)
        if (!known.has(i)) throw new AskFirst(String(i), async () => void known.add(i));
      return 'done';
    });
  expect([await asking(20), times]).toEqual(['done', 21]);
  known.clear();
  times = 0;
  await expect(asking(1000)).rejects.toThrow(AskFirst);
  expect(times).toBe(21);
});

test('[BEY-14] a connection that breaks does not take the next transaction with it', async () => {
  const kill = async () =>
    admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and usename like 'lead_app_%'`,
    );
  await expect(
    inScope(db.app, mine, async (tx) => {
      await write(tx, 'k');
      await kill();
      await write(tx, 'l');
    }),
  ).rejects.toThrow();
  await vi.waitFor(async () => expect(await inScope(db.app, mine, notes)).not.toContain('k'));
  await kill();
  await vi.waitFor(async () =>
    expect(await inScope(db.app, reading, who)).toMatchObject({ role: 'lead_agency' }),
  );
  await isClean();
});

describe('[SCAL-01] a connection that breaks', () => {
  const kill = () =>
    admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and usename like 'lead_app_%'`,
    );

  test.each([
    ['a change', mine],
    ['a read', reading],
  ])('in the middle: %s is made on another', async (_what, scope) => {
    let times = 0;
    const found = await inScope(db.app, scope, async (tx) => {
      await notes(tx);
      times += 1;
      if (times === 1) await kill();
      if (scope === mine) await write(tx, 'moved');
      return notes(tx);
    });
    expect(times).toBe(2);
    expect(found.includes('moved')).toBe(true);
  });

  test('again: the error is thrown', async () => {
    let times = 0;
    const work = inScope(db.app, mine, async (tx) => {
      await notes(tx);
      times += 1;
      await kill();
      await notes(tx);
    });
    await expect(work).rejects.toSatisfy(isDatabaseAway);
    expect(times).toBe(2);
  });

  test('in the commit: it is not made again, since it may be committed', async () => {
    await admin.query(`
      create function end_connection() returns trigger language plpgsql security definer as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(1); return null; end $$;
      create constraint trigger at_commit after insert on plain deferrable initially deferred
        for each row execute function end_connection()`);
    let times = 0;
    const work = inScope(db.app, mine, async (tx) => {
      times += 1;
      await sql`insert into plain (text) values ('committed?')`.execute(tx);
    });
    await expect(work).rejects.toSatisfy(isDatabaseAway);
    expect(times).toBe(1);
  });
});
