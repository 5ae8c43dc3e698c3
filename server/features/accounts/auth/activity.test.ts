import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { mailsTo } from '../../../test/ways-in.ts';

let app: TestApp;
let root: Company;
const HOST = 'acme.test';
const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  const acme = await app.make.agency(root, { host: HOST, name: 'Acme' });
  await app.make.user(acme, { email: 'ann@x.test', password: PASSWORD });
});
afterAll(() => app.close());

/** A login from an address, as a dual-stack socket reports it. */
const login = async (username: string, password: string, agent = 'test', ip = '::ffff:8.8.8.8') => {
  const answer = await app.server.inject({
    method: 'POST',
    url: '/api/login',
    remoteAddress: ip,
    headers: { host: HOST, 'user-agent': agent, 'content-type': 'application/json' },
    payload: JSON.stringify({ username, password }),
  });
  return { status: answer.statusCode, body: answer.json() as Record<string, string> };
};
/** The alerts that the jobs send. */
async function alerts(email: string) {
  const { rows } = await app.admin.query(
    `update pgboss.job set state = 'completed' where name = 'access.alert' and state = 'created' returning data`,
  );
  for (const { data } of rows) await app.features.auth.alerts.tell(data);
  return (await mailsTo(app, root.id, email)).filter((mail) => mail.kind === 'account.alert');
}
const activity = async (token: string) =>
  (await app.call('GET', '/api/user/activity', { host: HOST, token })).body.data as Record<string, unknown>[];

test('[AUTH-21] what is tried on an account is logged with address and place, shown to its owner, and mailed where it matters', async () => {
  const first = await login('ann@x.test', PASSWORD);
  expect(first.status).toBe(200);
  app.clock.advance(1000);
  for (let i = 0; i < 3; i++) await login('ann@x.test', 'wrong');
  await login('nobody@x.test', 'wrong');
  const token = first.body.access_token!;
  const rows = await activity(token);
  expect(rows.map((row) => [row.what, row.ip, row.place, row.suspicious])).toEqual([
    ...Array.from({ length: 3 }, () => ['Failed sign-in', '8.8.8.8', 'United States', true]),
    ['Signed in', '8.8.8.8', 'United States', false],
  ]);
  const { rows: unknown } = await app.admin.query(
    `select d.description, host(d.user_ip) as ip from user_log l join user_log_detail d on d.log_id = l.id
     where l.action = 'login.failed' and l.object_id = ''`,
  );
  expect(unknown).toEqual([{ description: 'A sign-in as nobody@x.test failed from 8.8.8.8', ip: '8.8.8.8' }]);
  // The very first device is not reported, and neither are three typos.
  expect(await alerts('ann@x.test')).toEqual([]);

  // Another device in another country is.
  app.clock.advance(3_600_000 * 2);
  const second = await login('ann@x.test', PASSWORD, CHROME, '::ffff:81.2.69.142');
  expect(second.status).toBe(200);
  const [mail] = await alerts('ann@x.test');
  expect([mail?.subject, mail?.body?.text]).toEqual([
    'New sign-in to your account',
    expect.stringContaining('81.2.69.142, United Kingdom'),
  ]);
  await login('ann@x.test', PASSWORD, CHROME, '81.2.69.142');
  expect(await alerts('ann@x.test')).toHaveLength(1);

  // A refresh token that is used twice.
  const renew = (refresh_token: string) =>
    app.call('POST', '/api/auth/refresh-token', { host: HOST, body: { refresh_token } });
  expect((await renew(second.body.refresh_token!)).status).toBe(200);
  app.clock.advance(11_000);
  expect((await renew(second.body.refresh_token!)).status).toBe(401);
  expect((await alerts('ann@x.test'))[0]?.subject).toBe('A device was signed out of your account');
  const again = await login('ann@x.test', PASSWORD, CHROME, '81.2.69.142');
  expect((await activity(again.body.access_token!)).some((row) => row.what === 'Token used twice')).toBe(
    true,
  );
});
