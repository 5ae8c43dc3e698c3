import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { packedText } from './packed.ts';

test('[BEY-28] a long text is made once, whatever form it is asked for in', async () => {
  let made = 0;
  const app = fastify();
  const send = packedText('text/html', async () => `<p>${++made}</p>`);
  app.get('/', (request, reply) => send(request, reply));
  const open = { br: brotliDecompressSync, gzip: gunzipSync, identity: (body: Buffer) => body };
  for (const form of ['br', 'gzip', 'identity', 'br', 'gzip'] as const) {
    const { headers, rawPayload } = await app.inject({ url: '/', headers: { 'accept-encoding': form } });
    expect(headers['content-encoding'] ?? 'identity').toBe(form);
    expect([headers.vary, headers['content-type']]).toEqual(['accept-encoding', 'text/html; charset=utf-8']);
    expect(open[form](rawPayload).toString()).toBe('<p>1</p>');
  }
  expect(made).toBe(1);
});
