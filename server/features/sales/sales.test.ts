import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../test/app.ts';
import type { Company } from '../../test/factories.ts';

let app: TestApp;
let root: Company;
let acme: Company;
let bluepeak: Company;
let cleo: Company;
let zed: Company;
/** Ids of people and their tokens, by the name before the @. */
const id: Record<string, string> = {};
const token: Record<string, string> = {};
const HOSTS: Record<string, string> = {
  acmeowner: 'acme.test',
  acmesales: 'acme.test',
  acmeadmin: 'acme.test',
};

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  root = await make.root({ host: 'root.test', isMaster: true });
  const other = await make.root({ host: 'other.test' });
  acme = await make.agency(root, { host: 'acme.test', name: 'Acme' });
  bluepeak = await make.agency(root, { name: 'Bluepeak' });
  await make.agency(root, { name: 'Never' });
  cleo = await make.client(acme, { name: 'Cleo' });
  zed = await make.client(acme, { name: 'Zed' });
  await make.client(bluepeak, { name: 'Blue client' });
  const passwordHash = await app.features.people.hashPassword(PASSWORD);
  for (const [name, company, role] of [
    ['owner', root, 'owner'],
    ['admin', root, 'administrator'],
    ['rep', root, 'sales'],
    ['second', root, 'sales'],
    ['acmeowner', acme, 'owner'],
    ['acmeadmin', acme, 'administrator'],
    ['acmesales', acme, 'sales'],
    ['blueowner', bluepeak, 'owner'],
    ['cleoowner', cleo, 'owner'],
    ['otherrep', other, 'sales'],
  ] as const)
    id[name] = (
      await make.user(company, { email: `${name}@x.test`, name: `${name} person`, role, passwordHash })
    ).id;
  for (const name of ['owner', 'admin', 'rep', 'second', 'acmeowner', 'acmeadmin', 'acmesales'])
    token[name] = await app.signIn(`${name}@x.test`, HOSTS[name] ?? 'root.test');
});
afterAll(() => app.close());
beforeEach(() => app.admin.query('delete from sales_assignment'));

const ask = (method: 'GET' | 'PUT', url: string, who: string, body?: unknown) =>
  app.call(method, `/api/configuration/${url}`, {
    host: HOSTS[who] ?? 'root.test',
    token: token[who]!,
    body,
  });
const set = (who: string, company: Company | { id: string }, given: object) =>
  ask('PUT', 'sales', who, { companyID: company.id, ...given });
const names = async (who: string, query = ''): Promise<string[]> => {
  const { status, body } = await ask('GET', `sales/downline${query}`, who);
  expect(status).toBe(200);
  return (body.data as { company_name: string }[]).map((row) => row.company_name);
};
const logged = async () =>
  Number(
    (await app.admin.query(`select count(*) as n from user_log where action = 'sales.assign'`)).rows[0].n,
  );

describe('[AGCY-16] the sales people of a company', () => {
  test('are chosen from the own sales, one person may hold several roles, and one call leaves what it does not name', async () => {
    const before = await logged();
    const saved = await set('owner', acme, { salesRep: id.rep, salesAE: id.rep, salesRef: id.second });
    expect([saved.status, saved.body.message]).toEqual([200, 'Setting has been saved.']);
    expect(await logged()).toBe(before + 1);
    const { body } = await ask('GET', `sales/list?companyID=${acme.id}`, 'admin');
    expect(body).toEqual({
      data: [
        { id: id.rep, name: 'rep person', isAccExecutive: 'F' },
        { id: id.second, name: 'second person', isAccExecutive: 'F' },
      ],
      salesrep: 'rep person',
      salesrepid: id.rep,
      accountexecutive: 'rep person',
      accountexecutiveid: id.rep,
      accountref: 'second person',
      accountrefid: id.second,
    });
    expect((await set('admin', acme, { salesRep: '', salesAE: id.second })).status).toBe(200);
    const list = await ask('GET', 'company/list', 'owner');
    expect((list.body.data as { id: string }[]).find((row) => row.id === acme.id)).toMatchObject({
      salesrep: '',
      salesrepid: '',
      accountexecutive: 'second person',
      accountrefid: id.second,
    });
  });

  test("are set by a root's people for agencies and by an agency's for its clients, and by no sales person", async () => {
    expect((await set('acmeowner', cleo, { salesRep: id.acmesales })).status).toBe(200);
    expect((await set('acmeadmin', zed, { salesRep: id.acmesales })).status).toBe(200);
    for (const who of ['rep', 'acmesales']) {
      expect((await set(who, acme, { salesRep: id.rep })).status).toBe(403);
      expect((await ask('GET', `sales/list?companyID=${acme.id}`, who)).status).toBe(403);
    }
    const deeper = await set('owner', cleo, { salesRep: id.rep });
    expect([deeper.status, deeper.body.errors]).toEqual([
      422,
      { companyID: ['is not right below your own company'] },
    ]);
    expect((await set('acmeowner', acme, { salesRep: id.acmesales })).status).toBe(422);
    // A sibling's and the own root are not there at all.
    expect((await set('acmeowner', bluepeak, { salesRep: id.acmesales })).status).toBe(404);
    expect((await set('owner', root, { salesRep: id.rep })).status).toBe(404);
  });

  test("refuse everybody who is none of one's own sales, whether they exist or not", async () => {
    for (const wrong of [id.acmesales, id.owner, id.otherrep, cleo.id]) {
      const { status, body } = await set('owner', acme, { salesAE: wrong });
      expect([status, body.errors]).toEqual([422, { salesAE: ['is not one of your sales people'] }]);
    }
    const { rows } = await app.admin.query('select * from sales_assignment');
    expect(rows).toEqual([]);
  });
});

describe('[ROLE-02] the sales downline', () => {
  test("of a root's sales: their agencies, and the clients of these, and nothing else", async () => {
    expect(await names('rep')).toEqual([]);
    await set('owner', acme, { salesRep: id.rep, salesRef: id.rep });
    await set('owner', bluepeak, { salesRep: id.second });
    expect(await names('rep')).toEqual(['Acme']);
    expect(await names('rep', `?companyID=${acme.id}`)).toEqual(['Cleo', 'Zed']);
    expect(await names('rep', '?kind=client')).toEqual(['Cleo', 'Zed']);
    expect(await names('second', '?kind=client')).toEqual(['Blue client']);
    expect((await ask('GET', `sales/downline?companyID=${bluepeak.id}`, 'rep')).status).toBe(404);
    expect((await ask('GET', `sales/downline?companyID=${cleo.id}`, 'rep')).status).toBe(404);
    // Whom it is taken from sees it no more.
    await set('owner', acme, { salesRep: null, salesRef: '' });
    expect(await names('rep', '?kind=client')).toEqual([]);
  });

  test('tells of the owner for assigned companies only, and the search finds nothing that is not told', async () => {
    await set('owner', acme, { salesRep: id.rep });
    const { body } = await ask('GET', 'sales/downline?Page=1&PerPage=1', 'rep');
    expect(body).toMatchObject({ total: 1, last_page: 1, from: 1, to: 1 });
    expect(body.data).toEqual([
      {
        id: acme.id,
        company_name: 'Acme',
        kind: 'agency',
        created_at: expect.any(String),
        clients: 2,
        name: 'acmeowner person',
        email: 'acmeowner@x.test',
        roles: ['representative'],
      },
    ]);
    const clients = await ask('GET', `sales/downline?companyID=${acme.id}&PerPage=1&order=desc`, 'rep');
    expect(clients.body).toMatchObject({ total: 2, last_page: 2 });
    expect((clients.body.data as unknown[])[0]).toMatchObject({
      company_name: 'Zed',
      name: null,
      email: null,
      roles: [],
    });
    expect(await names('rep', '?searchQuery=acmeowner')).toEqual(['Acme']);
    expect(await names('rep', '?searchQuery=blue')).toEqual([]);
    expect(await names('rep', '?kind=client&searchQuery=cleoowner')).toEqual([]);
    expect(await names('rep', '?kind=client&searchQuery=cle')).toEqual(['Cleo']);
  });

  test("of an agency's sales: their clients only", async () => {
    await set('acmeowner', cleo, { salesRep: id.acmesales });
    expect(await names('acmesales')).toEqual(['Cleo']);
    expect(await names('acmesales', '?kind=agency')).toEqual(['Cleo']);
    expect((await ask('GET', `sales/downline?companyID=${acme.id}`, 'acmesales')).status).toBe(404);
  });

  test("is not the others' call, and theirs is not the sales'", async () => {
    expect((await ask('GET', 'sales/downline', 'owner')).status).toBe(403);
    expect((await ask('GET', 'sales/downline', 'acmeowner')).status).toBe(403);
    expect((await ask('GET', 'company/list', 'rep')).status).toBe(403);
    expect((await ask('GET', 'company/list', 'acmesales')).status).toBe(403);
  });
});
