import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let other: Company;
let campaign: MadeCampaign;
const ids: Record<string, string> = {};
const HOSTS: Record<string, string> = { root: 'root.test', agency: 'agency.test', client: 'agency.test' };

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  agency = await app.make.agency(root, { host: 'agency.test' });
  client = await app.make.client(agency, { name: 'Northwind' });
  other = await app.make.agency(root, { host: 'other.test' });
  for (const [name, company] of Object.entries({ root, agency, client })) {
    const user = await app.make.user(company, {
      email: `${name}@x.test`,
      name: `Person of ${name}`,
      password: PASSWORD,
      profileDone: true,
    });
    ids[name] = user.id;
  }
  campaign = await app.make.campaign(client, { name: 'Tents' });
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  await app.close();
});

interface Row {
  id: string;
  name: string;
  type_user: string;
  location: string | null;
  user_ip: string | null;
  action: string;
  description: string;
  company_name: string;
  create_date: string;
  suspicious: boolean;
  seal: string;
}
const tokens: Record<string, string> = {};
const ask = async (who: string, path: string, body: object = {}) => {
  tokens[who] ??= await app.signIn(`${who}@x.test`, HOSTS[who]!);
  return app.call('POST', `/api/configuration/user/${path}`, {
    host: HOSTS[who]!,
    token: tokens[who]!,
    body,
  });
};
const log = async (who: string, filter: object = {}) => {
  const { status, body } = await ask(who, 'log-user', filter);
  expect(status).toBe(200);
  return body as unknown as { data: Row[]; total: number };
};
const actions = async (who: string, filter: object = {}) =>
  (await log(who, filter)).data.map(({ action }) => action);

test('[LOGS-01] a log has sign-ins and failed ones with their address, for its company and those above', async () => {
  await app.server.inject({
    method: 'POST',
    url: '/api/login',
    remoteAddress: '::ffff:203.0.113.9',
    headers: { host: 'agency.test' },
    payload: { username: 'agency@x.test', password: 'not the password' },
  });
  app.clock.advance(60_000);
  tokens.agency = await app.signIn('agency@x.test', 'agency.test');
  const { data, total } = await log('root', { companyID: agency.id });
  expect(data.map(({ action }) => action)).toEqual(['login', 'login.failed']);
  expect(total).toBe(2);
  expect(data[0]).toMatchObject({ name: 'Person of agency', type_user: 'agency.owner', suspicious: false });
  expect(data[1]).toMatchObject({ user_ip: '203.0.113.9', suspicious: true });
  const second = await log('root', { companyID: agency.id, page: 2, PerPage: 1 });
  expect([second.data.map(({ action }) => action), second.total]).toEqual([['login.failed'], 2]);
  // Its own users see it as well, without naming it; those of a client have no log.
  expect(await actions('agency')).toEqual(['login', 'login.failed']);
  expect((await ask('agency', 'log-user', { companyID: root.id })).status).toBe(404);
  expect((await ask('agency', 'log-user', { companyID: other.id })).status).toBe(404);
});

describe('[LOGS-01] [LOGS-04] filters', () => {
  beforeAll(async () => {
    app.clock.advance(86_400_000);
    for (const who of ['root', 'agency', 'client'])
      tokens[who] = await app.signIn(`${who}@x.test`, HOSTS[who]!);
    app.clock.advance(60_000);
    const told = await app.call('POST', '/api/general/user-log-saved', {
      host: 'agency.test',
      token: tokens.client!,
      body: { action: 'pixel.copied', id: campaign.id },
    });
    expect([told.status, told.body.message]).toEqual([200, 'Added to the log.']);
  });

  test('an agency’s log includes its clients’, a client’s only its own', async () => {
    expect(await actions('agency')).toEqual(['pixel.copied', 'login', 'login', 'login', 'login.failed']);
    const { data } = await log('agency', { companyID: client.id });
    expect(data.map(({ action, company_name }) => [action, company_name])).toEqual([
      ['pixel.copied', 'Northwind'],
      ['login', 'Northwind'],
    ]);
    expect(data[0]!.description).toBe('Copied the pixel code: Tents');
  });

  test('by user type, user, category, campaign, and days where the company is', async () => {
    expect(await actions('agency', { userType: 'client' })).toEqual(['pixel.copied', 'login']);
    expect(await actions('agency', { userType: 'admin' })).toEqual(['login', 'login']);
    expect(await actions('agency', { userType: 'root' })).toEqual([]);
    expect(await actions('agency', { userID: ids.client, action: 'security' })).toEqual(['login']);
    expect(await actions('agency', { action: 'campaign' })).toEqual(['pixel.copied']);
    expect(await actions('agency', { action: 'other' })).toEqual([]);
    expect(await actions('agency', { campaignID: campaign.id })).toEqual(['pixel.copied']);
    const day = (ms: number) =>
      new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Chicago' }).format(
        app.clock.now().getTime() - ms,
      );
    await app.admin.query(`update company set time_zone = 'America/Chicago' where id = $1`, [agency.id]);
    const [today, yesterday] = [day(0), day(86_400_000)];
    expect(await actions('agency', { logDateRange: `${today}_${today}` })).toEqual([
      'pixel.copied',
      'login',
      'login',
    ]);
    expect(await actions('agency', { logDateRange: `${yesterday}_${yesterday}` })).toEqual([
      'login',
      'login.failed',
    ]);
  });

  test('a wrong filter is named', async () => {
    const { status, body } = await ask('agency', 'log-user', {
      companyID: 'x',
      action: 'everything',
      userType: 'nobody',
      userID: '1',
      campaignID: '2',
      logDateRange: '2026-02-02_2026-02-01',
    });
    expect(status).toBe(422);
    expect(Object.keys(body.errors as object).sort()).toEqual([
      'action',
      'campaignID',
      'companyID',
      'logDateRange',
      'userID',
      'userType',
    ]);
  });

  test('users are found from the third character on, with those above and below, and campaigns by name', async () => {
    const users = async (who: string, body: object) => (await ask(who, 'show-user', body)).body.data;
    expect(await users('agency', { searchUser: 'person' })).toEqual([
      {
        id: ids.agency,
        name: 'Person of agency',
        company_name: expect.any(String),
        type_user_tx: 'Admin',
      },
      { id: ids.client, name: 'Person of client', company_name: 'Northwind', type_user_tx: 'Client' },
    ]);
    expect(await users('root', { companyID: agency.id, searchUser: 'root@', userType: 'root' })).toEqual([
      expect.objectContaining({ id: ids.root, type_user_tx: 'Enterprise' }),
    ]);
    expect(await users('agency', { searchUser: '%%%' })).toEqual([]);
    const short = await ask('agency', 'show-user', { searchUser: 'pe' });
    expect([short.status, short.body.errors]).toEqual([
      422,
      { searchUser: ['must have at least 3 characters'] },
    ]);
    expect((await ask('agency', 'show-user', { companyID: other.id, searchUser: 'person' })).status).toBe(
      404,
    );
    expect((await ask('agency', 'show-campaigns', { searchQuery: 'ten' })).body.campaigns).toEqual([
      { id: campaign.id, name: 'Tents', number: expect.any(Number) },
    ]);
    expect((await ask('agency', 'show-campaigns', { searchQuery: 'stoves' })).body.campaigns).toEqual([]);
    const categories = (await ask('agency', 'log-category')).body.data as unknown as {
      id: string;
      name: string;
    }[];
    expect(categories[0]).toEqual({ id: 'security', name: 'Sign-in and security' });
  });
});

test('[LOGS-04] what a page reports has fixed words, the true actor, and only things that they see', async () => {
  const report = (token: string, body: object, host = 'agency.test') =>
    app.call('POST', '/api/general/user-log-saved', { host, token, body });
  const wrong = await report(tokens.client!, { action: 'login', id: campaign.id });
  expect([wrong.status, wrong.body.errors]).toEqual([422, { action: ['is not an action of a page'] }]);
  const foreign = await app.make.campaign(await app.make.client(other));
  expect((await report(tokens.client!, { action: 'pixel.copied', id: foreign.id })).status).toBe(404);
  app.clock.advance(1000);
  const view = await app.call('POST', '/api/user/switch', {
    host: 'root.test',
    token: tokens.root!,
    body: { usrID: ids.client, reason: 'To help' },
  });
  if (view.status !== 200) throw new Error(`not in view mode: ${view.status} ${JSON.stringify(view.body)}`);
  const token = String((view.body as { access_token?: string }).access_token);
  expect((await report(token, { action: 'pixel.copied', id: campaign.id }, 'root.test')).status).toBe(200);
  const [row] = (await log('agency', { companyID: client.id, action: 'campaign' })).data;
  expect(row).toMatchObject({ name: 'Person of root as Person of client', type_user: 'root.owner' });
  expect(await actions('agency', { userID: ids.root, action: 'campaign' })).toEqual(['pixel.copied']);
});

test('[LOGS-04] a row that was altered, or inserted by hand, says so; an erased one is whole', async () => {
  const seals = async () => {
    const { data } = await log('agency', { companyID: client.id, action: 'security' });
    return data.map(({ seal }) => seal);
  };
  expect(await seals()).toEqual(['waiting']);
  await app.features.logChain.seal();
  expect(await seals()).toEqual(['sealed']);
  const [row] = (await log('agency', { companyID: client.id, action: 'security' })).data;
  await app.admin.query(`update user_log_detail set description = 'Nothing' where log_id = $1`, [row!.id]);
  expect(await seals()).toEqual(['changed']);
  await app.admin.query('delete from user_log_detail where log_id = $1', [row!.id]);
  expect(await seals()).toEqual(['sealed']);
  await app.admin.query(
    `insert into user_log select gen_random_uuid(), root_id, agency_id, company_id, actor_id, viewed_as_id, 'login',
       object_kind, object_id, request_id, detail_hash, created_at - interval '1 hour' from user_log where id = $1`,
    [row!.id],
  );
  expect(await seals()).toEqual(['sealed', 'changed']);
});

test('[LOGS-01] those of a client have no log', async () => {
  expect((await ask('client', 'log-user', { companyID: client.id })).status).toBe(403);
});

test('[LOGS-02] the file has what the filters show, and 9999 or all stand for no filter', async () => {
  tokens.agency = await app.signIn('agency@x.test', 'agency.test');
  const file = async (address: string, id = agency.id) => {
    const path = `/api/configuration/download-log-user/${id}/${address}`;
    const { body } = await app.call('POST', '/api/general/download-token', {
      host: 'agency.test',
      token: tokens.agency!,
      body: { path },
    });
    return app.server.inject({ url: body.url as string, headers: { host: 'agency.test' } });
  };
  const all = await file('all/9999/9999/all/9999');
  expect(all.headers['content-disposition']).toMatch(/filename="user-log-\d{4}-\d\d-\d\d\.csv"/);
  const lines = all.payload.trim().split('\r\n');
  expect(lines[0]!.replace('\uFEFF', '')).toBe(
    'Name,User Type,Location,IP Address,Action,Description,Company Name,Created at',
  );
  expect(lines.length - 1).toBe((await log('agency')).total);
  const some = (await file(`client/${ids.client}/campaign/2000-01-01_2999-12-31/${campaign.id}`)).payload;
  expect(some.trim().split('\r\n').slice(1)).toEqual([
    expect.stringContaining('Copied the pixel code: Tents'),
  ]);
  expect((await file('nobody/9999/all/all/9999')).statusCode).toBe(422);
  expect((await file('all/9999/all/all/9999', other.id)).statusCode).toBe(404);
});
