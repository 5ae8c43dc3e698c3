import { afterAll, beforeAll, expect, test } from 'vitest';
import { allInTurn } from '../../../platform/in-turn.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { mailsTo } from '../../../test/ways-in.ts';

const HOST = 'acme.test';
let app: TestApp;
let root: Company;
let rival: Company;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', brand: { name: 'Root Brand' } });
  await app.make.user(root, { email: 'root@x.test', password: PASSWORD });
  const agency = await app.make.agency(root, { host: HOST, name: 'Acme', brand: { name: 'Acme Leads' } });
  await app.make.user(agency, { email: 'owner@x.test', password: PASSWORD });
  await app.make.user(agency, {
    email: 'staff@x.test',
    password: PASSWORD,
    role: 'administrator',
    name: 'Sam',
  });
  const client = await app.make.client(agency, { name: 'Bluepeak' });
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD, name: 'Cleo' });
  rival = await app.make.agency(root, { host: 'rival.test' });
  await app.make.user(rival, { email: 'rival@x.test', password: PASSWORD });
});
afterAll(() => app.close());

const login = (username: string, device: string, password = PASSWORD) =>
  app.call('POST', '/api/login', {
    host: HOST,
    body: { username, password },
    headers: { 'user-agent': device },
  });
/** Runs the jobs that are due by now. */
async function work(): Promise<void> {
  const { rows } = await app.admin.query(
    `update pgboss.job set state = 'completed' where name = 'access.alert' and state = 'created' returning data`,
  );
  // Each job is run twice, as after a crash of its worker.
  for (const { data } of [...rows, ...rows]) await app.features.auth.alerts.tell(data);
  await app.features.auth.enqueueNews();
  const { rows: companies } = await app.admin.query(
    `delete from pgboss.job where name = 'access.owners' returning data`,
  );
  await allInTurn([...companies, ...companies], ({ data }) => app.features.auth.alerts.tellOwners(data));
}
const news = async (address: string) =>
  (await mailsTo(app, root.id, address)).filter(({ kind }) => kind === 'account.news');
const CHROME = 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0.0.0 Safari/537.36';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0';

test('[BEY-32] the owners of a company are mailed what happened to accounts of their people, seldom and together', async () => {
  for (const email of ['staff@x.test', 'client@x.test']) await login(email, CHROME);
  await work();
  // A user's very first device is not reported.
  expect(await news('owner@x.test')).toEqual([]);
  for (const email of ['staff@x.test', 'client@x.test']) await login(email, FIREFOX);
  for (let i = 0; i < 5; i++) await login('staff@x.test', FIREFOX, 'wrong');
  await work();
  const [mail, ...more] = await news('owner@x.test');
  expect([mail?.subject, mail?.from_name, more.length]).toEqual([
    'Security alerts for your users',
    'Acme Leads',
    0,
  ]);
  const text = mail?.body?.text ?? '';
  expect(text).toContain('Sam (Acme): signed in on a new device. 2026-03-10 15:00 UTC, from 127.0.0.1');
  expect(text).toContain('Cleo (Bluepeak): signed in on a new device.');
  // No one else's events, and none of their own: what happens to an agency's only owner is reported to the level above.
  expect([await news('rival@x.test'), await news('root@x.test')]).toEqual([[], []]);
  await login('owner@x.test', CHROME);
  await login('owner@x.test', FIREFOX);
  await login('client@x.test', 'Mozilla/5.0 (iPhone) Version/18.0 Safari/604.1');
  await work();
  await work();
  expect(await news('root@x.test')).toHaveLength(1);
  // Owners were notified a while ago: the rest waits and arrives in one email.
  expect(await news('owner@x.test')).toHaveLength(1);
  app.clock.advance(4 * 3_600_000);
  await work();
  await work();
  expect(await news('owner@x.test')).toHaveLength(2);
});

test('[BEY-32] a company whose owners cannot be mailed leaves no one else’s without, and no email is sent twice', async () => {
  const logins = async (device: string) => {
    await login('client@x.test', device);
    await app.call('POST', '/api/login', {
      host: 'rival.test',
      body: { username: 'helper@x.test', password: PASSWORD },
      headers: { 'user-agent': device },
    });
  };
  await app.make.user(rival, { email: 'helper@x.test', password: PASSWORD, role: 'administrator' });
  app.clock.advance(4 * 3_600_000);
  await logins(CHROME);
  await work();
  const before = (await news('owner@x.test')).length;
  const alerts = async () =>
    (await mailsTo(app, root.id, 'client@x.test')).filter(({ kind }) => kind === 'account.alert').length;
  const alertsBefore = await alerts();
  await app.admin.query(`update user_account set email = 'none' where email = 'rival@x.test'`);
  app.clock.advance(4 * 3_600_000);
  await logins('Mozilla/5.0 (X11; CrOS x86_64) Chrome/139.0.0.0 Safari/537.36');
  await expect(work()).rejects.toThrow('recipient address');
  expect(await alerts()).toBe(alertsBefore + 1);
  expect(await news('owner@x.test')).toHaveLength(before + 1);
  await app.admin.query(`update user_account set email = 'rival@x.test' where email = 'none'`);
  await work();
  await work();
  expect(await news('owner@x.test')).toHaveLength(before + 1);
  expect(await news('rival@x.test')).toHaveLength(1);
});
