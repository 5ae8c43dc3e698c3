import Fastify, { type FastifyInstance } from 'fastify';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DemoReceiver, registerDemoReceiver } from './receiver.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
let app: FastifyInstance;
let receiver: DemoReceiver;

beforeEach(async () => {
  app = Fastify();
  app.get('/', async () => 'the platform');
  receiver = registerDemoReceiver(app, { host: 'receiver.localhost' });
  await app.ready();
});
afterEach(() => app.close());

const ask = (
  method: 'GET' | 'POST',
  url: string,
  more: { payload?: string; headers?: Record<string, string>; host?: string } = {},
) =>
  app.inject({
    method,
    url,
    headers: {
      host: more.host ?? 'receiver.localhost:8080',
      'content-type': 'application/json',
      ...more.headers,
    },
    ...(more.payload === undefined ? {} : { payload: more.payload }),
  });
const lead = (first_name: string) =>
  JSON.stringify({ type: 'lead.created', data: { person: { first_name, last_name: 'Doe' } } });
const signed = (payload: string, key = secret, id = 'msg_1') => ({
  payload,
  headers: {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': new Webhook(key).sign(id, new Date(), payload),
  },
});

describe('the demo receiver', () => {
  it('lives on its own host only', async () => {
    expect((await ask('GET', '/', { host: 'acme.localhost:8080' })).body).toBe('the platform');
    expect((await ask('POST', '/hooks/demo', { host: 'acme.localhost', payload: '{}' })).statusCode).toBe(
      404,
    );
    expect((await ask('GET', '/', { host: 'evilreceiver.localhost' })).body).toBe('the platform');
    expect((await ask('GET', '/', { host: 'receiver.localhost' })).body).toContain('Nothing has arrived yet');
  });

  it('shows messages newest first with the verdict on their signature', async () => {
    expect((await ask('POST', '/hooks/demo', signed(lead('Early')))).statusCode).toBe(204);
    const form = new URLSearchParams({ name: 'demo', secret }).toString();
    const saved = await ask('POST', '/secrets', {
      payload: form,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(saved.statusCode).toBe(200);
    await ask('POST', '/hooks/demo', signed(lead('Right'), secret, 'msg_2'));
    const wrong = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    await ask('POST', '/hooks/demo', signed(lead('Wrong'), wrong, 'msg_2'));
    expect(receiver.messages.map(({ signed, repeats, id }) => [signed, repeats, id])).toEqual([
      [false, 1, 'msg_2'],
      [true, 0, 'msg_2'],
      [null, 0, 'msg_1'],
    ]);
    const page = (await ask('GET', '/')).body;
    expect(page.indexOf('Wrong Doe')).toBeLessThan(page.indexOf('Right Doe'));
    expect(page.match(/Signature verified|Invalid signature|No signing secret/g)).toEqual([
      'Invalid signature',
      'Signature verified',
      'No signing secret',
    ]);
  });

  it('runs nothing that a message carries', async () => {
    const bad = '<script>alert(1)</script>';
    await ask('POST', '/hooks/demo', signed(lead(bad)));
    await ask('POST', `/hooks/${encodeURIComponent(bad)}`, { payload: bad });
    const page = await ask('GET', '/');
    expect(page.body).not.toContain('<script');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('answers as trouble does, and keeps 50 messages', async () => {
    expect((await ask('POST', '/hooks/demo/410', { payload: '{}' })).statusCode).toBe(410);
    expect((await ask('POST', '/hooks/demo/500', { payload: '{}' })).statusCode).toBe(500);
    expect((await ask('POST', '/hooks/demo/slow?ms=5', { payload: 'not json' })).statusCode).toBe(204);
    expect(receiver.messages.map((message) => message.answered)).toEqual([204, 500, 410]);
    for (let i = 0; i < 60; i++) await ask('POST', '/hooks/demo', { payload: '{}' });
    expect(receiver.messages).toHaveLength(50);
    expect((await ask('POST', '/hooks/demo', { payload: 'x'.repeat(70_000) })).statusCode).toBe(413);
    const refused = await ask('POST', '/secrets', { payload: 'name=demo&secret=short' });
    expect([refused.statusCode, refused.body.includes('start with whsec_')]).toEqual([422, true]);
  });
});
