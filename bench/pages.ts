import { Agent, request } from 'node:http';
import type pg from 'pg';

/** Tables with more rows than this are never read from end to end. */
const LARGE = 2000;

/** How often each large table has been read from end to end. */
export async function scans(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query(
    'select relname, seq_scan from pg_stat_user_tables where n_live_tup > $1',
    [LARGE],
  );
  return new Map(rows.map((row) => [row.relname, Number(row.seq_scan)]));
}

/** Calls over one kept-alive connection. */
export function caller(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const call = (
    host: string,
    method: string,
    path: string,
    body?: unknown,
    token?: string,
  ): Promise<Record<string, unknown>> =>
    new Promise((done, fail) => {
      const headers = {
        host,
        'user-agent': 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
      };
      const asked = request(
        { agent, port, host: '127.0.0.1', method, path: `/api/${path}`, headers },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (part) => {
            text += part;
          });
          answer.on('end', () =>
            answer.statusCode === 200
              ? done(JSON.parse(text))
              : fail(new Error(`${method} ${path}: ${answer.statusCode} ${text}`)),
          );
        },
      );
      asked.on('error', fail);
      asked.end(body && JSON.stringify(body));
    });
  return call;
}
