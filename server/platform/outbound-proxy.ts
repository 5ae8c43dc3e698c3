import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Outbound, OutboundError } from './outbound.ts';

/** The way out of a program that opens strangers' pages. */
export interface OutboundProxy {
  /** It listens on 127.0.0.1. */
  port: number;
  /** Ends every connection. */
  close: () => Promise<void>;
}

/** How long a connection may be silent. */
const SILENT_MS = 20_000;
const MOST_CONNECTIONS = 64;
/** Headers that are about one connection only. */
const HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Opens an HTTP proxy whose connections are checked as those of `outbound`: public addresses only, the name resolved
 * once and connected to at exactly the address that was checked.
 * @param maxBytes how many bytes may pass in all, in both directions; after them every connection is ended
 */
export async function openProxy(outbound: Outbound, maxBytes: number): Promise<OutboundProxy> {
  let left = maxBytes;
  const open = new Set<Socket>();
  const endAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  /** Counts what a socket brings, and ends it when it is silent. */
  const watch = (socket: Socket): Socket => {
    open.add(socket);
    socket.setTimeout(SILENT_MS, () => socket.destroy());
    socket.on('data', ({ length }) => {
      left -= length;
      if (left < 0) endAll();
    });
    // Its close follows.
    socket.on('error', () => {});
    return socket.on('close', () => open.delete(socket));
  };

  /** @throws OutboundError */
  async function targetOf(address: string) {
    if (left < 0) throw new OutboundError('too_large', 'Too much has passed already');
    const objection = outbound.objection(address, { plainHttp: true });
    if (objection) throw new OutboundError('refused_address', objection);
    const url = new URL(address);
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    return { url, port, host: await outbound.addressOf(url.hostname.replace(/^\[(.*)\]$/, '$1'), port) };
  }

  /** What is encrypted, and WebSockets: passed on as it is. */
  async function tunnel(asked: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    try {
      const { host, port } = await targetOf(`https://${asked.url}/`);
      if (client.destroyed) return;
      const far = watch(connect({ host, port }));
      far.once('connect', () => {
        client.write('HTTP/1.1 200 Connected\r\n\r\n');
        far.write(head);
        far.pipe(client);
        client.pipe(far);
      });
      far.on('close', () => client.destroy());
      client.on('close', () => far.destroy());
    } catch {
      client.end('HTTP/1.1 403 Refused\r\n\r\n');
    }
  }

  async function forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const fail = (status: number): void => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(status).end();
    };
    try {
      const { url, host, port } = await targetOf(asked.url ?? '');
      if (url.protocol !== 'http:') return fail(403);
      const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => !HOP.has(name)));
      const far = requestOf({
        host,
        port,
        method: asked.method,
        path: url.pathname + url.search,
        headers: { ...headers, host: url.host },
        agent: false,
      });
      far.on('socket', watch);
      far.on('error', () => fail(502));
      far.on('upgrade', (_response, socket) => {
        socket.destroy();
        fail(502);
      });
      far.on('response', (response) => {
        const kept: string[] = [];
        for (let i = 0; i < response.rawHeaders.length; i += 2)
          if (!HOP.has(response.rawHeaders[i]!.toLowerCase()))
            kept.push(...response.rawHeaders.slice(i, i + 2));
        try {
          answer.writeHead(response.statusCode ?? 502, kept);
        } catch {
          // A status such as 000, which may be received but not sent. Thrown from here, it would end this process.
          return fail(502);
        }
        response.pipe(answer);
        response.on('error', () => answer.destroy());
      });
      answer.on('close', () => far.destroy());
      asked.pipe(far);
    } catch {
      fail(403);
    }
  }

  const server = createServer((asked, answer) => void forward(asked, answer));
  server.maxConnections = MOST_CONNECTIONS;
  server.on('connection', watch);
  server.on('connect', (asked, client, head) => void tunnel(asked, client, head));
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', done);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise((done) => server.close(done));
      endAll();
      await closed;
    },
  };
}
