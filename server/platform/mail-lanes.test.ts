import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type TestApp, testApp } from '../test/app.ts';
import type { Company } from '../test/factories.ts';
import { inScope } from './db/scope.ts';
import { createMail, type MailTransport } from './mail.ts';
import { smtpTo } from './mail-smtp.ts';

let app: TestApp;
let agency: Company;
beforeAll(async () => {
  app = await testApp();
  agency = await app.make.agency(await app.make.root({ host: 'root.test' }), { host: 'acme.test' });
});
afterAll(() => app.close());

test('[BEY-31] a sender whose mail server never answers holds up its own emails, not those of others', async () => {
  let release = () => {};
  const released = new Promise<undefined>((done) => {
    release = () => done(undefined);
  });
  let waiting = 0;
  let sent = 0;
  const hanging: MailTransport = {
    takesOver: true,
    send: () => {
      waiting++;
      return released;
    },
  };
  const good: MailTransport = { takesOver: true, send: async () => `${++sent}` };
  const mail = createMail(app.platform, good, undefined, async (_, host) =>
    host === 'slow.test' ? { transport: hanging, from: { name: '', address: 'a@slow.test' } } : null,
  );
  const enqueue = (host: string) =>
    inScope(app.platform.db.app, { rootId: agency.root_id }, (tx) =>
      mail.enqueue(tx, {
        subject: 'Hello',
        text: 'Hello',
        html: '<p>Hello</p>',
        kind: 'test',
        owner: { ...agency, company_id: agency.id },
        to: { name: 'Ann', address: 'ann@x.test' },
        sender: { name: 'Acme', host },
      }),
    );
  for (let i = 0; i < 100; i++) await enqueue('slow.test');
  await mail.start();
  await vi.waitFor(() => expect(waiting).toBeGreaterThan(0), { timeout: 60_000 });
  for (let i = 0; i < 5; i++) await enqueue('acme.test');
  await vi.waitFor(() => expect(sent).toBe(5), { timeout: 60_000 });
  expect(waiting).toBeLessThanOrEqual(4);
  release();
});

test('[BEY-31] a mail server that answers a byte now and then is given up', async () => {
  const sockets: import('node:net').Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('220 slow\r\n');
    const drip = setInterval(() => socket.write('250-x\r\n'), 20);
    socket.on('close', () => clearInterval(drip));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  const { port } = server.address() as { port: number };
  const sending = smtpTo({ host: '127.0.0.1', port, security: 'none' }, 500).send({
    id: 'x',
    subject: 'Hello',
    text: 'Hello',
    html: '<p>Hello</p>',
    from: { name: 'A', address: 'a@acme.test' },
    to: { name: 'B', address: 'b@x.test' },
    at: app.clock.now(),
  });
  await expect(sending).rejects.toThrow(/abort/i);
  await vi.waitFor(() => expect(sockets.every((socket) => socket.destroyed)).toBe(true), { timeout: 30_000 });
  server.close();
});
