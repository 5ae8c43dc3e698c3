import type pg from 'pg';
import type { Metrics } from '../metrics.ts';

/** Measures how many connections pools have, and how long they make others wait for one. */
export function measurePools(metrics: Metrics, pools: Record<string, pg.Pool>): void {
  const wait = metrics.histogram(
    'platform_db_pool_wait_seconds',
    'How long a connection to the database was waited for, by pool',
    ['pool'],
  );
  const connections = metrics.gauge('platform_db_pool_connections', 'Connections to the database', [
    'pool',
    'state',
  ]);
  for (const [name, pool] of Object.entries(pools)) {
    const connect = pool.connect.bind(pool) as (...given: unknown[]) => unknown;
    // pg's own `query` calls it with a callback, everyone else for a promise.
    pool.connect = ((done?: (...given: unknown[]) => void) => {
      const end = wait.startTimer({ pool: name });
      if (done)
        return connect((...given: unknown[]) => {
          end();
          done(...given);
        });
      return (connect() as Promise<unknown>).finally(() => end());
    }) as typeof pool.connect;
    metrics.onScrape(`pool ${name}`, () => {
      connections.set({ pool: name, state: 'idle' }, pool.idleCount);
      connections.set({ pool: name, state: 'busy' }, pool.totalCount - pool.idleCount);
      connections.set({ pool: name, state: 'awaited' }, pool.waitingCount);
    });
  }
}
