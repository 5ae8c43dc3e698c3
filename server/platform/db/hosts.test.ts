import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../test/database.ts';
import { freePort } from '../../test/postgres.ts';
import { startTcpProxy } from '../../test/tcp-proxy.ts';
import { connectionOf, parseDatabaseUrl } from './hosts.ts';

describe('[SCAL-01] several database hosts', () => {
  test.each([
    ['postgres://u:p@db:5432/lead', 'postgres://u:p@db:5432/lead'],
    ['postgresql://u:p%40@db/lead?sslmode=require', 'postgresql://u:p%40@db/lead?sslmode=require'],
    ['postgres://u:p@a:5432,b:6432/lead', 'postgres://u:p@a:5432/lead?other_hosts=b%3A6432'],
    [
      'postgres://u@a,[2001:db8::1]:5432,c/lead',
      'postgres://u@a/lead?other_hosts=%5B2001%3Adb8%3A%3A1%5D%3A5432%2Cc',
    ],
  ])('%s is read', (text, url) => expect(parseDatabaseUrl(text)).toBe(url));

  test.each([
    '',
    'mysql://a/b',
    'postgres://',
    'postgres:///lead',
    'postgres://u:p@a,/lead',
    'postgres://u@a:x/lead',
  ])('%j is refused', (text) => expect(() => parseDatabaseUrl(text)).toThrow());

  test('one host is left to pg', () => {
    expect(connectionOf('postgres://u:p@db:5432/lead')).toEqual({
      connectionString: 'postgres://u:p@db:5432/lead',
    });
  });

  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  beforeAll(async () => {
    database = await createTestDatabase(inject('adminUrl'));
  });
  afterAll(() => database.drop());

  /** The test's database at these ports of this machine. */
  const at = (...ports: (number | string)[]): string => {
    const { username, password, pathname } = new URL(database.url);
    return parseDatabaseUrl(
      `postgres://${username}:${password}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}${pathname}`,
    );
  };
  const ask = async (url: string): Promise<number> => {
    const client = new pg.Client({ ...connectionOf(url), connectionTimeoutMillis: 10_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query('select 7 as it')).rows[0].it;
    } finally {
      await client.end();
    }
  };

  test('a host that refuses, or never answers, is passed over', async () => {
    const silent = await startTcpProxy(database.url);
    silent.silence();
    const { port } = new URL(database.url);
    expect(await ask(at(await freePort(), new URL(silent.through(database.url)).port, port))).toBe(7);
    await silent.close();
  });

  test('if no host accepts writes, the error says of each why', async () => {
    const away = await freePort();
    const { hostname, port, pathname } = new URL(database.url);
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`);
    await expect(ask(at(away, port))).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      message: expect.stringMatching(
        new RegExp(
          `127.0.0.1:${away}: .*ECONNREFUSED.*; ${hostname}:${port} is a standby|${hostname}:${port} is a standby; .*ECONNREFUSED`,
        ),
      ),
    });
    await admin.query(`set default_transaction_read_only = off`);
    await admin.query(`alter database ${pathname.slice(1)} reset default_transaction_read_only`);
    await admin.end();
  });

  test('connections to a host that has fallen silent are broken when another accepts writes', async () => {
    const first = await startTcpProxy(database.url);
    const second = await startTcpProxy(database.url);
    second.cut();
    const [one, other] = [first, second].map((proxy) => new URL(proxy.through(database.url)).port);
    const pool = new pg.Pool({ ...connectionOf(at(one!, other!)), max: 1 });
    const errors: Error[] = [];
    pool.on('error', (error) => errors.push(error));
    await pool.query('select 1');
    first.silence();
    second.mend();
    await expect.poll(() => errors.length, { timeout: 60_000 }).toBe(1);
    expect(errors[0]!.message).toContain(`127.0.0.1:${one} no longer accepts writes`);
    expect((await pool.query('select 7 as it')).rows[0].it).toBe(7);
    await pool.end();
    await first.close();
    await second.close();
  });
});
