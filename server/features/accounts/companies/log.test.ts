import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let root: Company;
let agency: Company;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: 'agency.test' });
  await app.make.user(root, { email: 'root@x.test', password: PASSWORD });
  await app.make.user(agency, { email: 'owner@x.test', password: PASSWORD });
});
afterAll(() => app.close());

interface Log {
  data: { name: string; user_type: string; ip: string; action: string; suspicious: boolean }[];
  total: number;
}

test("[LOGS-01] a company's log has sign-ins and failed ones with their address, for those above it alone", async () => {
  await app.server.inject({
    method: 'POST',
    url: '/api/login',
    remoteAddress: '::ffff:203.0.113.9',
    headers: { host: 'agency.test' },
    payload: { username: 'owner@x.test', password: 'not the password' },
  });
  app.clock.advance(60_000);
  const own = await app.signIn('owner@x.test', 'agency.test');
  const above = await app.signIn('root@x.test', 'root.test');
  const log = async (token: string, host: string, id = agency.id, more = '') =>
    app.call('GET', `/api/configuration/user-logs?company_id=${id}${more}`, { host, token });
  const { data, total } = (await log(above, 'root.test')).body as unknown as Log;
  expect(data.map(({ action }) => action)).toEqual(['login', 'login.failed']);
  expect(total).toBe(2);
  expect(data[0]).toMatchObject({ user_type: 'agency.owner', suspicious: false });
  expect(data[1]).toMatchObject({ ip: '203.0.113.9', suspicious: true });
  const second = (await log(above, 'root.test', agency.id, '&PerPage=1&Page=2')).body as unknown as Log;
  expect([second.data.map(({ action }) => action), second.total]).toEqual([['login.failed'], 2]);
  // Its own users see it as well; those of another agency and of a client do not.
  expect((await log(own, 'agency.test')).status).toBe(200);
  expect((await log(own, 'agency.test', root.id)).status).toBe(404);
  const other = await app.make.agency(root, { host: 'other.test' });
  expect((await log(own, 'agency.test', other.id)).status).toBe(404);
  await app.make.user(await app.make.client(agency), { email: 'client@x.test', password: PASSWORD });
  const client = await app.signIn('client@x.test', 'agency.test');
  expect((await log(client, 'agency.test')).status).toBe(403);
});
