import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from './clock.ts';
import type { ArchiveState } from './db/archive.ts';
import { logArchived, platformGauges, queueDepths } from './db/metrics-store.ts';
import type { Db } from './db/scope.ts';
import { jobNames } from './jobs.ts';
import type { Metrics } from './metrics.ts';

/** Has each scrape ask the database what is waiting, over the whole installation. */
export function measureDatabase(metrics: Metrics, db: Db): void {
  const up = metrics.gauge('platform_db_up', 'Whether the database answered this scrape (1) or not (0)');
  const waiting = metrics.gauge(
    'platform_queue_jobs',
    'Jobs that wait, by queue: due, or later; counted up to 10,000',
    ['queue', 'state'],
  );
  const oldest = metrics.gauge(
    'platform_queue_oldest_seconds',
    'For how long the oldest job of a queue has been due',
    ['queue'],
  );
  const gauges = {
    visits_unresolved: metrics.gauge(
      'platform_visits_unresolved',
      'Visits in the log that have not been resolved, up to 100,000 a root',
    ),
    visits_unresolved_oldest: metrics.gauge(
      'platform_visits_unresolved_oldest_seconds',
      'Age of the oldest of them',
    ),
    deliveries_open: metrics.gauge(
      'platform_deliveries_open',
      'Deliveries that are not finished, by state, up to 100,000 a root',
      ['state'],
    ),
    deliveries_overdue: metrics.gauge(
      'platform_deliveries_overdue_seconds',
      'For how long the oldest delivery has been due',
    ),
    charges_unknown: metrics.gauge('platform_charges_unknown', 'Card charges whose outcome is not known yet'),
    data_wallets: metrics.gauge('platform_data_wallets', 'Data Wallets that are low or empty', ['state']),
    top_ups_stopped: metrics.gauge(
      'platform_top_ups_stopped',
      'Data Wallets whose automatic top-up has stopped after declines',
    ),
    campaigns: metrics.gauge('platform_campaigns', 'Campaigns by state', ['state']),
    jobs_set_aside: metrics.gauge(
      'platform_jobs_set_aside',
      'Background jobs that were set aside and wait to be tried again',
    ),
  };
  metrics.onScrape('queues', async () => {
    const depths = await queueDepths(db, jobNames());
    for (const { name: queue, due, later, oldest: age } of depths) {
      waiting.set({ queue, state: 'due' }, due);
      waiting.set({ queue, state: 'later' }, later);
      oldest.set({ queue }, age);
    }
  });
  metrics.onScrape('database', async () => {
    up.set(0);
    const rows = await platformGauges(db);
    up.set(1);
    for (const { gauge, label, value } of rows) {
      const one = gauges[gauge as keyof typeof gauges];
      if (label) one.set({ state: label } as never, value);
      else one.set(value);
    }
  });
}

/** What an external PostgreSQL and the folder of its backups tell: pg_basebackup writes backup_manifest last. */
export async function backupsOf(folder: string, db: Db): Promise<ArchiveState> {
  const names = await readdir(folder).catch(() => []);
  const made = await Promise.all(
    names.map((name) =>
      stat(join(folder, name, 'backup_manifest')).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  const newest = Math.max(0, ...made);
  const { at, failing } = await logArchived(db);
  return {
    lastGood: newest > 0 ? new Date(newest) : null,
    archivedTo: at,
    fault: failing ? 'archive_command fails' : null,
  };
}

/** Has each scrape tell how old the last good backup is, and for how long the log has not been archived. */
export function measureBackups(
  metrics: Metrics,
  clock: Clock,
  state: () => Promise<ArchiveState> | ArchiveState,
): void {
  const backup = metrics.gauge(
    'platform_backup_age_seconds',
    'Age of the last complete backup; infinite if there is none',
  );
  const log = metrics.gauge(
    'platform_backup_log_age_seconds',
    'For how long the log of the database has not been archived; infinite if it never was',
  );
  const failing = metrics.gauge('platform_backup_failing', 'Whether the last attempt to back up failed (1)');
  metrics.onScrape('backups', async () => {
    const { lastGood, archivedTo, fault } = await state();
    const age = (at: Date | null): number =>
      at ? Math.max(0, (clock.now().getTime() - at.getTime()) / 1000) : Number.POSITIVE_INFINITY;
    backup.set(age(lastGood));
    log.set(age(archivedTo));
    failing.set(fault ? 1 : 0);
  });
}
