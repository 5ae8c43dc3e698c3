import { createServer, type Server } from 'node:http';

/** Whether the text is a host name that a TLS client may ask for; nothing else is looked up. */
function isName(text: string): boolean {
  const labels = text.split('.');
  const last = labels.pop()!;
  return (
    text.length <= 253 &&
    /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(last) &&
    labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))
  );
}

/**
 * Starts the listener that a reverse proxy asks before it requests a certificate (Caddy's on_demand_tls `ask`): GET
 * /ask?domain= responds 200 for a host that we serve, 404 for any other, 503 if we cannot tell. It is a separate
 * listener because on the public port every request that the local proxy forwards also comes from loopback.
 */
export async function startAsk(
  port: number,
  serves: (host: string) => Promise<boolean>,
): Promise<{ port: number; close: () => Promise<void> }> {
  const server: Server = createServer((request, response) => {
    const answer = (status: number): void => {
      response.writeHead(status, { 'Content-Length': 0, 'Cache-Control': 'no-store' }).end();
    };
    const url = URL.parse(request.url ?? '', 'http://ask');
    if (request.method !== 'GET' || url?.pathname !== '/ask') return answer(404);
    const domain = (url.searchParams.get('domain') ?? '').toLowerCase();
    if (!isName(domain)) return answer(404);
    serves(domain).then(
      (yes) => answer(yes ? 200 : 404),
      () => answer(503),
    );
  });
  server.headersTimeout = 5_000;
  server.requestTimeout = 5_000;
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', done);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
