import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { inScope } from '../platform/db/scope.ts';
import { defineJob, setUpJobs } from '../platform/jobs.ts';
import { PASSWORD, testApp } from './app.ts';

const heldJob = defineJob('test-held', z.object({ rootId: z.string() }));

test('a stop answers what is under way and finishes jobs', async () => {
  // Far more than a busy machine needs: how long it takes is not what is tested.
  const app = await testApp({ start: true, settings: { stopSeconds: 600 } });
  const root = await app.make.root({ name: 'Root', host: 'localhost', isMaster: true });
  const passwordHash = await app.features.users.hashPassword(PASSWORD);
  const emails = Array.from({ length: 12 }, (_, i) => `owner${i}@stop.test`);
  for (const email of emails) await app.make.user(root, { email, passwordHash });

  let finish = () => {};
  const finished = new Promise<void>((done) => {
    finish = done;
  });
  let begun = () => {};
  const isBegun = new Promise<void>((done) => {
    begun = done;
  });
  let isDone = false;
  await setUpJobs(app.databaseUrl);
  await app.platform.jobs.work(heldJob, {}, async () => {
    begun();
    await finished;
    isDone = true;
  });
  await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
    app.platform.jobs.send(tx, heldJob, [{ rootId: root.id }]),
  );
  await isBegun;

  let arrived = 0;
  const all = new Promise<void>((done) => {
    app.server.server.on('request', () => ++arrived === 12 && done());
  });
  const agent = new Agent({ keepAlive: true });
  const answers = emails.map(async (username) => {
    const call = request({
      ...{ agent, host: '127.0.0.1', port: app.port, path: '/api/login', method: 'POST' },
      headers: { host: 'localhost', 'content-type': 'application/json' },
    });
    call.end(JSON.stringify({ username, password: PASSWORD }));
    const [response] = await once(call, 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    return { status: response.statusCode, isWhole: 'access_token' in JSON.parse(text) };
  });
  await all;
  const stopped = app.stop();
  expect(await Promise.all(answers)).toEqual(Array(12).fill({ status: 200, isWhole: true }));
  finish();
  await stopped;
  expect(isDone).toBe(true);
  agent.destroy();
  await app.close();
});

test('a stop cuts off after STOP_SECONDS what does not end', async () => {
  const app = await testApp({ start: true, settings: { stopSeconds: 1 } });
  // A request body that never ends holds its connection.
  const endless = connect(app.port, '127.0.0.1');
  endless.on('error', () => {});
  endless.write(
    'POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
  );
  const cut = once(endless, 'close');
  await once(app.server.server, 'request');
  await app.stop();
  await cut;
  await app.close();
});
