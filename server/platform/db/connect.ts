import { createHash, hkdfSync } from 'node:crypto';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { connectionOf, throughPooler } from './hosts.ts';
import { KeepingClient } from './keeping-client.ts';
import { isGranted, meet, whoIs } from './rights.ts';
import type { Schema } from './schema.ts';
import type { Db } from './scope.ts';

// bigint columns hold money and counts: never a float. Dates stay 'YYYY-MM-DD'.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

/** The application's database access. */
export interface Database {
  /** With the rights of lead_app, under row level security; every tenant table needs a scope (scope.ts). */
  app: Db;
  /** The same connections, for COPY and other things that Kysely does not support. */
  appPool: pg.Pool;
  /** As lead_ingest, which can only add to the visit log. */
  ingestPool: pg.Pool;
  close(): Promise<void>;
}

/** Throws an error that names the setting and the cause if `url` cannot be connected to. */
export async function tryDatabase(url: string): Promise<void> {
  const client = new pg.Client({ ...connectionOf(url), connectionTimeoutMillis: 15_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
  } catch (error) {
    throw new Error(`DATABASE_URL: cannot connect (${(error as Error).message})`, { cause: error });
  }
}

/** Creates a database on the server at `adminUrl` unless it exists, and returns its connection string. */
export async function ensureDatabase(adminUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const known = await client.query('select from pg_database where datname = $1', [name]);
    if (!known.rowCount) await client.query(`create database ${pg.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** The login of one kind: its name, password, and connection string, all derived from the application key. */
function loginOf(adminUrl: string, appKey: Buffer, kind: 'app' | 'ingest') {
  const tag = createHash('sha256').update(appKey).digest('hex').slice(0, 8);
  const login = `lead_${kind}_${tag}`;
  const password = Buffer.from(hkdfSync('sha256', appKey, '', `database login ${kind}`, 24)).toString(
    'base64url',
  );
  const url = new URL(adminUrl);
  url.username = login;
  url.password = password;
  return { login, password, url: url.href };
}

/** The connection strings of both logins, for a start while the database is away: they were made earlier. */
export const loginUrls = (adminUrl: string, appKey: Buffer): { appUrl: string; ingestUrl: string } => ({
  appUrl: loginOf(adminUrl, appKey, 'app').url,
  ingestUrl: loginOf(adminUrl, appKey, 'ingest').url,
});

/**
 * Creates the two login roles of this installation, or fixes what is wrong with them, and returns their connection
 * strings. Their names and passwords are derived from the application key, so that nothing else needs to be stored and
 * several installations can share a cluster. They own nothing and cannot bypass row-level security.
 * @param isPooled whether they connect through a pooler, which does not pass on time limits; the logins then have them
 * @throws MissingRights
 */
export async function provisionLogins(
  adminUrl: string,
  appKey: Buffer,
  isPooled = false,
): Promise<{ appUrl: string; ingestUrl: string }> {
  const client = new pg.Client(connectionOf(adminUrl));
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtext('lead_migrate'))`);
    const me = await whoIs(client);
    for (const kind of ['app', 'ingest'] as const) {
      const { login, password, url } = loginOf(adminUrl, appKey, kind);
      const is = (what: string) => `select ${what} from pg_roles where rolname = '${login}'`;
      await meet(client, [
        {
          fits: `select exists (${is('')})`,
          sql: `create role ${login} login password '${password}'`,
          byAdministrator: `alter role ${me.role} createrole`,
        },
        // Only a superuser may even mention some of these, so each is included only if it is wrong.
        ...[
          ['rolcanlogin', 'login'],
          ['rolinherit', 'inherit'],
          ['not rolcreatedb', 'nocreatedb'],
          ['not rolcreaterole', 'nocreaterole'],
          ['not rolbypassrls', 'nobypassrls'],
          ['not rolsuper', 'nosuperuser'],
        ].map(([fits, attribute]) => ({ fits: is(fits!), sql: `alter role ${login} ${attribute}` })),
        { fits: isGranted(`lead_${kind}`, login), sql: `grant lead_${kind} to ${login}` },
        // Lets the login switch to one of them for the duration of a transaction (scope.ts).
        ...(kind === 'app' ? ['lead_root', 'lead_agency', 'lead_client'] : []).map((role) => ({
          fits: isGranted(role, login),
          sql: `grant ${role} to ${login}`,
        })),
      ]);
      if (!(await opens(url)))
        await meet(client, [
          {
            sql: `alter role ${login} password '${password}'`,
            byAdministrator: `grant ${login} to ${me.role} with admin option`,
          },
        ]);
      if (isPooled) await limitLogin(url, login);
    }
    return loginUrls(adminUrl, appKey);
  } finally {
    await client.end();
  }
}

/** How long a statement may take, and a transaction wait for its next one: whoever asked is long gone. */
const LIMITS = { statement_timeout: 60_000, idle_in_transaction_session_timeout: 60_000 };

/** Gives a login the time limits as its own defaults, which it may change itself. */
async function limitLogin(url: string, login: string): Promise<void> {
  const client = new pg.Client(connectionOf(url));
  await client.connect();
  try {
    for (const [name, limit] of Object.entries(LIMITS)) {
      const known = await client.query(`select current_setting($1)::interval = $2::interval as fits`, [
        name,
        `${limit} ms`,
      ]);
      if (!known.rows[0].fits) await client.query(`alter role ${login} set ${name} = ${limit}`);
    }
  } finally {
    await client.end();
  }
}

/** Returns whether the login's password is right. Other connection problems show up when it is used. */
async function opens(url: string): Promise<boolean> {
  const client = new pg.Client({ ...connectionOf(url), connectionTimeoutMillis: 15_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== '28P01';
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Opens the pools.
 * @param poolSize the number of connections of the application's pool
 * @param pooler host:port of a PgBouncer in transaction mode that they connect to instead of the database
 */
export function openDatabase(
  urls: { appUrl: string; ingestUrl: string },
  poolSize = 16,
  pooler?: string,
): Database {
  const settings = {
    // A process that has much to do as it starts may not look for seconds at an answer that has long arrived.
    connectionTimeoutMillis: 15_000,
    keepAlive: true,
    // A pooler refuses connections that ask for them.
    ...(pooler ? { isPooled: true } : LIMITS),
  };
  const addressOf = (url: string) =>
    pooler ? { connectionString: throughPooler(url, pooler) } : connectionOf(url);
  const appPool = new pg.Pool({
    ...addressOf(urls.appUrl),
    max: poolSize,
    Client: KeepingClient as never,
    onConnect: (client) => (client as KeepingClient).prepareScopes(),
    ...settings,
  });
  // A visit's INSERT takes milliseconds. If there is no response (a dead connection that was not noticed), it is
  // abandoned; the visitor sends it again, with the same id.
  const ingestPool = new pg.Pool({
    ...addressOf(urls.ingestUrl),
    max: 4,
    query_timeout: 15_000,
    ...settings,
  });
  // The pool drops a connection that breaks, and the query running on it fails. Without a listener, the additional
  // events would end the process: the pool's own if the connection was idle, the client's between two queries of a
  // transaction.
  for (const pool of [appPool, ingestPool]) {
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
  }
  const app = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: appPool }) });
  return {
    app,
    appPool,
    ingestPool,
    async close() {
      await app.destroy();
      await ingestPool.end();
    },
  };
}
