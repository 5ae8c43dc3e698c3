import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './faults/harness.ts';
import { freePorts, postgres15, postgresUser } from './postgres.ts';

const programs = {
  'etcd-server': process.env.ETCD_PATH ?? '/usr/bin/etcd',
  patroni: process.env.PATRONI_PATH ?? '/usr/bin/patroni',
  haproxy: process.env.HAPROXY_PATH ?? '/usr/sbin/haproxy',
};
const missing = [
  ...Object.entries(programs).flatMap(([name, path]) => (existsSync(path) ? [] : [name])),
  ...(postgres15 ? [] : ['postgresql-15']),
];
/** Whether everything that ops/hosts is made for is on this machine; if not, what needs it is skipped, and said to be. */
export const hasHosts = missing.length === 0;
if (!hasHosts)
  console.warn(
    `SKIPPED: the example of many hosts (ops/hosts), since there is no ${missing.join(', ')} (Debian: apt-get install ${missing.join(' ')}).`,
  );

const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../ops/hosts', name), 'utf8');
const settingsIn = (text: string): [string, string][] =>
  text.split('\n').flatMap((line) => {
    const [, name, value] = /^([A-Z0-9_]+)=(.*)$/.exec(line) ?? [];
    return name ? [[name, value!]] : [];
  });

/** The hosts of the example, and what listens on them. */
const PORTS = {
  db1: { database: 5432, manager: 8008, etcd: 2379, peers: 2380 },
  db2: { database: 5432, manager: 8008, etcd: 2379, peers: 2380 },
  app1: { web: 8010, ingest: 8020, etcd: 2379, peers: 2380 },
  app2: { web: 8010, ingest: 8020 },
} as const;
/** A database host as its manager sees it. */
interface Member {
  name: DatabaseHost;
  role: string;
  state: string;
}

/** How long anything may take on a busy machine, in seconds. */
export const PATIENCE = 240;
type DatabaseHost = 'db1' | 'db2';
export type AppHost = 'app1' | 'app2';

/**
 * Runs what ops/hosts configures, with its files as they are, except for the addresses, paths, and users of this machine:
 * etcd on three hosts, Patroni with PostgreSQL on two, and HAProxy. The platform's own processes are the caller's.
 */
export async function startHosts() {
  const folder = mkdtempSync(join(tmpdir(), 'lead-hosts-'));
  const user = postgresUser();
  const own = (path: string): string => {
    if (user.uid !== undefined) chownSync(path, user.uid, user.gid!);
    return path;
  };
  own(folder);

  const wanted = Object.entries(PORTS).flatMap(([host, ports]) =>
    Object.entries(ports).map(([what, port]) => ({ host, what, port })),
  );
  const free = await freePorts(wanted.length + 3);
  const places = wanted.map((one, i) => ({ ...one, here: free[i]! }));
  const [front, database, state] = free.slice(-3) as [number, number, number];
  const portOf = (host: string, what: string): number =>
    places.find((one) => one.host === host && one.what === what)!.here;
  /** Puts addresses of this machine in the place of the example's. */
  const here = (text: string): string => {
    const filled = places.reduce(
      (done, { host, port, here: to }) => done.replaceAll(`${host}.internal:${port}`, `127.0.0.1:${to}`),
      text,
    );
    if (filled.includes('.internal')) throw new Error(`There is an unknown address in:\n${filled}`);
    return filled;
  };

  const running = new Map<string, { child: ChildProcess; ended: Promise<unknown>; said: () => string }>();
  const asUser =
    user.uid === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  /** Starts a program as PostgreSQL's user, and so that it ends with this process. */
  const start = (name: string, program: string, args: string[], env: Record<string, string>): void => {
    const child = spawn('setpriv', [...asUser, '--pdeathsig=TERM', program, ...args], {
      env: { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: folder, ...env },
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk) => {
        said = (said + chunk).slice(-20_000);
      });
    running.set(name, { child, ended: once(child, 'exit'), said: () => said });
  };
  const kill = async (name: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    const one = running.get(name);
    running.delete(name);
    one?.child.kill(signal);
    await one?.ended;
  };

  const startEtcd = (host: string): void => {
    const settings = settingsIn(read('etcd.env')).map(([name, value]): [string, string] => {
      const ofHost = name === 'ETCD_INITIAL_CLUSTER' ? value : value.replaceAll('db1', host);
      const listening = ofHost.replace(/0\.0\.0\.0:(\d+)$/, `${host}.internal:$1`);
      return [name, here(listening)];
    });
    start(`etcd ${host}`, programs['etcd-server'], ['--log-level=error'], {
      ...Object.fromEntries(settings),
      ETCD_DATA_DIR: join(folder, `etcd-${host}`),
    });
  };

  const unit = read('patroni.service.conf');
  const password = 'hosts';
  const dataOf = (host: DatabaseHost): string => join(folder, host);
  /** What systemd does before it starts Patroni. */
  const beforePatroni = (host: DatabaseHost): void => {
    const [, command] = /^ExecStartPre=-(.+)$/m.exec(unit)!;
    const [program, ...args] = command!
      .replace('/usr/lib/postgresql/15/bin', postgres15!)
      .replace(/\$\{\w+\}/, () => dataOf(host))
      .split(' ');
    spawnSync('setpriv', [...asUser, program!, ...args]);
  };
  const startPatroni = (host: DatabaseHost): void => {
    beforePatroni(host);
    const settings = settingsIn(read('patroni.env')).map(([name, value]): [string, string] => {
      if (name.endsWith('_PASSWORD')) return [name, password];
      const ofHost = name === 'PATRONI_ETCD3_HOSTS' ? value : value.replaceAll('db1', host);
      return [name, here(ofHost.replace(/(?:0\.0\.0\.0|\*):(\d+)$/, `${host}.internal:$1`))];
    });
    start(`patroni ${host}`, programs.patroni, [join(folder, 'patroni.yml')], {
      ...Object.fromEntries(settings),
      PATRONI_POSTGRESQL_DATA_DIR: dataOf(host),
    });
  };
  const postmaster = (host: DatabaseHost): number | undefined => {
    const file = join(dataOf(host), 'postmaster.pid');
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) || undefined : undefined;
  };
  const killPostgres = (host: DatabaseHost): void => {
    const pid = postmaster(host);
    if (pid)
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
  };

  /** The cluster as its managers see it: who leads, and whether the other host has every commit. */
  async function cluster(): Promise<{ leader?: DatabaseHost; standby?: DatabaseHost }> {
    for (const host of ['db1', 'db2'] as const) {
      const answer = await fetch(`http://127.0.0.1:${portOf(host, 'manager')}/cluster`, {
        signal: AbortSignal.timeout(5_000),
      })
        .then((one) => one.json() as Promise<{ members: Member[] }>)
        .catch(() => undefined);
      if (!answer) continue;
      const named = (role: string) =>
        answer.members.find((one) => one.role === role && /running|streaming/.test(one.state))?.name;
      const [leader, standby] = [named('leader'), named('sync_standby')];
      return { ...(leader ? { leader } : {}), ...(standby ? { standby } : {}) };
    }
    return {};
  }

  const settings = read('patroni.yml')
    .replace('/usr/lib/postgresql/15/bin', postgres15!)
    .replace('/var/run/postgresql', folder);
  writeFileSync(join(folder, 'patroni.yml'), settings);
  const proxy = read('haproxy.cfg')
    .replace(/^\t(?:log \/dev\/log|user|group|chroot) .*\n/gm, '')
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${front}`)
    .replaceAll('127.0.0.1:5432', `127.0.0.1:${database}`)
    .replaceAll('127.0.0.1:8404', `127.0.0.1:${state}`)
    .replace(
      /(db\d)(\.internal:\d+ check port) 8008/g,
      (_all, host, rest) => `${host}${rest} ${portOf(host, 'manager')}`,
    );
  writeFileSync(join(folder, 'haproxy.cfg'), here(proxy));

  for (const host of ['db1', 'db2', 'app1']) startEtcd(host);
  startPatroni('db1');
  startPatroni('db2');
  start('haproxy', programs.haproxy, ['-f', join(folder, 'haproxy.cfg')], {});
  const said = (): string => [...running].map(([name, one]) => `${name}:\n${one.said()}`).join('\n');
  const ready = (): Promise<void> =>
    until(
      'a primary with a synchronous standby',
      async () => {
        const { leader, standby } = await cluster();
        return leader !== undefined && standby !== undefined;
      },
      PATIENCE,
    ).catch((error) => {
      throw new Error(`${error.message}\n${said()}`);
    });

  const hosts = `127.0.0.1:${portOf('db1', 'database')},127.0.0.1:${portOf('db2', 'database')}`;
  return {
    folder,
    cluster,
    /** Waits until there are a primary and a standby that has every commit of it. */
    ready,
    said,
    /** Waits until HAProxy sends requests of a role to these hosts, and to no others. */
    serving: (role: 'web' | 'ingest', hosts: AppHost[]): Promise<void> =>
      until(
        `HAProxy to use ${role} of ${hosts.join(', ')}`,
        async () => {
          const table = await fetch(`http://127.0.0.1:${state}/;csv`).then(
            (answer) => answer.text(),
            () => '',
          );
          const up = table.split('\n').flatMap((line) => {
            const [backend, server, ...rest] = line.split(',');
            return backend === role && server?.startsWith('app') && rest.includes('UP') ? [server] : [];
          });
          return up.toSorted().join() === hosts.join();
        },
        PATIENCE,
      ),
    /** The port that callers use, instead of that of a process. */
    front,
    /** The port of a process of a role on a host. */
    portOf: (host: AppHost, role: 'web' | 'ingest') => portOf(host, role),
    /** The superuser's address, by both hosts, or by HAProxy's. */
    url: (name: string, by: 'hosts' | 'proxy' = 'hosts', login = `postgres:${password}`): string =>
      `postgres://${login}@${by === 'hosts' ? hosts : `127.0.0.1:${database}`}/${name}`,
    /** kill -9 of PostgreSQL alone. */
    killPostgres,
    /** kill -9 of the manager alone: PostgreSQL goes on. */
    killManager: (host: DatabaseHost) => kill(`patroni ${host}`),
    /** kill -9 of everything on a host. */
    async killHost(host: DatabaseHost): Promise<void> {
      const manager = kill(`patroni ${host}`);
      killPostgres(host);
      await Promise.all([manager, kill(`etcd ${host}`)]);
    },
    /** Starts what does not run on a host. */
    startHost(host: DatabaseHost): void {
      if (!running.has(`etcd ${host}`)) startEtcd(host);
      if (!running.has(`patroni ${host}`)) startPatroni(host);
    },
    async close(): Promise<void> {
      await Promise.all(['db1', 'db2'].map((host) => kill(`patroni ${host}`)));
      killPostgres('db1');
      killPostgres('db2');
      await Promise.all([...running.keys()].map((name) => kill(name)));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
