import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that People Data Labs' server received, and its key. */
export interface PdlAsked {
  key: string | undefined;
  body: Record<string, unknown>;
}

/**
 * A server that implements People Data Labs' person enrichment: 401 for another key, 404 if it knows no one with the
 * email address, 200 with what it knows. `faults` come first, in order.
 */
export async function startPdlServer(key: string) {
  const asked: PdlAsked[] = [];
  const people = new Map<string, Record<string, unknown>>();
  const faults: ((reply: ServerResponse) => void)[] = [];
  const server = createServer((request, reply) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString() || '{}') as Record<string, unknown>;
      const given = request.headers['x-api-key'];
      asked.push({ key: String(given), body });
      const fault = faults.shift();
      if (fault) return fault(reply);
      const send = (status: number, content: object) =>
        reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
      if (request.method !== 'POST' || request.url !== '/v5/person/enrich')
        return send(405, { status: 405, error: { type: 'method_not_allowed', message: 'no' } });
      if (given !== key)
        return send(401, { status: 401, error: { type: 'authentication_error', message: 'no' } });
      const person = people.get(String(body.email));
      if (!person)
        return send(404, {
          status: 404,
          error: { type: 'not_found', message: 'No records were found matching your request' },
        });
      send(200, { status: 200, likelihood: 9, data: person });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    people,
    faults,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
