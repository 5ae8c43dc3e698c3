import { Socket } from 'node:net';
import pg from 'pg';

/** Where the connection string keeps the hosts after the first, so that it stays a URL that everything can read. */
const OTHERS = 'other_hosts';
const PROBE_MS = 3_000;
/** How often the hosts are asked again while there are connections. */
const WATCH_MS = 2_000;
/** How long after the first host that accepts writes the others may still say that they do, too. */
const OTHERS_MS = 500;

interface Host {
  hostname: string;
  port: number;
}

const nameOf = ({ hostname, port }: Host): string => `${hostname}:${port}`;

/**
 * Reads a connection string that may name several hosts, as libpq writes it:
 * `postgres://user:password@db1:5432,db2:5432/lead`. Returns a URL that has the first, with the others in a parameter of
 * ours.
 * @throws Error if it is not such a URL
 */
export function parseDatabaseUrl(text: string): string {
  const [, before = '', hosts = '', after = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^@/?#]{0,500}@)?)([^/?#@]{1,2000})(.{0,2000})$/s.exec(text) ?? [];
  const urls = hosts.split(',').map((host) => new URL(`${before}${host}${after}`));
  const [first, ...others] = urls;
  if (!first?.hostname || others.some(({ hostname }) => !hostname)) throw new Error('must name a host');
  if (others.length > 0) first.searchParams.set(OTHERS, others.map(({ host }) => host).join(','));
  return first.href;
}

/** What pg needs to connect to `url`: with several hosts, each connection goes to the one that accepts writes. */
export function connectionOf(url: string): { connectionString: string; stream?: () => Socket } {
  const one = new URL(url);
  const others = one.searchParams.get(OTHERS);
  if (!others) return { connectionString: url };
  one.searchParams.delete(OTHERS);
  const hosts = [one.host, ...others.split(',')].map((host): Host => {
    const { hostname, port } = new URL(`postgres://${host}`);
    return { hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432) };
  });
  const finder = finderOf(one.href, hosts);
  return { connectionString: one.href, stream: () => new FindingSocket(finder) };
}

/** The same database and login by way of a pooler (host:port), which knows where the database is. */
export function throughPooler(url: string, pooler: string): string {
  const changed = new URL(url);
  for (const name of [OTHERS, 'host']) changed.searchParams.delete(name);
  changed.host = pooler;
  return changed.href;
}

const finders = new Map<string, Finder>();

function finderOf(url: string, hosts: Host[]): Finder {
  const key = `${url} ${hosts.map(nameOf).join(',')}`;
  const known = finders.get(key) ?? new Finder(url, hosts);
  finders.set(key, known);
  return known;
}

/** Knows which of several hosts accepts writes. While there are connections, it looks again every few seconds. */
class Finder {
  readonly #url: string;
  readonly #hosts: Host[];
  readonly #open = new Map<FindingSocket, string>();
  #asking: Promise<Host> | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(url: string, hosts: Host[]) {
    this.#url = url;
    this.#hosts = hosts;
  }

  /** The host that accepts writes now. @throws Error if there is none */
  find(): Promise<Host> {
    this.#asking ??= this.#askTwice().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Remembers a connection until it closes, to break it if its host no longer accepts writes. */
  keep(socket: FindingSocket, host: Host): void {
    this.#open.set(socket, nameOf(host));
    this.#watch ??= setInterval(() => void this.#look(), WATCH_MS).unref();
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#open.size > 0) return;
      clearInterval(this.#watch);
      this.#watch = undefined;
    });
  }

  /**
   * A host that no longer answers, or is now a standby, would otherwise keep its connections: TCP notices only after
   * minutes that a machine has gone, and a standby goes on reading. If no host accepts writes, connections stay as they
   * are: it may be the network between us and all of them.
   */
  async #look(): Promise<void> {
    const host = await this.find().catch(() => undefined);
    if (!host) return;
    for (const [socket, name] of this.#open)
      if (name !== nameOf(host))
        socket.destroy(broken(`${name} no longer accepts writes; ${nameOf(host)} does`));
  }

  /** A process that has much to do, as when it starts, may not look in time at an answer that has long arrived. */
  async #askTwice(): Promise<Host> {
    const began = performance.now();
    try {
      return await this.#ask();
    } catch (error) {
      if (performance.now() - began < PROBE_MS) throw error;
      return await this.#ask();
    }
  }

  /** Of hosts that accept writes, the one with the newest timeline is right: the other was cut off and has come back. */
  async #ask(): Promise<Host> {
    const accepting: { host: Host; timeline: string }[] = [];
    const faults: string[] = [];
    await new Promise<void>((done) => {
      let waiting = this.#hosts.length;
      const answered = () => {
        waiting -= 1;
        if (waiting === 0) done();
        else if (accepting.length === 1) setTimeout(done, OTHERS_MS).unref();
      };
      for (const host of this.#hosts)
        void timelineOf(this.#url, host)
          .then((timeline) => {
            if (timeline) accepting.push({ host, timeline });
            else faults.push(`${nameOf(host)} is a standby`);
          })
          .catch((error: Error) => faults.push(`${nameOf(host)}: ${error.message}`))
          .finally(answered);
    });
    const [newest] = accepting.sort((a, b) => (a.timeline < b.timeline ? 1 : -1));
    if (newest) return newest.host;
    throw broken(`No database host accepts writes: ${faults.join('; ')}`);
  }
}

/** The timeline that a host writes, as 8 hexadecimal digits; null if it is a standby. */
async function timelineOf(url: string, { hostname, port }: Host): Promise<string | null> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
    stream: () => new SocketTo(hostname, port),
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(
      `select case when not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off'
         then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`,
    );
    return rows[0].timeline;
  } finally {
    // Not waited for: a host that has stopped answering does not answer this, either.
    void client.end().catch(() => {});
  }
}

const broken = (message: string): Error => Object.assign(new Error(message), { code: 'ECONNREFUSED' });

/** A connection to a host of its own, whatever address pg asks for. */
class SocketTo extends Socket {
  readonly #hostname: string;
  readonly #port: number;

  constructor(hostname: string, port: number) {
    super();
    this.#hostname = hostname;
    this.#port = port;
  }

  override connect(): this {
    return super.connect(this.#port, this.#hostname);
  }
}

/** A connection to whichever host accepts writes, whatever address pg asks for. */
class FindingSocket extends Socket {
  readonly #finder: Finder;

  constructor(finder: Finder) {
    super();
    this.#finder = finder;
  }

  override connect(): this {
    this.#finder.find().then(
      (host) => {
        if (this.destroyed) return;
        super.connect(host.port, host.hostname);
        this.#finder.keep(this, host);
      },
      (error: Error) => this.destroy(error),
    );
    return this;
  }
}
