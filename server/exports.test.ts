import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXPORTS } from './services.ts';
import { PASSWORD, type TestApp, testApp } from './test/app.ts';
import type { Company } from './test/factories.ts';

let app: TestApp;
let root: Company;
let acme: Company;
const token: Record<string, string> = {};
const HOST: Record<string, string> = { owner: 'acme.test', reader: 'acme.test', seller: 'acme.test' };

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  root = await make.root({ host: 'root.test', isMaster: true });
  acme = await make.agency(root, { host: 'acme.test', name: 'Acme' });
  const other = await make.agency(root, { name: '=2+5+cmd|calc' });
  await make.client(other, { name: 'Foreign client' });
  const passwordHash = await app.features.users.hashPassword(PASSWORD);
  for (let i = 0; i < 130; i++) await make.client(acme, { name: `Client ${String(i).padStart(3, '0')}` });
  for (const [name, company, role] of [
    ['root', root, 'owner'],
    ['owner', acme, 'owner'],
    ['seller', acme, 'sales'],
  ] as const) {
    await make.user(company, { email: `${name}@x.test`, name: `Person ${name}`, passwordHash, role });
    token[name] = await app.signIn(`${name}@x.test`, HOST[name] ?? 'root.test');
  }
});
afterAll(() => app.close());

/** Downloads as the screens do: by a one-use token. */
async function file(who: string, path: string) {
  const host = HOST[who] ?? 'root.test';
  const { body } = await app.call('POST', '/api/general/download-token', {
    host,
    token: token[who]!,
    body: { path },
  });
  const answer = await app.server.inject({ method: 'GET', url: String(body.url), headers: { host } });
  const isCsv = answer.headers['content-type']?.startsWith('text/csv');
  return {
    status: answer.statusCode,
    headers: answer.headers,
    rows: isCsv ? (parse(answer.payload, { columns: true, bom: true }) as Record<string, string>[]) : [],
  };
}
const clients = (rest: string) =>
  `companyId=${acme.id}&group=all&idsys=all&type=client&module=all&${rest}&search=`;

test('[CONF-01] the file of a list has all its pages, in its order, narrowed as it is', async () => {
  const down = await file(
    'owner',
    `/api/export/user?${clients('sortby=company_name&order=desc')}all&Page=2&PerPage=10`,
  );
  expect([down.status, down.rows.length, down.headers['x-total-count']]).toEqual([200, 130, '130']);
  const names = down.rows.map((row) => row['Company name']);
  expect(names).toEqual(names.toSorted().toReversed());
  expect(down.headers['content-disposition']).toMatch(/filename="clients-\d{4}-\d\d-\d\d\.csv"/);
  const narrow = await file(
    'owner',
    `/api/export/user?${clients('sortby=company_name&order=asc')}client%2001`,
  );
  expect(narrow.rows.map((row) => row['Company name'])).toEqual(
    Array.from({ length: 10 }, (_, i) => `Client 01${i}`),
  );
});

test('[AGCY-01] agencies with their columns; a name that is a formula is text', async () => {
  const { rows } = await file(
    'root',
    `/api/export/user?companyId=${root.id}&group=all&idsys=all&type=userdownline&module=all&sortby=company_name&order=asc&search=all`,
  );
  expect(rows.map((row) => row['Company name'])).toEqual(["'=2+5+cmd|calc", 'Acme']);
  expect(rows[1]).toMatchObject({ 'Full name': 'Person owner', Email: 'owner@x.test', Clients: '130' });
});

test('anyone who may not see a list may not download it, and no one another company’s', async () => {
  const path = `/api/export/user?${clients('sortby=all&order=all')}all`;
  expect((await file('seller', path)).status).toBe(403);
  expect((await file('seller', '/api/export/downline')).rows).toEqual([]);
  expect((await file('owner', '/api/export/coupons')).status).toBe(403);
  expect((await file('owner', '/api/export/roots')).status).toBe(403);
  const foreign = path.replace(acme.id, root.id);
  expect((await file('owner', foreign)).status).toBe(404);
  expect((await file('owner', `${path}&Filters=nonsense`)).status).toBe(422);
});

test('[CONF-02] every table of the screens can be downloaded, and every file of the table of exports is asked for', () => {
  const folder = join(import.meta.dirname, '../web/features');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tsx'))
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
  const without = sources.filter(([, text]) =>
    text
      .split('<DataTable')
      .slice(1)
      .some((part) => !part.slice(0, part.indexOf('empty=')).includes('download=')),
  );
  expect(without.map(([name]) => name)).toEqual([]);
  const all = [
    ...sources.map(([, text]) => text),
    readFileSync(join(folder, 'accounts/companies/companies.ts'), 'utf8'),
  ].join();
  expect(
    EXPORTS.map(({ name }) => name).filter(
      (name) => !new RegExp(`list(=|: )["']${name}["']|'${name}'`).test(all),
    ),
  ).toEqual([]);
});
