import { platformGauges, queueDepths } from './db/metrics-store.ts';
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
