import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SearchHit } from '../../../../contract/accounts/search.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { shared } from './service.ts';

let app: TestApp;
const token: Record<string, string> = {};
const HOST: Record<string, string> = {
  root: 'root.test',
  rep: 'root.test',
  acme: 'acme.test',
  limited: 'acme.test',
  oak: 'acme.test',
  foreign: 'foreign.test',
};

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  const passwordHash = await app.features.users.hashPassword(PASSWORD);
  const root = await make.root({ host: 'root.test', name: 'Root' });
  const acme = await make.agency(root, { host: 'acme.test', name: 'Acme Growth' });
  const birch = await make.agency(root, { name: 'Birch 50% Oak' });
  const oak = await make.client(acme, { name: 'Oak Dental' });
  const elm = await make.client(acme, { name: 'Elm Bakery' });
  const far = await make.client(birch, { name: 'Far Oak' });
  await make.campaign(oak, { name: 'Oak spring' });
  await make.campaign(oak, { name: 'Oak old', state: 'archived' });
  await make.campaign(far, { name: 'Far oak sale' });
  const other = await make.root({ host: 'foreign.test', name: 'Foreign' });
  const theirs = await make.agency(other, { name: 'Oak abroad' });
  await make.campaign(await make.client(theirs, { name: 'Oak client abroad' }), { name: 'Oak abroad run' });
  for (let n = 0; n < 30; n++) await make.client(acme, { name: `Maple ${String(n).padStart(2, '0')}` });
  const add = async (name: string, company: typeof root, given: object = {}) => {
    const made = await make.user(company, {
      email: `${name}@x.test`,
      name: `Owner ${name}`,
      passwordHash,
      ...given,
    });
    token[name] = await app.signIn(`${name}@x.test`, HOST[name]!);
    return made;
  };
  await add('root', root);
  const rep = await add('rep', root, { role: 'sales' });
  await add('acme', acme);
  await add('oak', oak);
  await add('foreign', other);
  await make.user(elm, { email: 'elm@x.test', name: 'Edith Zimmer' });
  await app.admin.query(
    `insert into sales_assignment (root_id, agency_id, company_id, user_id, role, assigned_at)
     values ($1, $2, $2, $3, 'representative', now())`,
    [root.id, birch.id, rep.id],
  );
  const { rows } = await app.admin.query(
    `insert into role (id, root_id, agency_id, company_id, name, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, $2, 'No campaigns', now(), now()) returning id`,
    [root.id, acme.id],
  );
  await add('limited', acme, { role: 'administrator' });
  await app.admin.query(`update user_account set role_id = $1 where email = 'limited@x.test'`, [rows[0].id]);
});
afterAll(() => app?.close());

const find = (who: string, q: string) =>
  app.call('GET', `/api/general/search?q=${encodeURIComponent(q)}`, { host: HOST[who]!, token: token[who]! });
const names = async (who: string, q: string) =>
  ((await find(who, q)).body.data as SearchHit[]).map(({ type, name }) => `${type}: ${name}`);

describe('search by name', () => {
  test('finds what is in the own scope, nearest first, and nothing of others', async () => {
    expect(await names('root', 'OAK')).toEqual([
      'agency: Birch 50% Oak',
      'client: Oak Dental',
      'client: Far Oak',
      'campaign: Oak spring',
      'campaign: Far oak sale',
      'campaign: Oak old',
    ]);
    expect(await names('acme', 'oak')).toEqual([
      'client: Oak Dental',
      'campaign: Oak spring',
      'campaign: Oak old',
    ]);
    expect(await names('oak', 'oak')).toEqual(['campaign: Oak spring', 'campaign: Oak old']);
    expect(await names('foreign', 'oak')).toEqual([
      'agency: Oak abroad',
      'client: Oak client abroad',
      'campaign: Oak abroad run',
    ]);
    expect(await names('acme', 'acme growth')).toEqual([]);
  });

  test('names the owner to view as, to those who may', async () => {
    const owners = async (who: string) =>
      ((await find(who, 'oak dental')).body.data as SearchHit[])
        .filter(({ type }) => type === 'client')
        .map(({ user_id }) => user_id);
    const [owner] = await owners('acme');
    const { rows } = await app.admin.query("select owner_id from company where name = 'Oak Dental'");
    expect(owner).toBe(rows[0].owner_id ?? '');
    expect(await owners('root')).toEqual([owner]);
  });

  test('says whose a client and a campaign are', async () => {
    const { body } = await find('root', 'oak spring');
    expect(body.data).toMatchObject([
      { company_name: 'Oak Dental', agency_name: 'Acme Growth', leadspeek_type: 'local', status: 'active' },
    ]);
    const [{ leadspeek_api_id: number }] = body.data as [{ leadspeek_api_id: string }];
    expect(await names('root', number)).toEqual(['campaign: Oak spring']);
    expect(await names('root', `#${number}`)).toEqual(['campaign: Oak spring']);
    expect(await names('foreign', number)).toEqual([]);
  });

  test('two letters begin a word, three may stand anywhere; wildcards are letters; owners count', async () => {
    expect(await names('acme', 'ak')).toEqual([]);
    expect(await names('acme', 'de')).toEqual(['client: Oak Dental']);
    expect(await names('acme', 'aker')).toEqual(['client: Elm Bakery']);
    expect(await names('root', '50%')).toEqual(['agency: Birch 50% Oak']);
    expect(await names('root', '%%')).toEqual([]);
    expect(await names('root', '__')).toEqual([]);
    expect(await names('acme', 'zimmer')).toEqual(['client: Elm Bakery']);
  });

  test('one letter is refused', async () => {
    expect((await find('acme', ' o ')).body).toMatchObject({
      errors: { q: ['must have at least 2 characters'] },
    });
  });

  test('of many there are 20, and that there are more is told', async () => {
    const { body } = await find('acme', 'maple');
    expect([(body.data as SearchHit[]).length, body.more]).toEqual([20, 'T']);
    expect((body.data as SearchHit[])[0]!.name).toBe('Maple 00');
    expect((await find('acme', 'oak')).body.more).toBe('F');
  });

  test('sales find what is assigned to them; a role finds nothing that it does not allow to read', async () => {
    expect(await names('rep', 'oak')).toEqual(['agency: Birch 50% Oak', 'client: Far Oak']);
    expect((await find('rep', 'far oak')).body.data).toMatchObject([{ agency_name: 'Birch 50% Oak' }]);
    expect(await names('limited', 'oak')).toEqual([]);
  });
});

test('each list gets its share', () => {
  expect(shared([[1, 2, 3, 4], [5], [6, 7, 8]], 5)).toEqual([[1, 2], [5], [6, 7]]);
  expect(shared([[1], [], [2, 3]], 9)).toEqual([[1], [], [2, 3]]);
});
