import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Vault } from './crypto.ts';
import type { Database } from './db/connect.ts';
import type { EventHub } from './events.ts';
import type { Files } from './files.ts';
import type { Jobs } from './jobs.ts';
import type { Metrics } from './metrics.ts';

export type Log = FastifyBaseLogger;

/** What every feature may build on. Knows of no feature. */
export interface Platform {
  config: Config;
  db: Database;
  clock: Clock;
  vault: Vault;
  jobs: Jobs;
  events: EventHub;
  files: Files;
  log: Log;
  metrics: Metrics;
}
