import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { type AppParts, createApp } from '../app.ts';
import { ManualClock } from '../platform/clock.ts';
import { type Config, loadConfig } from '../platform/config.ts';
import { type Database, provisionLogins } from '../platform/db/connect.ts';
import { createTestDatabase } from './database.ts';
import { createFactories } from './factories.ts';

/** The password of every user that a test makes with `signIn`. */
export const PASSWORD = 'correct horse battery';

const appKey = Buffer.alloc(32, 7);

/**
 * Lists where code inside a transaction asks for another connection: if as many do so at once as there are connections,
 * they lock everyone out of the database until they give up.
 */
function watchConnections({ app, appPool }: Database) {
  const greedy: string[] = [];
  const holding = new AsyncLocalStorage<{ begun: string; isOpen: boolean }>();
  const here = (what: string) => new Error(what).stack ?? what;
  const begin = app.transaction.bind(app);
  const watched = (builder: ReturnType<typeof begin>): typeof builder => {
    const execute = builder.execute.bind(builder);
    builder.execute = (work) => {
      const held = { begun: here('inside the transaction begun here'), isOpen: true };
      // What was begun inside and goes on after the end holds nothing anymore.
      const end = () => {
        held.isOpen = false;
      };
      return execute((tx) => holding.run(held, () => work(tx).finally(end)));
    };
    const mode = builder.setAccessMode.bind(builder);
    builder.setAccessMode = (given) => watched(mode(given));
    const level = builder.setIsolationLevel.bind(builder);
    builder.setIsolationLevel = (given) => watched(level(given));
    return builder;
  };
  app.transaction = () => watched(begin());
  const connect = appPool.connect.bind(appPool) as (...given: unknown[]) => never;
  appPool.connect = (...given: unknown[]) => {
    const held = holding.getStore();
    if (held?.isOpen) greedy.push(`${here('asked here')}\n${held.begun}`);
    return connect(...given);
  };
  return { greedy, outside: <T>(work: () => T): T => holding.exit(work) };
}

/**
 * A whole app on its own database, with a clock that stands still until advanced. Nothing listens; calls go
 * through `call`. Worker roles run only what the test asks for.
 */
export async function testApp(
  given: Partial<Omit<AppParts, 'urls' | 'config'>> & {
    settings?: Partial<Config>;
    start?: boolean;
    /** Instead of an empty one. */
    database?: { url: string; drop: () => Promise<void> };
  } = {},
) {
  const database = given.database ?? (await createTestDatabase(inject('adminUrl')));
  const dataDir = mkdtempSync(join(tmpdir(), 'lead-app-'));
  const urls = await provisionLogins(database.url, appKey);
  const clock = given.clock ?? new ManualClock('2026-03-10T15:00:00Z');
  const config: Config = {
    ...loadConfig({
      DATA_DIR: dataDir,
      APP_KEY: appKey.toString('base64'),
      SEED: 'none',
      LOG_LEVEL: 'silent',
      ROLES: 'web,ingest,worker',
      PORT: '0',
      HOST: '127.0.0.1',
    }),
    // Tests never query the machine's name servers.
    dnsServers: ['127.0.0.1:1'],
    // What a test posts is there when it is answered.
    visitLog: 'database',
    // A browser is opened where a test is about it.
    pixelBrowser: 'off',
    // Tests sign in thousands of times.
    passwordCost: { memoryCost: 64, timeCost: 1 },
    ...given.settings,
  };
  const app = await createApp({ ...given, config, urls, clock });
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  let port = 0;
  if (given.start) port = await app.start();
  else {
    await app.platform.jobs.start();
    await app.features.visits.keepPartitions();
    await app.server.ready();
  }
  const { greedy, outside } = watchConnections(app.platform.db);
  const make = createFactories(app.features, app.platform);

  return {
    ...app,
    make,
    clock: clock as ManualClock,
    admin,
    urls,
    port,
    databaseUrl: database.url,
    /** Where a second connection was requested inside a transaction; `close` throws unless this is empty. */
    greedy,
    /** Does what someone else does meanwhile, where a test begins it inside a transaction of its own. */
    outside,
    /** Calls the app as a browser at `host` would. Object bodies are sent as JSON. */
    async call(
      method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
      url: string,
      options: { host?: string; token?: string; body?: unknown; headers?: Record<string, string> } = {},
    ) {
      const response = await app.server.inject({
        method,
        url,
        headers: {
          host: options.host ?? 'localhost',
          'user-agent': 'test',
          ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
          ...(options.body !== undefined ? { 'content-type': 'application/json' } : {}),
          ...options.headers,
        },
        ...(options.body !== undefined ? { payload: JSON.stringify(options.body) } : {}),
      });
      let body: Record<string, never> = {};
      try {
        body = response.json();
      } catch {
        // Not every answer is JSON.
      }
      return {
        status: response.statusCode,
        body: body as Record<string, unknown> & { message?: string },
        headers: response.headers,
        text: response.body,
      };
    },
    /** Signs in and returns the access token. */
    async signIn(email: string, host: string, password = PASSWORD): Promise<string> {
      const { status, body } = await this.call('POST', '/api/login', {
        host,
        body: { username: email, password },
      });
      if (status !== 200) throw new Error(`login of ${email} at ${host}: ${status} ${body.message}`);
      return body.access_token as string;
    },
    /** Returns the token of a session that was left open for an hour: nothing about it has been confirmed since. */
    async oldSession(email: string, host: string): Promise<string> {
      const login = await this.call('POST', '/api/login', {
        host,
        body: { username: email, password: PASSWORD },
      });
      this.clock.advance(3_600_000);
      const { body } = await this.call('POST', '/api/auth/refresh-token', {
        host,
        body: { refresh_token: login.body.refresh_token },
      });
      return body.access_token as string;
    },
    /** @throws Error if something asked for another connection inside a transaction */
    async close(): Promise<void> {
      await admin.end();
      await app.stop();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
      if (greedy.length > 0)
        throw new Error(`A transaction asked for another connection (${greedy.length} times):\n${greedy[0]}`);
    },
  };
}

export type TestApp = Awaited<ReturnType<typeof testApp>>;
