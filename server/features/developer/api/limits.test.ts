import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../../app.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { outliveCaches } from '../../../test/outlive.ts';
import { hashOf, newClientId, newSecret } from './key.policy.ts';
import { RATE } from './rate.ts';

const HOST = 'acme.test';
const MANY = 1_000;
let app: TestApp;
let root: Company;
let acme: Company;
let owner: { id: string };

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: HOST });
  owner = await app.make.user(acme, { email: 'ann@x.test', password: PASSWORD });
  await app.make.developer(acme, owner.id);
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  await app.close();
});

const me = (secret: string) => app.call('GET', '/v1/me', { host: HOST, token: secret });
/**
 * As many at once as the database has connections for, several times over; all of them would wait for one for longer
 * than a request may on a busy machine, which is another limit.
 */
async function atOnce<T, R>(of: readonly T[], ask: (one: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (let n = 0; n < of.length; n += 50) answers.push(...(await Promise.all(of.slice(n, n + 50).map(ask))));
  return answers;
}
/** How many of some answers have each status. */
const tally = (answers: { status: number }[]): Record<number, number> =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, of]) => [status, of.length]),
  );

describe('[DEV-04] the limiter under load', () => {
  test('of 1,000 requests with one key at a moment, as many pass as its limit allows, and the others are told when to come back', async () => {
    const { secret } = await app.make.apiKey(acme, owner.id, {});
    const answers = await atOnce(Array<string>(MANY).fill(secret), me);
    expect(tally(answers)).toEqual({ 200: RATE.burst, 429: MANY - RATE.burst });
    for (const { headers } of answers.filter(({ status }) => status === 429))
      expect([headers['retry-after'], headers.ratelimit]).toEqual(['1', '"default";r=0;t=10']);
    // Another key of the same agency is not held up.
    const other = await app.make.apiKey(acme, owner.id, {});
    expect((await me(other.secret)).status).toBe(200);
    app.clock.advance(1_000);
    expect(tally(await Promise.all(Array.from({ length: 20 }, () => me(secret))))).toEqual({
      200: RATE.perSecond,
      429: 20 - RATE.perSecond,
    });
  });

  test('of 1,000 keys at a moment, none takes from another, and the limit costs no statement', async () => {
    // More than an agency can make by itself: a thousand of them are those of all the agencies of an installation.
    const secrets = Array.from({ length: MANY }, () => newSecret('live'));
    for (const secret of secrets)
      await app.admin.query(
        `insert into developer_key (id, root_id, agency_id, company_id, maker_id, name, mode, client_id, secret_hash, secret_end, scopes, version, last_used_at, created_at)
         values ($1, $2, $3, $3, $4, 'Many', 'live', $5, $6, 'abcd', '{clients.read}', '2026-12-15', $7, $7)`,
        [
          ...[newId(app.clock.now()), root.id, acme.id, owner.id, newClientId('live'), hashOf(secret)],
          app.clock.now(),
        ],
      );
    const answers = await atOnce(secrets, me);
    expect(tally(answers)).toEqual({ 200: MANY });
    expect(new Set(answers.map(({ headers }) => headers.ratelimit))).toEqual(new Set(['"default";r=99;t=1']));
    const statements = async () =>
      Number(
        (await app.admin.query(`select sum(n_tup_ins + n_tup_upd + n_tup_del) as n from pg_stat_user_tables`))
          .rows[0].n,
      );
    await app.features.developer.requests.flush();
    await app.admin.query('select pg_stat_force_next_flush()');
    // For a while after a change in their agency, keys are read anew each time.
    outliveCaches();
    const before = await statements();
    await me(secrets[0]!);
    // Nothing was written for the request itself; its row in the log waits to be written with others.
    expect(await statements()).toBe(before);
    // What it reads is all that it asks the database for, and one beyond the limit asks for nothing.
    let asked = 0;
    const note = () => {
      asked++;
    };
    app.platform.db.appPool.on('acquire', note);
    try {
      expect([(await me(secrets[0]!)).status, asked]).toEqual([200, 1]);
      for (let n = 0; n < RATE.burst; n++) await me(secrets[1]!);
      await app.features.developer.requests.flush();
      asked = 0;
      expect([(await me(secrets[1]!)).status, asked]).toEqual([429, 0]);
    } finally {
      app.platform.db.appPool.off('acquire', note);
    }
    await app.admin.query(`update developer_key set removed_at = now() where name = 'Many'`);
  });
});

describe('[BEY-14] a key that is disabled while it is used', () => {
  test('is refused in every process after 5 s at most', async () => {
    const { secret, id } = await app.make.apiKey(acme, owner.id, {});
    const second = await createApp({
      config: { ...app.platform.config, roles: ['web'], port: 0, askPort: undefined },
      urls: app.urls,
      clock: app.clock,
    });
    try {
      const there = () =>
        second.server.inject({
          method: 'GET',
          url: '/v1/me',
          headers: { host: HOST, authorization: `Bearer ${secret}` },
        });
      expect([(await me(secret)).status, (await there()).statusCode]).toEqual([200, 200]);
      // Requests go on all the while, and keep what is known of the key fresh in both.
      let isOver = false;
      const use = (ask: () => Promise<number>) => {
        const first = ask();
        const on = async () => {
          for (let n = 0; !isOver && n < 500; n++) {
            app.clock.advance(120);
            await ask();
          }
        };
        return { first, ended: first.then(on) };
      };
      const here = async () => (await me(secret)).status;
      const elsewhere = async () => (await there()).statusCode;
      const ann = await app.signIn('ann@x.test', HOST);
      const used = [use(here), use(elsewhere)];
      expect(await Promise.all(used.map(({ first }) => first))).toEqual([200, 200]);
      const disabled = await app.call('PUT', `/api/developer/keys/${id}`, {
        host: HOST,
        token: ann,
        body: { disabled: 'T' },
      });
      expect(disabled.status).toBe(200);
      outliveCaches();
      isOver = true;
      await Promise.all(used.map(({ ended }) => ended));
      for (let n = 0; n < 5; n++) expect([await here(), await elsewhere()]).toEqual([401, 401]);
    } finally {
      await second.stop();
    }
  });
});
