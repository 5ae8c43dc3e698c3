import { afterAll, beforeAll, expect, test } from 'vitest';
import { configMessages } from '../../../../contract/messages-config.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { linkIn, mailsTo } from '../../../test/ways-in.ts';

let app: TestApp;
const token: Record<string, string> = {};
const HOST: Record<string, string> = { master: 'master.test', other: 'other.test', agency: 'acme.test' };

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  const passwordHash = await app.features.users.hashPassword(PASSWORD);
  const master = await make.root({ host: 'master.test', isMaster: true, name: 'Master' });
  const other = await make.root({ host: 'other.test', name: 'Other' });
  const acme = await make.agency(master, { host: 'acme.test' });
  for (const [name, company] of Object.entries({ master, other, agency: acme })) {
    await make.user(company, { email: `${name}@x.test`, name: `Owner ${name}`, passwordHash });
    token[name] = await app.signIn(`${name}@x.test`, HOST[name]!);
  }
});
afterAll(() => app.close());

const list = (who: string, query = '') =>
  app.call('GET', `/api/configuration/root/list${query}`, { host: HOST[who]!, token: token[who]! });
const create = (given: object = {}, who = 'master') =>
  app.call('POST', '/api/configuration/root/create', {
    host: HOST[who]!,
    token: token[who]!,
    body: {
      name: 'Summit',
      host: 'summit.test',
      owner_name: 'Sue',
      owner_email: 'sue@summit.test',
      ...given,
    },
  });

test('[CONF-11] the master root sees all roots; another root and an agency find nothing', async () => {
  const { body } = await list('master');
  expect(body).toMatchObject({
    total: 2,
    data: [
      { name: 'Master', host: 'master.test', is_master: 'T', agencies: 1, owner_name: 'Owner master' },
      { name: 'Other', host: 'other.test', is_master: 'F', agencies: 0, owner_email: 'other@x.test' },
    ],
  });
  expect((await list('master', '?searchQuery=oth')).body).toMatchObject({ total: 1 });
  expect((await list('other')).status).toBe(404);
  expect((await create({}, 'other')).status).toBe(404);
  expect((await list('agency')).status).toBe(403);
});

test('[CONF-11] a new root begins: its owner follows the invitation, signs in at its host and is alone there', async () => {
  const made = await create();
  expect([made.status, made.body.message]).toEqual([200, configMessages.rootAdded]);
  const [mail] = await mailsTo(app, String(made.body.id), 'sue@summit.test');
  const { url, token: link } = linkIn(mail);
  expect(url.hostname).toBe('summit.test');
  const set = await app.call('POST', '/api/setnewpassword', {
    host: 'summit.test',
    body: { token: link, email: 'sue@summit.test', newpassword: PASSWORD },
  });
  expect(set.status).toBe(200);
  const sue = await app.signIn('sue@summit.test', 'summit.test');
  const me = await app.call('GET', '/api/user', { host: 'summit.test', token: sue });
  expect(me.body).toMatchObject({ company_name: 'Summit', rootcomp: true, is_master: false });
  const roles = await app.call('GET', '/api/configuration/role-module/get?getType=getrole', {
    host: 'summit.test',
    token: sue,
  });
  expect(roles.body.roles).toHaveLength(3);
  const { rows } = await app.admin.query(`select root_id from user_log where action = 'root.create'`);
  const master = await app.admin.query('select id from company where is_master');
  expect(rows).toEqual([{ root_id: master.rows[0].id }]);

  const taken = await create({ name: 'Again' });
  expect([taken.status, taken.body.errors]).toEqual([422, { host: ['is already taken'] }]);
  for (const host of ['summit', 'a b.test', '-a.test', ''])
    expect([host, Object.keys((await create({ host })).body.errors as object)]).toEqual([host, ['host']]);
  expect((await list('master')).body.total).toBe(3);
});
