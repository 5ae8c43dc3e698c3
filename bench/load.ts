import { connect, type Socket } from 'node:net';

/** The results of a load run. */
export interface Fired {
  /** Responses with 204. */
  ok: number;
  /** Other answers by status. */
  others: Record<number, number>;
  perSecond: number;
  /** How long it took, seconds. */
  elapsed: number;
  p50: number;
  p99: number;
}

/** The variable part of a request: its body and additional header lines (each ended by CRLF). */
export interface Shot {
  body: string;
  headers?: string;
}

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36';

/**
 * Posts to one path over kept-alive connections, each waiting for its response before it sends again, for `seconds` or
 * until `next` has no more. Uses bare sockets because a client library's own work would load the machine that is
 * measured; both sides of a ratio are driven by this same code.
 */
export async function fire(given: {
  port: number;
  path: string;
  type: string;
  connections?: number;
  seconds?: number;
  userAgent?: string | undefined;
  next: () => Shot | undefined;
}): Promise<Fired> {
  const { port, path, type, connections = 64, seconds = Number.POSITIVE_INFINITY, next } = given;
  const agent = given.userAgent === undefined ? `User-Agent: ${BROWSER}\r\n` : given.userAgent;
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${agent}Content-Type: ${type}\r\nAccept: */*\r\n`;
  const began = performance.now();
  const until = began + seconds * 1000;
  const others: Record<number, number> = {};
  const took: number[] = [];
  let ok = 0;

  const run = (socket: Socket): Promise<void> =>
    new Promise((done, fail) => {
      let sent = 0;
      let answer = '';
      const send = (): void => {
        const shot = performance.now() < until ? next() : undefined;
        if (!shot) {
          socket.end();
          return;
        }
        sent = performance.now();
        const length = Buffer.byteLength(shot.body);
        socket.write(`${head}${shot.headers ?? ''}Content-Length: ${length}\r\n\r\n${shot.body}`);
      };
      socket.setNoDelay(true).setEncoding('latin1');
      socket.on('data', (chunk) => {
        answer += chunk;
        const end = answer.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1] ?? 0);
        if (answer.length < end + 4 + length) return;
        const status = Number(answer.slice(9, 12));
        if (status === 204) ok++;
        else others[status] = (others[status] ?? 0) + 1;
        took.push(performance.now() - sent);
        answer = '';
        send();
      });
      socket.on('error', fail);
      socket.on('close', () => done());
      socket.on('connect', send);
    });
  await Promise.all(Array.from({ length: connections }, () => run(connect(port, '127.0.0.1'))));
  const elapsed = (performance.now() - began) / 1000;
  took.sort((a, b) => a - b);
  const at = (part: number): number => took[Math.floor(took.length * part)] ?? 0;
  return { ok, others, elapsed, perSecond: ok / elapsed, p50: at(0.5), p99: at(0.99) };
}
