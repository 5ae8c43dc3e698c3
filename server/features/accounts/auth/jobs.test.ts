import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../../test/app.ts';
import { solveCaptcha } from '../../../test/ways-in.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ start: true });
});
afterAll(() => app.close());

test('[AUTH-09] a worker makes the link of a forgotten password and hands its mail over', async () => {
  const root = await app.make.root({ host: 'root.test' });
  const { email } = await app.make.user(root, {});
  const gtoken = await solveCaptcha(app, 'root.test');
  const asked = await app.call('POST', '/api/forgetpass', {
    host: 'root.test',
    body: { username: email, gtoken },
  });
  expect(asked.status).toBe(200);
  await expect
    .poll(
      async () =>
        (await app.features.mail.outbox({ rootId: root.id })).map((mail) => [
          mail.to_address,
          mail.kind,
          mail.state,
        ]),
      {
        timeout: 25_000,
        interval: 100,
      },
    )
    .toEqual([[email, 'password.reset', 'kept']]);
});
