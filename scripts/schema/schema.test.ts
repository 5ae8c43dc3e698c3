import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../server/test/database.ts';
import { SCHEMA, schemaTypes } from './types.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase(inject('adminUrl'));
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

test('the types of the tables are those of the database (npm run schema)', async () => {
  expect(readFileSync(join(import.meta.dirname, '../..', SCHEMA), 'utf8')).toBe(await schemaTypes(client));
});

const FUNCTIONS = `pg_proc p where p.pronamespace = 'public'::regnamespace and p.proowner = 'lead_owner'::regrole`;

test('the functions of the database name only what exists', async () => {
  const { rows } = await client.query(`select pg_get_functiondef(p.oid) as definition from ${FUNCTIONS}`);
  expect(rows.length).toBeGreaterThan(50);
  await client.query('begin; set local check_function_bodies = on');
  for (const { definition } of rows) await client.query(definition);
  await client.query('rollback');
});

test('no function of the database can be called by everyone', async () => {
  const { rows } = await client.query(
    `select p.proname from ${FUNCTIONS} and has_function_privilege('public', p.oid, 'execute')`,
  );
  expect(rows).toEqual([]);
});
