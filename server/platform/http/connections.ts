import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The limits on what a connection may use of the server. Times in milliseconds. */
export interface ConnectionBounds {
  /** Maximum connections from one address at a time; 0 for no limit. */
  perAddress: number;
  /** Addresses shared by many users: proxies, as `TRUST_PROXY` names them. */
  trusted: readonly string[];
  /** How long the body of an ordinary request may take. */
  bodyMs: number;
  /** How long an upload, or a client reading a response, may be slower than `leastRate`. */
  slowMs: number;
  /** Bytes a second: of what moves at all, and of an upload as a whole. */
  leastRate: number;
  leastUploadRate: number;
  /** How often connections are checked. */
  tickMs: number;
}

export const BOUNDS: Omit<ConnectionBounds, 'perAddress' | 'trusted'> = {
  bodyMs: 60_000,
  slowMs: 30_000,
  leastRate: 1024,
  leastUploadRate: 16 * 1024,
  tickMs: 5_000,
};

/** Marks a request whose body is a file of at most `bytes`: it may take as long as such a file needs. */
const uploads = new WeakMap<IncomingMessage, number>();
export const isUpload = (request: IncomingMessage, bytes: number): void => {
  uploads.set(request, bytes);
};

interface Watched {
  address: string;
  request?: IncomingMessage;
  /** When the request's headers arrived. */
  since: number;
  /** What had been read and sent when it was last fast enough, and when that was. */
  read: number;
  readAt: number;
  sent: number;
  sentAt: number;
}

/**
 * Ends connections that occupy the server without using it: bodies that trickle in, clients that hardly read, and more
 * from one address than one needs. Headers have their own limit (Node's `headersTimeout`).
 */
export function boundConnections(server: Server, bounds: ConnectionBounds): void {
  const watched = new Map<Socket, Watched>();
  const counts = new Map<string, number>();
  const isTrusted = trust(bounds.trusted);

  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    const count = counts.get(address) ?? 0;
    if (bounds.perAddress > 0 && count >= bounds.perAddress && !isTrusted(address)) {
      socket.destroy();
      return;
    }
    counts.set(address, count + 1);
    const now = performance.now();
    watched.set(socket, { address, since: now, read: 0, readAt: now, sent: 0, sentAt: now });
    socket.once('close', () => {
      watched.delete(socket);
      const left = (counts.get(address) ?? 1) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
  });
  server.on('request', (request: IncomingMessage) => {
    const one = watched.get(request.socket as Socket);
    if (!one) return;
    const now = performance.now();
    Object.assign(one, { request, since: now, read: request.socket.bytesRead, readAt: now });
  });

  const timer = setInterval(() => {
    const now = performance.now();
    for (const [socket, one] of watched) {
      const { request } = one;
      const isComing = request && !request.complete && !request.destroyed;
      const bytes = request && uploads.get(request);
      const mostMs = Math.max(bounds.bodyMs, ((bytes ?? 0) / bounds.leastUploadRate) * 1000);
      if (isComing && now - one.since > mostMs) socket.destroy();
      else if (isComing && bytes !== undefined) {
        // Data that has arrived but has not been read yet is our own slowness.
        if (socket.bytesRead - one.read >= (bounds.leastRate * (now - one.readAt)) / 1000) {
          one.read = socket.bytesRead;
          one.readAt = now;
        } else if (now - one.readAt > bounds.slowMs && request.readableLength === 0) socket.destroy();
      }
      // Only data that has left the buffer counts as sent.
      const sent = socket.bytesWritten - socket.writableLength;
      const isWaiting = socket.writableLength > 0;
      if (!isWaiting || sent - one.sent >= (bounds.leastRate * (now - one.sentAt)) / 1000) {
        one.sent = sent;
        one.sentAt = now;
      } else if (now - one.sentAt > bounds.slowMs) socket.destroy();
    }
  }, bounds.tickMs);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

/** Returns an address without the form that a dual-stack socket gives IPv4. */
const plainAddress = (address: string): string => address.replace(/^::ffff:/, '').split('%')[0]!;

/**
 * Returns a check of whether an address is this machine's or one of those named: addresses, networks, or names of
 * ranges.
 */
function trust(named: readonly string[]): (address: string) => boolean {
  const ranges = new Map([
    ['loopback', ['loopback']],
    ['linklocal', ['linkLocal']],
    ['uniquelocal', ['private', 'uniqueLocal']],
  ]);
  const kinds = new Set(['loopback', ...named.flatMap((name) => ranges.get(name) ?? [])]);
  const networks = named.flatMap((name) => {
    if (ipaddr.isValidCIDR(name)) return [ipaddr.parseCIDR(name)];
    if (!ipaddr.isValid(name)) return [];
    const one = ipaddr.process(name);
    return [[one, one.kind() === 'ipv4' ? 32 : 128] as [typeof one, number]];
  });
  return (address) => {
    if (!ipaddr.isValid(address)) return true;
    const one = ipaddr.process(address);
    return (
      kinds.has(one.range()) ||
      networks.some(([network, bits]) => network.kind() === one.kind() && one.match(network as never, bits))
    );
  };
}
