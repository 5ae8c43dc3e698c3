import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BOUNDS } from '../../../platform/db/bounds.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let agency: Company;
const tokens: Record<string, string> = {};
const HOST = 'agency.test';

beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: 'root.test', isMaster: true });
  agency = await app.make.agency(root, { host: HOST });
  const client = await app.make.client(agency);
  for (const [name, company, role] of [
    ['owner', agency, 'owner'],
    ['admin', agency, 'administrator'],
    ['client', client, 'owner'],
  ] as const) {
    await app.make.user(company, { email: `${name}@people.test`, password: PASSWORD, role });
    tokens[name] = await app.signIn(`${name}@people.test`, HOST);
  }
});
afterAll(() => app?.close());

const call = (who: string, method: 'GET' | 'PUT' | 'POST' | 'DELETE', path = '', body?: object) =>
  app.call(method, `/api/user/lists${path}`, { host: HOST, token: tokens[who]!, ...(body && { body }) });
interface Mine {
  looks: { list: string; density: string; columns: string[] | null }[];
  views: { id: string; name: string; by: string; is_shared: boolean; may_change: boolean; params: object }[];
}
const mine = async (who: string) => (await call(who, 'GET')).body as unknown as Mine;
const save = async (who: string, view: object) => {
  const { body } = await call(who, 'POST', '/view', {
    list: 'leads',
    is_shared: false,
    params: {},
    columns: null,
    ...view,
  });
  return (body as unknown as { id: string }).id;
};
const names = async (who: string) => (await mine(who)).views.map(({ name }) => name);

describe('[BEY-33] how people look at lists', () => {
  test('columns and density are each person’s own, on every device', async () => {
    const look = { list: 'leads', density: 'compact', columns: ['email', 'phone'] };
    expect((await call('owner', 'PUT', '/look', look)).status).toBe(200);
    expect((await call('owner', 'PUT', '/look', { ...look, columns: null })).status).toBe(200);
    expect((await call('owner', 'PUT', '/look', { ...look, list: 'campaigns' })).status).toBe(200);
    expect((await mine('owner')).looks.sort((a, b) => (a.list < b.list ? 1 : -1))).toEqual([
      { ...look, columns: null },
      { ...look, list: 'campaigns' },
    ]);
    expect((await mine('admin')).looks).toEqual([]);
  });

  test('a saved view is private until it is shared in the company, and a client does not see its agency’s', async () => {
    const id = await save('admin', { name: 'Mine', params: { q: 'tx', sort: 'email' }, columns: ['email'] });
    await save('admin', { name: 'Ours', is_shared: true });
    expect(await names('admin')).toEqual(['Mine', 'Ours']);
    expect(await names('owner')).toEqual(['Ours']);
    expect(await names('client')).toEqual([]);
    expect((await mine('admin')).views[0]).toMatchObject({
      id,
      params: { q: 'tx', sort: 'email' },
      columns: ['email'],
      may_change: true,
    });
    expect((await call('owner', 'PUT', `/view/${id}`, { name: 'Stolen' })).status).toBe(404);
    expect((await call('client', 'DELETE', `/view/${id}`)).status).toBe(404);
    expect((await call('admin', 'PUT', `/view/${id}`, { is_shared: true, name: 'For all' })).status).toBe(
      200,
    );
    expect(await names('owner')).toEqual(['For all', 'Ours']);
  });

  test('who shares a view changes it, and so may the company’s owner; others only use it', async () => {
    const id = await save('owner', { name: 'Owner’s', is_shared: true });
    expect((await mine('admin')).views.find((one) => one.id === id)?.may_change).toBe(false);
    expect((await call('admin', 'DELETE', `/view/${id}`)).status).toBe(403);
    const other = await save('admin', { name: 'Admin’s', is_shared: true });
    expect((await call('owner', 'DELETE', `/view/${other}`)).status).toBe(200);
    expect((await call('owner', 'DELETE', `/view/${other}`)).status).toBe(404);
    const { rows } = await app.admin.query(
      `select count(*)::int as n from user_log where object_kind = 'list_view' and object_id = $1`,
      [other],
    );
    expect(rows[0].n).toBe(2);
  });

  test('what does not belong into a view is refused by name, and there are only so many', async () => {
    const wrong = async (body: object) =>
      (
        await call('client', 'POST', '/view', {
          list: 'leads',
          is_shared: false,
          params: {},
          columns: null,
          ...body,
        })
      ).body;
    expect(await wrong({ name: ' ' })).toMatchObject({ errors: { name: ['is required'] } });
    expect(await wrong({ name: 'a'.repeat(61) })).toMatchObject({
      errors: { name: ['must not exceed 60 characters'] },
    });
    expect(await wrong({ name: 'x', list: '../campaigns/leads' })).toMatchObject({
      errors: { list: ['must be the name of a list, such as leads'] },
    });
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`p${'a'.repeat(at + 1)}`, '1']));
    expect(await wrong({ name: 'x', params: many })).toMatchObject({
      errors: { params: ['must not have more than 20 parameters'] },
    });
    const { most } = BOUNDS.views;
    BOUNDS.views.most = 0;
    expect(await wrong({ name: 'x' })).toMatchObject({
      errors: { name: [expect.stringContaining('saved views per user')] },
    });
    BOUNDS.views.most = most;
    expect(await names('client')).toEqual([]);
  });

  test('there are only so many looks, also at once, and each can still be changed', async () => {
    const before = (await mine('client')).looks.length;
    const look = (list: string, density = 'compact') =>
      call('client', 'PUT', '/look', { list, density, columns: null });
    const { most } = BOUNDS.looks;
    BOUNDS.looks.most = before + 2;
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => look(`list-${i}`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(answers.find(({ status }) => status !== 200)?.body.errors).toEqual({
      list: [expect.stringContaining('per user')],
    });
    const { looks } = await mine('client');
    expect(looks).toHaveLength(before + 2);
    expect((await look(looks[0]!.list, 'comfortable')).status).toBe(200);
    BOUNDS.looks.most = most;
  });
});
