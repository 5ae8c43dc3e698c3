import type { Database } from '../../../platform/db/connect.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import type { Platform } from '../../../platform/platform.ts';
import { countForeign, countRefused, insertVisits, type NewVisit } from './store.ts';

/** An event that is not stored; `host`: the foreign host it came from, if known. */
export interface Refused {
  campaignId: string;
  reason: string;
  host?: string | null;
  /** The number of events; one if omitted. */
  count?: number;
}

/** What one request brought: visits, and what of it is only counted. */
export interface Taken {
  at: Date;
  visits: NewVisit[];
  refused: Refused[];
}

/** What a form of the visit log has accepted but not yet put into the database. */
export interface LogState {
  /** Requests: each has one to twenty visits. */
  records: number;
  bytes: number;
  /** When the oldest was accepted. */
  oldestAt: Date | null;
  /** Places on disk that could not be read. */
  damaged: number;
}

/**
 * Where accepted visits are kept. Every form keeps this promise: what `append` has returned for is in the database once
 * in the end, whatever happens to this process or, for the time being, to the database.
 */
export interface VisitLog {
  form: 'database' | 'spool' | 'jetstream';
  /** What an acknowledged visit survives, as far as that is known now. */
  readonly promise: string;
  /** Returns when the batch is kept for good. If it throws, its senders have to send it again. */
  append(batch: Taken[]): Promise<void>;
  /** Puts what has been accepted so far into the database; throws if that is not possible now. */
  drain(): Promise<void>;
  /** Why nothing can be accepted now; null if it can. Undefined: it depends on the database. */
  notReady(): Promise<string | null> | undefined;
  state(): LogState;
  /** Begins to drain by itself, until `stop`. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What forms of the log that drain into the database count. */
export const countersOf = (metrics: Metrics) => ({
  drained: metrics.counter(
    'platform_visit_spool_drained_total',
    'Requests with visits that went from the spool, or the stream, into the database',
  ),
  damage: metrics.counter(
    'platform_visit_spool_damaged_total',
    'Places in the spool or stream that could not be read or stored',
  ),
});

/** Has each scrape show what waits in a log. */
export function measureLog({ metrics, clock }: Pick<Platform, 'metrics' | 'clock'>, log: VisitLog): void {
  const records = metrics.gauge(
    'platform_visit_spool_records',
    'Requests with visits that were accepted and are not in the database yet',
  );
  const bytes = metrics.gauge('platform_visit_spool_bytes', 'Their size');
  const oldest = metrics.gauge('platform_visit_spool_oldest_seconds', 'Age of the oldest of them');
  countersOf(metrics);
  metrics.onScrape('visit log', () => {
    const state = log.state();
    records.set(state.records);
    bytes.set(state.bytes);
    oldest.set(state.oldestAt ? Math.max(0, (clock.now().getTime() - state.oldestAt.getTime()) / 1000) : 0);
  });
}

const HOUR_MS = 3_600_000;
/** Maximum number of foreign hosts per campaign that a batch records. */
const MAX_FOREIGN = 10;

/** Which foreign hosts sent visits for which campaign, and how many. */
function foreignIn(refused: Refused[]): { campaignId: string; host: string; count: number }[] {
  const byCampaign = new Map<string, Map<string, number>>();
  for (const { campaignId, host } of refused) {
    if (!host) continue;
    const hosts = byCampaign.get(campaignId) ?? new Map<string, number>();
    byCampaign.set(campaignId, hosts);
    if (hosts.has(host) || hosts.size < MAX_FOREIGN) hosts.set(host, (hosts.get(host) ?? 0) + 1);
  }
  return [...byCampaign].flatMap(([campaignId, hosts]) =>
    [...hosts].map(([host, count]) => ({ campaignId, host, count })),
  );
}

/** Puts a batch into the database: each visit once, no matter how often; the counters of what was refused go up. */
export async function writeTaken(pool: Database['ingestPool'], batch: Taken[]): Promise<void> {
  const visits = batch.flatMap((one) => one.visits);
  if (visits.length > 0) await insertVisits(pool, visits);
  const counts = new Map<string, { campaignId: string; reason: string; hour: Date; count: number }>();
  const byDay = new Map<string, { at: Date; refused: Refused[] }>();
  for (const { at, refused } of batch) {
    if (refused.length === 0) continue;
    const hour = new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
    for (const { campaignId, reason, count = 1 } of refused) {
      const key = `${campaignId} ${reason} ${hour.getTime()}`;
      const known = counts.get(key) ?? { campaignId, reason, hour, count: 0 };
      known.count += count;
      counts.set(key, known);
    }
    const day = at.toISOString().slice(0, 10);
    const known = byDay.get(day) ?? { at, refused: [] };
    known.at = at;
    known.refused.push(...refused);
    byDay.set(day, known);
  }
  for (const { at, refused } of byDay.values()) {
    const day = at.toISOString().slice(0, 10);
    const rows = [...counts.values()].filter(({ hour }) => hour.toISOString().slice(0, 10) === day);
    await countRefused(pool, rows, at);
    const foreign = foreignIn(refused);
    if (foreign.length > 0) await countForeign(pool, foreign, at);
  }
}

/** The visit log without anything between it and the database: accepted is committed. */
export function databaseLog({ db }: Pick<Platform, 'db'>): VisitLog {
  return {
    form: 'database',
    promise: 'committed before the answer',
    append: (batch) => writeTaken(db.ingestPool, batch),
    drain: async () => {},
    notReady: () => undefined,
    state: () => ({ records: 0, bytes: 0, oldestAt: null, damaged: 0 }),
    start: async () => {},
    stop: async () => {},
  };
}
