import { afterAll, beforeAll, expect, test } from 'vitest';
import { startExclusions } from '../../features/audience/exclusions/index.ts';
import { startPeople } from '../../features/audience/people/index.ts';
import { PASSWORD, type TestApp, testApp } from '../app.ts';

let app: TestApp;
let token: string;
let root: Awaited<ReturnType<TestApp['make']['root']>>;
const host = 'held.example';
beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host });
  await app.make.user(root, { email: 'owner@held.example', password: PASSWORD, role: 'owner' });
  token = await app.signIn('owner@held.example', host);
});
afterAll(() => app?.close());

const call = (method: 'GET' | 'POST', url: string, body?: unknown) =>
  app.call(method, url, { host, token, ...(body === undefined ? {} : { body }) });
const upload = async (url: string, text: string) => {
  const { statusCode, body } = await app.server.inject({
    method: 'POST',
    url,
    headers: { host, authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    payload: text,
  });
  expect([statusCode, body]).toEqual([200, expect.any(String)]);
  return JSON.parse(body);
};
/** As if a process had died twice while running the last job sent. */
const endTwice = async (kind: string) => {
  const { rowCount } = await app.admin.query(
    `insert into job_run (key, kind, payload, root_id, worker, starts, alive_at)
     select id::text, name, data, $2::uuid, gen_random_uuid(), 2, now() - interval '1 minute' from pgboss.job
     where name = $1 and state = 'created'`,
    [kind, root.id],
  );
  expect(rowCount).toBe(1);
};
async function until<T>(ask: () => Promise<T>, isIt: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isIt(answer)) return answer;
    await new Promise((done) => setTimeout(done, 100));
  }
}

test('[BEY-31] files whose reading ended the server twice are on hold, told, and tried again on request', async () => {
  const { id } = await upload(
    '/api/identity/imports?file_name=people.csv',
    'email,name\nann@x.example,Ann\n',
  );
  await call('POST', `/api/identity/imports/${id}/start`, { mapping: {} });
  await upload('/api/tools/optout/upload?file_name=list.csv', 'bob@x.example\n');
  const lists = async () =>
    (await call('GET', `/api/exclusions/lists?campaignType=root&paramID=${root.id}`)).body
      .data as unknown as { id: string; state: string; error: string | null; entries_added: number }[];
  const [list] = await lists();
  await endTwice('identity.import');
  await endTwice('exclusions.load');
  await startPeople(app.features.people);
  await startExclusions(app.features.exclusions);

  const imported = async () => (await call('GET', `/api/identity/imports/${id}`)).body;
  const held = await until(imported, (job) => (job.state as string) === 'held');
  expect(held).toMatchObject({
    error: expect.stringContaining('The server stopped twice while reading this file'),
    rows_read: 0,
    finished_at: null,
  });
  const [heldList] = await until(lists, ([one]) => one!.state === 'held');
  expect(heldList!.error).toContain('has no effect');

  const { body } = await until(
    () => call('GET', '/api/background/stopped'),
    (answer) => (answer.body.total as unknown as number) === 2,
  );
  const stopped = body.data as unknown as { id: string; title: string; about: string; starts: number }[];
  expect(stopped.map((one) => one.title).sort()).toEqual(['Exclusion list upload', 'File import']);
  expect(stopped.find((one) => one.title === 'File import')).toMatchObject({
    about: `importId ${id}`,
    starts: 2,
  });
  const log = await app.admin.query(
    `select action from user_log where root_id = $1 and action in ('people.import_hold', 'exclusion.hold', 'job.set_aside')`,
    [root.id],
  );
  expect(log.rows.map((row) => row.action).sort()).toEqual([
    'exclusion.hold',
    'job.set_aside',
    'job.set_aside',
    'people.import_hold',
  ]);

  // Retry one from its own page, the other from the overview page.
  expect((await call('POST', `/api/identity/imports/${id}/again`, {})).status).toBe(200);
  const other = stopped.find((one) => one.title !== 'File import')!;
  expect((await call('POST', '/api/background/stopped/again', { id: other.id })).status).toBe(200);
  expect(await until(imported, (job) => (job.state as string) === 'done')).toMatchObject({ rows_added: 1 });
  expect((await until(lists, ([one]) => one!.state === 'active'))[0]).toMatchObject({
    error: null,
    entries_added: 1,
  });
  expect((await call('GET', '/api/background/stopped')).body.total).toBe(0);
  // Each can be retried only once.
  expect((await call('POST', `/api/identity/imports/${id}/again`, {})).status).toBe(409);
  expect((await call('POST', `/api/exclusions/lists/${list!.id}/again`, {})).status).toBe(409);
  expect((await call('POST', '/api/background/stopped/again', { id: other.id })).status).toBe(404);
});
