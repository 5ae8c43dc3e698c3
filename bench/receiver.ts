import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';

/** What a receiver has got so far, of what it answered with success. */
export interface Received {
  messages: number;
  /** Distinct message ids. */
  distinct: number;
  firstAt: number;
  lastAt: number;
}

// In its own thread: takes webhooks at /good, answers 500 at /fail, and never answers at /hang.
const ids = new Set<string>();
const got: Received = { messages: 0, distinct: 0, firstAt: 0, lastAt: 0 };
const server = createServer((request, reply) => {
  request.resume().on('end', () => {
    if (request.url === '/hang') return;
    if (request.url === '/fail') return void reply.writeHead(500).end();
    ids.add(String(request.headers['webhook-id']));
    got.messages++;
    got.distinct = ids.size;
    got.lastAt = Date.now();
    got.firstAt ||= got.lastAt;
    reply.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => parentPort!.postMessage((server.address() as AddressInfo).port));
parentPort!.on('message', (what: 'tell' | 'forget') => {
  if (what === 'tell') return parentPort!.postMessage(got);
  ids.clear();
  Object.assign(got, { messages: 0, distinct: 0, firstAt: 0, lastAt: 0 });
});
