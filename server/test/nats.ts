import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './faults/harness.ts';
import { freePorts } from './postgres.ts';

const program = process.env.NATS_SERVER_PATH ?? '/usr/sbin/nats-server';
/** Whether there is a NATS server on this machine; if not, what needs it is skipped, and said to be. */
export const hasNats = spawnSync(program, ['--version']).status === 0;
if (!hasNats)
  console.warn(
    `SKIPPED: the visit log on JetStream, since there is no NATS server at ${program} (Debian: apt-get install nats-server).`,
  );

/** Starts a cluster of three servers with JetStream, each of which can be killed and started again. */
export async function startNats() {
  const folder = mkdtempSync(join(tmpdir(), 'lead-nats-'));
  const ports = await freePorts(9);
  const nodes = [0, 1, 2].map((i) => ({ client: ports[i]!, cluster: ports[i + 3]!, monitor: ports[i + 6]! }));
  const running = new Map<number, { child: ChildProcess; ended: Promise<unknown> }>();
  const start = (i: number): void => {
    const { client, cluster, monitor } = nodes[i]!;
    const child = spawn(
      program,
      [
        ...[
          '-a',
          '127.0.0.1',
          '-p',
          String(client),
          '-m',
          String(monitor),
          '-js',
          '-sd',
          join(folder, String(i)),
        ],
        ...['-n', `node${i}`, '-cluster_name', 'test', '-cluster', `nats://127.0.0.1:${cluster}`],
        ...['-routes', nodes.map((one) => `nats://127.0.0.1:${one.cluster}`).join(',')],
      ],
      { stdio: 'ignore' },
    );
    running.set(i, { child, ended: new Promise((done) => child.once('exit', done)) });
  };
  const kill = async (i: number): Promise<void> => {
    const one = running.get(i);
    running.delete(i);
    one?.child.kill('SIGKILL');
    await one?.ended;
  };
  for (const i of nodes.keys()) start(i);
  const isReady = (monitor: number) =>
    fetch(`http://127.0.0.1:${monitor}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    );
  /** Waits until all servers run and have what they should have. */
  const ready = (): Promise<void> =>
    until('the NATS servers', async () =>
      (await Promise.all(nodes.map(({ monitor }) => isReady(monitor)))).every(Boolean),
    );
  await ready();
  return {
    servers: nodes.map(({ client }) => `127.0.0.1:${client}`),
    monitors: nodes.map(({ monitor }) => `http://127.0.0.1:${monitor}`),
    kill,
    start,
    ready,
    async close(): Promise<void> {
      for (const i of nodes.keys()) await kill(i);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
