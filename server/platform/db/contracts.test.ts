import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../test/app.ts';
import { createTestDatabase } from '../../test/database.ts';
import type { Company } from '../../test/factories.ts';
import { contractsIn, unusedSince } from './contracts.ts';
import { migrate, migrations } from './migrate.ts';

/** The last migration from before contracts were told apart. Every version that can run beside another knows it. */
const BEFORE = '0494_contracts.sql';
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'));

/** What is wrong with a migration for those who upgrade with two versions side by side; null: nothing. */
function faultOf(text: string, current: string): string | null {
  const since = unusedSince(text);
  const [first] = contractsIn(text);
  if (!since) return first ?? null;
  const now = current.split('.').map(Number);
  const at = since.findIndex((part, i) => part !== now[i]);
  return at >= 0 && since[at]! < now[at]! ? null : 'the mark must name a release before the current one';
}

describe('[SCAL-01] a migration that takes something away', () => {
  test('is marked with the release that stopped using it', () => {
    const after = migrations().filter(({ name }) => name > BEFORE);
    const faults = after.map(({ name, text }) => [name, faultOf(text, version)]);
    expect(faults.filter(([, fault]) => fault)).toEqual([]);
    const mark = '-- contract: unused since 0.2.0\n';
    expect(faultOf('alter table lead drop column score', '0.3.0')).toMatch(/^drops something/);
    expect(faultOf(`${mark}alter table lead drop column score`, '0.3.0')).toBeNull();
    expect(faultOf(`${mark}alter table lead drop column score`, '0.2.0')).toMatch(/before the current one/);
  });

  test.each([
    ['drop table lead'],
    ['alter table lead\n  drop column score'],
    ['alter table lead rename column score to points'],
    ['alter table lead rename to leads'],
    ['alter table lead alter column score type bigint using score::bigint'],
    ['alter table lead alter score set data type text'],
    ['alter table lead alter column score set not null'],
    ['alter table lead alter column score drop default'],
    ['alter table lead add column points integer not null'],
    ['alter table lead add column a integer default 0, add column points integer not null'],
    ['alter table lead add constraint points_check check (score > 0)'],
    ['alter table lead add check (score > 0)'],
    ['create unique index lead_score on lead (score)'],
    [
      'drop function one(text); create function one(a text, b text) returns text language sql as $$ select a $$',
    ],
  ])('is found: %s', (text) => {
    expect(contractsIn(text)).toHaveLength(1);
  });

  test.each([
    ['create table points (id uuid primary key, lead_id uuid not null, check (lead_id is not null))'],
    ['create table points (id uuid); alter table points add constraint one unique (id)'],
    ['create table points (id uuid); create unique index one on points (id)'],
    ['alter table lead add column points integer'],
    ['alter table lead add column points integer not null default 0'],
    ["alter table lead add column points text not null generated always as (coalesce(a, 'x')) stored"],
    ['alter table alert drop constraint kind_check, add constraint kind_check check (a in (1, 2))'],
    ['create index lead_points on lead (score)'],
    ["-- drop table lead;\nupdate lead set evidence = 'drop table lead; rename'"],
    ['create function one() returns void language plpgsql as $$ begin drop table lead; end $$'],
  ])('is not seen in what only adds: %s', (text) => {
    expect(contractsIn(text)).toEqual([]);
  });
});

describe('[SCAL-01] this version beside a newer one', () => {
  const added = {
    name: '9998_added.sql',
    text: `create table newer (id uuid primary key, note text not null);
      alter table campaign add column newer_note text not null default 'x';
      alter table lead add column newer_id uuid;`,
  };
  const removed = {
    name: '9999_removed.sql',
    text: '-- contract: unused since 0.1.0\nalter table campaign drop column newer_note;',
  };
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let app: TestApp;
  let root: Company;
  let client: Company;
  let token: string;
  beforeAll(async () => {
    database = await createTestDatabase(inject('adminUrl'));
    app = await testApp({ database });
    root = await app.make.root({ host: 'root.test', isMaster: true });
    const agency = await app.make.agency(root, { host: 'agency.test' });
    await app.make.leadCost(agency, 1_000_000n);
    client = await app.make.client(agency);
    await app.make.user(client, { email: 'owner@client.test', password: PASSWORD, role: 'owner' });
    token = await app.signIn('owner@client.test', 'agency.test');
  });
  afterAll(() => app?.close());

  const ready = () => app.call('GET', '/readyz', { host: 'root.test' });
  /** Visits, a lead with its money, and reading it. */
  async function work(given: TestApp, expected: number): Promise<void> {
    const campaign = await given.make.campaign(client, { price: 2_000_000n, balance: 10_000_000n });
    const person = given.make.person();
    await given.make.people(root, [person]);
    await given.make.visit(campaign, { email: person.email });
    await given.features.leads.resolver.resolveAll();
    const { status, body } = await given.call('GET', '/api/leadspeek/report/lead?PerPage=5', {
      host: 'agency.test',
      token,
    });
    expect([status, body.total]).toEqual([200, expected]);
  }

  test('goes on reading and writing when a newer one adds to its database, and says that it is ready', async () => {
    await work(app, 1);
    expect(await migrate(database.url, [...migrations(), added])).toEqual([added.name]);
    await work(app, 2);
    expect((await ready()).status).toBe(200);
  });

  test('starts on such a database, and changes nothing in it', async () => {
    expect(await migrate(database.url)).toEqual([]);
    const second = await testApp({ database: { ...database, drop: async () => {} }, clock: app.clock });
    try {
      await work(second, 3);
    } finally {
      await second.close();
    }
  });

  test('says that it is not ready, and does not start, once a newer one has taken something away', async () => {
    expect(await migrate(database.url, [...migrations(), added, removed])).toEqual([removed.name]);
    const { status, body } = await ready();
    expect([status, body.reason]).toEqual([503, `the database needs a newer version (${removed.name})`]);
    await expect(migrate(database.url)).rejects.toThrow(
      `The database has migration ${removed.name}, which this version does not recognize and cannot run with.`,
    );
    // The newer one itself starts.
    expect(await migrate(database.url, [...migrations(), added, removed])).toEqual([]);
  });

  test('does not start on a database of a version that is neither older nor newer', async () => {
    const other = await createTestDatabase(inject('adminUrl'));
    try {
      await migrate(other.url, [...migrations(), added]);
      await expect(
        migrate(other.url, [...migrations(), { name: '9997_own.sql', text: 'create table own (id uuid)' }]),
      ).rejects.toThrow(/neither is newer/);
    } finally {
      await other.drop();
    }
  });
});
