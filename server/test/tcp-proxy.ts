import { connect, createServer, type Socket } from 'node:net';

/** A network between a program and its database that can be cut. */
export async function startTcpProxy(target: string) {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  let state: 'whole' | 'cut' | 'silent' = 'whole';
  const server = createServer((inner) => {
    if (state === 'cut') {
      inner.destroy();
      return;
    }
    const outer = connect(Number(targetPort), hostname);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => state === 'silent' || to.write(chunk));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const through = (url: string): string => {
    const changed = new URL(url);
    changed.searchParams.delete('host');
    changed.host = `127.0.0.1:${port}`;
    return changed.href;
  };
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    /** The same address, through this network. */
    through,
    /** Connections break, and new ones are refused. */
    cut(): void {
      state = 'cut';
      drop();
    },
    /** Nothing arrives any more, and no one is told. */
    silence(): void {
      state = 'silent';
    },
    mend(): void {
      if (state === 'silent') drop();
      state = 'whole';
    },
    async close(): Promise<void> {
      drop();
      await new Promise((done) => server.close(done));
    },
  };
}
