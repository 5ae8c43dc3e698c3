import type { FastifyInstance } from 'fastify';
import { contract } from '../contract/index.ts';
import { startAsk } from './platform/ask.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { Vault } from './platform/crypto.ts';
import type { ArchiveState } from './platform/db/archive.ts';
import { isDatabaseAway } from './platform/db/away.ts';
import { openDatabase } from './platform/db/connect.ts';
import { measurePools } from './platform/db/pools.ts';
import { onceAMinute } from './platform/disk.ts';
import { EventHub } from './platform/events.ts';
import type { HttpPart, Working } from './platform/feature.ts';
import { backupsOf, measureBackups, measureDatabase } from './platform/gauges.ts';
import { exportRoute } from './platform/http/csv-file.ts';
import { healthRoutes } from './platform/http/health.ts';
import { referenceRoutes } from './platform/http/reference.ts';
import {
  type AnyHandler,
  addCalls,
  addPlain,
  closeServer,
  createServer,
  type Doors,
} from './platform/http/server.ts';
import { Jobs } from './platform/jobs.ts';
import { Metrics, measureProcess, startMetrics } from './platform/metrics.ts';
import { openFiles } from './platform/open-files.ts';
import type { Log, Platform } from './platform/platform.ts';
import { startTracing } from './platform/start-tracing.ts';
import { createServices, features, type Services, type World } from './services.ts';
import { addPages, brandOf } from './site.ts';

/** The parts of an app other than its settings. */
export interface AppParts extends World {
  config: Config;
  urls: { appUrl: string; ingestUrl: string };
  clock?: Clock;
  /** How the backups of the embedded database are; undefined if this process does not make any. */
  backups?: (() => ArchiveState) | undefined;
  /** Mounts hosts that belong to no tenant (the demo hosts) before the rest. */
  mount?: (server: FastifyInstance, services: Services) => void;
}

/** Builds the platform, the features and, for the roles web and ingest, the HTTP server. Nothing runs until `start`. */
export async function createApp(parts: AppParts) {
  const { config } = parts;
  const clock = parts.clock ?? systemClock;
  const database = openDatabase(parts.urls, 16, config.databasePooler);
  const has = (role: Config['roles'][number]): boolean => config.roles.includes(role);

  // The doors are passed to the server before the services exist, because the logger belongs to the server.
  let services: Services;
  const doors: Doors = {
    tenantOf: (host) => services.tenants.byHost(host),
    actorOf: (token, tenant) => services.auth.actorOf(token, tenant),
    actorNow: (actor, tenant) => services.auth.actorNow(actor, tenant),
    actorOfDownload: (token, path, tenant) => services.auth.actorOfDownload(token, path, tenant),
    unconfirmed: (actor, tenant, what) => services.auth.confirmation.missing(actor, tenant, what),
    openBody: (dt) => services.auth.keys.openBody(dt),
  };
  const metrics = new Metrics();
  if (config.metrics) {
    measureProcess(metrics);
    measurePools(metrics, { app: database.appPool, ingest: database.ingestPool });
    if (has('web') || has('worker')) measureDatabase(metrics, database.app);
    if (parts.backups) measureBackups(metrics, clock, parts.backups);
    else if (config.databaseUrl && config.backups && has('worker'))
      measureBackups(metrics, clock, () => backupsOf(config.backups!.folder, database.app));
  }
  const tracing = await startTracing(config.tracing, config.roles);
  const server = await createServer(config, clock, doors, { metrics, tracing });
  const log: Log = server.log;
  const onJobError = (error: unknown, name?: string): void => {
    // While the database is down, one log line a minute says as much as thousands.
    if (!isDatabaseAway(error) || onceAMinute('database')) log.error({ err: error, job: name }, 'job failed');
  };
  const jobs = new Jobs(parts.urls.appUrl, has('worker'), onJobError, { metrics, tracing });
  const platform: Platform = {
    config,
    db: database,
    clock,
    vault: new Vault(config.appKey, config.previousAppKeys),
    jobs,
    events: new EventHub(),
    files: await openFiles(config, clock),
    log,
    metrics,
  };
  services = createServices(platform, parts);

  const health = healthRoutes(platform, () => services.visits.visitLog, parts.backups);
  addPlain(server, clock, doors, health);
  parts.mount?.(server, services);
  if (has('ingest')) for (const { ingest } of features) ingest?.(services, server);
  if (has('web')) {
    const http: HttpPart[] = features.flatMap((one) => one.http?.(services, platform) ?? []);
    const calls = http.flatMap((part) => part.calls ?? []);
    // A list is downloaded by the very call that shows it.
    const handlerOf = new Map<unknown, AnyHandler>(
      calls.flatMap(({ router, handlers }) =>
        Object.entries(router).map(([name, call]) => [call, handlers[name]!]),
      ),
    );
    const plain = [
      ...http.flatMap((part) => part.plain ?? []),
      ...features.flatMap(({ exports = [] }) =>
        exports.map((list) => exportRoute(list, (call) => handlerOf.get(call)!)),
      ),
    ];
    const documented = http.flatMap((part) => part.documented ?? []);
    const reference = referenceRoutes(
      contract,
      [...plain, ...health, ...documented],
      brandOf(platform, services),
    );
    addPlain(server, clock, doors, [...plain, ...reference]);
    for (const { router, handlers, finishes } of calls)
      addCalls(server, clock, doors, router, handlers, finishes);
    for (const { mount } of http) mount?.(server, doors);
    addPages(server, platform, services);
  }

  const working: Working[] = [];
  let ask: Awaited<ReturnType<typeof startAsk>> | undefined;
  let scraped: Awaited<ReturnType<typeof startMetrics>> | undefined;
  let stopping: Promise<void> | undefined;
  return {
    server,
    features: services,
    platform,
    /** The loopback port where a proxy may ask whether a host is ours; undefined if there is none. */
    askPort: () => ask?.port,
    /** Starts jobs and, where the roles ask for it, listens. Returns the port. */
    async start(): Promise<number> {
      // First, so that whoever looks sees a start that waits for something.
      if (config.metrics) scraped = await startMetrics(config.metrics, metrics);
      // A process that only accepts visits causes no jobs, and can do so before the database is there.
      const isAlone = !has('web') && !has('worker');
      if (!isAlone) {
        await platform.files.start();
        await jobs.start();
      }
      try {
        for (const { prepare } of features) await prepare?.(services);
      } catch (error) {
        if (!isAlone || config.visitLog === 'database' || !isDatabaseAway(error)) throw error;
      }
      if (has('ingest')) {
        for (const { receive } of features) {
          const started = await receive?.(services);
          if (started) working.push(started);
        }
      }
      if (has('worker')) {
        for (const { work } of features) {
          const started = await work?.(services, platform);
          if (started) working.push(started);
        }
      }
      if (has('web') && config.askPort !== undefined)
        ask = await startAsk(config.askPort, async (host) => (await services.tenants.byHost(host)) !== null);
      await server.listen({ port: config.port, host: config.host });
      const address = server.server.address();
      return typeof address === 'object' && address ? address.port : config.port;
    },
    /**
     * Finishes work in progress and releases everything, no matter how much of it had been started. Requests and jobs
     * share `stopSeconds` for that; a job that is cut off is run again by another process, or after the next start.
     */
    stop(): Promise<void> {
      stopping ??= stop();
      return stopping;
    },
  };

  async function stop(): Promise<void> {
    const limitMs = config.stopSeconds * 1000;
    const end = performance.now() + limitMs;
    const failures: unknown[] = [];
    /** One step's failure does not keep the others from releasing what they hold. */
    const attempt = async (step: (() => unknown) | undefined): Promise<void> => {
      try {
        await step?.();
      } catch (error) {
        failures.push(error);
      }
    };
    await attempt(() => ask?.close());
    // Jobs get some time even if a request uses all of its own.
    await attempt(() => closeServer(server, limitMs * 0.8));
    for (const one of working.toReversed()) await attempt(one.stop);
    await attempt(() => jobs.stop(end - performance.now()));
    for (const one of working.toReversed()) await attempt(one.finish);
    await attempt(() => platform.files.stop());
    await attempt(() => database.close());
    await attempt(() => scraped?.close());
    await attempt(() => tracing?.stop());
    if (failures.length > 0) throw failures[0];
  }
}

export type App = Awaited<ReturnType<typeof createApp>>;
