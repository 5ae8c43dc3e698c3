import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { hashOfDetail, hashOfRow, hashOfSeal, NO_HASH } from './chain.policy.ts';
import { verifyLog } from './index.ts';

let app: TestApp;
let root: Company;

beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());
/** Each test tampers with its own chain. */
beforeEach(async () => {
  root = await app.make.root();
});

/** Writes rows of the log as the product does; returns their ids. */
async function write(count: number, company: Company = root): Promise<string[]> {
  const known = await ids();
  for (let i = 0; i < count; i++) {
    app.clock.advance(1000);
    await inScope(app.platform.db.app, { rootId: company.root_id }, (tx) =>
      app.features.audit.recordSystem(
        tx,
        app.clock.now(),
        { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id },
        { action: 'test', objectKind: 'thing', objectId: String(i), description: `Thing ${i} of José 😀` },
      ),
    );
  }
  return (await ids()).filter((id) => !known.includes(id));
}
const ids = async (): Promise<string[]> =>
  (await app.admin.query('select id from user_log where root_id = $1 order by id', [root.id])).rows.map(
    (row) => row.id,
  );
const appKey = () => app.platform.config.appKey;
/** What the verification finds for this test's root: [kind, id]. */
async function found(keys = [appKey()]) {
  const verdict = (await verifyLog(app.databaseUrl, keys, app.clock)).find((one) => one.rootId === root.id)!;
  return { ...verdict, what: verdict.breaks.map((one) => [one.kind, one.id]) };
}
/** Changes the database the way its owner would to hide something: no trigger stops it. */
async function tamper(sql: string, values: unknown[] = []): Promise<void> {
  await app.admin.query(`set session_replication_role = replica`);
  try {
    await app.admin.query(sql, values);
  } finally {
    await app.admin.query(`set session_replication_role = origin`);
  }
}

describe('[BEY-12] the hash chain over the user log', () => {
  test('seals what is committed, batch by batch, and is whole', async () => {
    const rows = await write(7);
    expect(await found()).toMatchObject({ seals: 0, rows: 0, unsealed: 7, head: null, what: [] });
    expect(await app.features.logChain.seal(3)).toBe(7);
    const whole = await found();
    expect(whole).toMatchObject({ seals: 3, rows: 7, unsealed: 0, erased: 0, unproven: 0, what: [] });
    expect(whole.head).toMatch(/^[0-9a-f]{64}$/);
    const { rows: seals } = await app.admin.query(
      'select seq, first_position as first, last_position as last, log_ids, drained from log_seal where root_id = $1 order by seq',
      [root.id],
    );
    expect(seals).toEqual([
      { seq: 1n, first: 1n, last: 3n, log_ids: rows.slice(0, 3), drained: false },
      { seq: 2n, first: 4n, last: 6n, log_ids: rows.slice(3, 6), drained: false },
      { seq: 3n, first: 7n, last: 7n, log_ids: rows.slice(6), drained: true },
    ]);
    await write(2);
    expect(await found()).toMatchObject({ rows: 7, unsealed: 2, what: [], head: whole.head });
    expect((await found()).unsealedSince).toEqual(new Date(app.clock.now().getTime() - 1000));
    await app.features.logChain.seal();
    const later = await found();
    expect(later).toMatchObject({ seals: 4, rows: 9, unsealed: 0, what: [] });
    expect(later.hashes.has(whole.head!)).toBe(true);
    expect(await app.features.logChain.seal()).toBe(0);
  });

  test('a row whose transaction ends after a seal comes with the next one, and no one waits for a seal', async () => {
    let proceed = (): void => {};
    const held = new Promise<void>((done) => {
      proceed = done;
    });
    let written = (): void => {};
    const isWritten = new Promise<void>((done) => {
      written = done;
    });
    const slow = inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
      await app.features.audit.recordSystem(
        tx,
        app.clock.now(),
        { root_id: root.id, agency_id: null, company_id: root.id },
        { action: 'slow', objectKind: 'thing', objectId: 'slow', description: 'Slow' },
      );
      written();
      await held;
    });
    await isWritten;
    await write(3);
    expect(await app.features.logChain.seal()).toBe(3);
    proceed();
    await slow;
    expect(await found()).toMatchObject({ rows: 3, unsealed: 1, what: [] });
    expect(await app.features.logChain.seal()).toBe(1);
    expect(await found()).toMatchObject({ seals: 2, rows: 4, what: [] });
  });

  test('sealers at the same time make one chain', async () => {
    await write(20);
    const counts = await Promise.all([1, 2, 3, 4].map(() => app.features.logChain.seal(2)));
    expect(counts.reduce((a, b) => a + b)).toBe(20);
    expect(await found()).toMatchObject({ rows: 20, unsealed: 0, what: [] });
  });

  test('an altered row is told by its id, whichever column it is', async () => {
    const rows = await write(6);
    await app.features.logChain.seal();
    const other = await app.make.agency(root);
    const changes = [
      `action = 'other'`,
      `actor_id = '${other.id}'`,
      `viewed_as_id = '${other.id}'`,
      `created_at = created_at + interval '1 microsecond'`,
      `company_id = '${other.id}', agency_id = '${other.id}'`,
      `object_id = 'other'`,
    ];
    for (const [at, change] of changes.entries())
      await tamper(`update user_log set ${change} where id = $1`, [rows[at]]);
    expect((await found()).what).toEqual(rows.map((id) => ['altered', id]));
  });

  test('how a session was opened is sealed with the row; a version that does not know it may have sealed the rest', async () => {
    const [one, other, older] = await write(3);
    await tamper(`update user_log set via = 'sso' where id = any($1)`, [[one, other]]);
    await app.features.logChain.seal();
    await tamper(`update user_log set via = 'sso' where id = $1`, [older]);
    expect((await found()).what).toEqual([]);
    await tamper(`update user_log set via = null where id = $1`, [one]);
    await tamper(`update user_log set action = 'other' where id = any($1)`, [[other, older]]);
    expect((await found()).what).toEqual([one, other, older].map((id) => ['altered', id]));
  });

  test('a removed row is missing, sealed or not; a row put in is found, with and without its note', async () => {
    const rows = await write(5);
    await app.features.logChain.seal();
    const [waiting = ''] = await write(1);
    await tamper(`delete from user_log where id = any($1)`, [[rows[2], waiting]]);
    const forged = `insert into user_log (id, root_id, company_id, action, detail_hash, created_at)
      select $1, root_id, company_id, action, detail_hash, created_at from user_log where id = $2`;
    const [stray, late] = ['019a0000-0000-7000-8000-000000000001', '019a0000-0000-7000-8000-000000000002'];
    await tamper(forged, [stray, rows[0]]);
    expect((await found()).what).toEqual([
      ['missing', rows[2]],
      ['missing', waiting],
      ['inserted', stray],
    ]);
    // Even someone who knows about the note is caught by the date, sealed or not.
    await tamper(`delete from user_log where id = $1`, [stray]);
    await app.admin.query(`delete from log_unsealed where log_id = $1`, [waiting]);
    app.clock.advance(20 * 60_000);
    await write(1);
    await app.features.logChain.seal();
    await tamper(forged, [late, rows[0]]);
    await app.admin.query(`insert into log_unsealed (root_id, log_id, company_id) values ($1, $2, $1)`, [
      root.id,
      late,
    ]);
    expect((await found()).what).toEqual([
      ['missing', rows[2]],
      ['late', late],
    ]);
    await app.features.logChain.seal();
    expect((await found()).what).toEqual([
      ['missing', rows[2]],
      ['late', late],
    ]);
  });

  test("a machine's clock that was set back breaks nothing, before and after the next seal", async () => {
    await write(2);
    await app.features.logChain.seal();
    app.clock.advance(-3 * 3_600_000);
    await write(2);
    expect((await found()).what).toEqual([]);
    await app.features.logChain.seal();
    await write(2);
    await app.features.logChain.seal();
    expect((await found()).what).toEqual([]);
    app.clock.advance(3 * 3_600_000);
    await write(1);
    await app.features.logChain.seal();
    expect((await found()).what).toEqual([]);
  });

  test('an altered detail is found; an erased one is accepted', async () => {
    const rows = await write(4);
    await app.features.logChain.seal();
    await app.admin.query(`update user_log_detail set description = 'Nothing' where log_id = $1`, [rows[0]]);
    await app.admin.query(`update user_log_detail set name = null where log_id = $1`, [rows[1]]);
    await app.admin.query(`delete from user_log_detail where log_id = $1`, [rows[2]]);
    await app.admin.query(
      `update user_log_detail set name = null, type_user = null, user_ip = null, location = null, description = null,
       company_name = null where log_id = $1`,
      [rows[3]],
    );
    const verdict = await found();
    expect(verdict.what).toEqual([
      ['detail', rows[0]],
      ['detail', rows[1]],
    ]);
    expect(verdict.erased).toBe(2);
  });

  test('seals cannot be altered, left out, made again without the key, or cut off unnoticed', async () => {
    await write(6);
    await app.features.logChain.seal(2);
    const { head, hashes } = await found();
    await expect(app.admin.query('update log_seal set drained = false')).rejects.toThrow(/append-only/);
    await expect(app.platform.db.appPool.query('delete from log_seal')).rejects.toThrow(/permission denied/);
    await tamper(
      `update log_seal set sealed_at = sealed_at - interval '1 day' where root_id = $1 and seq = 1`,
      [root.id],
    );
    expect((await found()).what).toEqual([['seal', '1']]);

    // The owner of the database alters a row and all hashes to fit, from the first seal to the last.
    const [first = ''] = await ids();
    await tamper(`update user_log set action = 'other' where id = $1`, [first]);
    const { rows } = await app.admin.query(
      `select *, (extract(epoch from sealed_at) * 1000000)::bigint as sealed_at from log_seal where root_id = $1 order by seq`,
      [root.id],
    );
    let before = NO_HASH;
    for (const seal of rows) {
      for (const [at, id] of seal.log_ids.entries()) {
        const { rows: log } = await app.admin.query(
          `select *, (extract(epoch from created_at) * 1000000)::bigint as created_at from user_log where id = $1`,
          [id],
        );
        seal.row_hashes[at] = hashOfRow(log[0]);
      }
      const hash = hashOfSeal({ ...seal, previous_hash: before });
      await tamper(
        'update log_seal set row_hashes = $3, previous_hash = $4, hash = $5 where root_id = $1 and seq = $2',
        [root.id, seal.seq, seal.row_hashes, before, hash],
      );
      before = hash;
    }
    const forged = await found();
    expect(forged.breaks.map((one) => one.words)).toEqual(
      rows.map(() => 'it was not made by this installation'),
    );
    expect(forged.head).not.toBe(head);

    await tamper('delete from log_seal where root_id = $1 and seq = 2', [root.id]);
    const gap = await found();
    expect(gap.breaks.map((one) => one.words)).toContain('the seal before it is missing; the last one was 1');
    expect(gap.what.filter(([kind]) => kind === 'inserted')).toHaveLength(2);
    // The end is cut off, rows and all: only someone who kept the head can tell.
    expect(hashes.has(head!)).toBe(true);
    expect(gap.hashes.has(head!)).toBe(false);
  });

  test('after a rotation of the key the old seals are still proven by the former key', async () => {
    await write(2);
    await app.features.logChain.seal();
    const next = Buffer.alloc(32, 9);
    expect(await found([next, appKey()])).toMatchObject({ unproven: 0, what: [] });
    expect(await found([next])).toMatchObject({ unproven: 1, what: [] });
  });

  test('roots have a chain each, and a scope sees no other’s', async () => {
    const agency = await app.make.agency(root);
    await write(2, agency);
    const mine = root;
    root = await app.make.root();
    await write(1);
    await app.features.logChain.seal();
    for (const [scope, seals] of [
      [{ rootId: mine.id }, 1],
      [{ rootId: root.id }, 1],
      [{ rootId: mine.id, agencyId: agency.id }, 0],
    ] as const) {
      const rows = await inScope(app.platform.db.app, scope, (tx) =>
        tx.selectFrom('log_seal').select('root_id').execute(),
      );
      expect(rows).toHaveLength(seals);
    }
  });

  test('a detail’s hash does not depend on how its address is written', () => {
    const detail = { name: 'x', type_user: null, location: null, description: 'y', company_name: null };
    for (const [one, other] of [
      ['2001:0DB8:0:0::1', '2001:db8::1'],
      ['::ffff:127.0.0.1', '::FFFF:127.0.0.1'],
      ['203.0.113.9', '203.0.113.9'],
    ] as const) {
      expect(hashOfDetail({ ...detail, user_ip: one })).toEqual(hashOfDetail({ ...detail, user_ip: other }));
    }
    expect(hashOfDetail({ ...detail, user_ip: '203.0.113.9' })).not.toEqual(
      hashOfDetail({ ...detail, user_ip: '203.0.113.8' }),
    );
  });
});

/** Runs npm run verify:log. */
function command(...args: string[]): Promise<{ code: number | null; said: string }> {
  return new Promise((done) => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, '../../../../scripts/verify-log.ts'), ...args],
      {
        env: {
          ...process.env,
          DATABASE_URL: own.databaseUrl,
          DATA_DIR: own.platform.config.dataDir,
          APP_KEY: own.platform.config.appKey.toString('base64'),
          NODE_OPTIONS: '',
        },
      },
    );
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    child.on('close', (code) => done({ code, said }));
  });
}
let own: TestApp;

test('[BEY-12] npm run verify:log says so, and ends with 1 on a break', async () => {
  own = await testApp();
  const outer = app;
  app = own;
  try {
    root = await own.make.root();
    const [first = ''] = await write(3);
    await own.features.logChain.seal();
    await write(1);
    const whole = await command();
    expect(whole.said).toContain(
      `Root ${root.id}: 3 rows in 1 seals, 0 with an erased detail, 1 not sealed yet`,
    );
    expect(whole.said).toContain('The log is intact.');
    expect(whole.code).toBe(0);
    const [, head = ''] = /End of the chain: (\w+)/.exec(whole.said) ?? [];
    expect((await command('--head', head)).code).toBe(0);
    const cut = await command('--head', '00'.repeat(32));
    expect([cut.code, cut.said.includes('CUT')]).toEqual([1, true]);
    await tamper(`update user_log set action = 'x' where id = $1`, [first]);
    const broken = await command();
    expect(broken.said).toContain(`ALTERED  row ${first}`);
    expect(broken.said).toContain('The log is broken in 1 places.');
    expect(broken.code).toBe(1);
    const wrong = await command('--nonsense');
    expect([wrong.code, wrong.said.includes('Usage:')]).toEqual([1, true]);
  } finally {
    app = outer;
    await own.close();
  }
});
