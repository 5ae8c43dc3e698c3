import { isMigrated } from '../db/migrate.ts';
import { diskState } from '../disk.ts';
import type { Platform } from '../platform.ts';
import type { PlainRoute } from './routes.ts';

/** Whether the process lives, and whether it can serve. */
export const healthRoutes = ({ config, db }: Pick<Platform, 'config' | 'db'>): PlainRoute[] => [
  {
    method: 'GET',
    url: '/healthz',
    access: 'open',
    tag: 'Health',
    summary: 'Alive',
    handler: async () => ({ status: 'ok' }),
  },
  {
    method: 'GET',
    url: '/readyz',
    access: 'open',
    tag: 'Health',
    summary: 'Database and migrations ready',
    async handler(_ctx, _request, reply) {
      const notReady = (reason: string, retryAfter = '5') =>
        reply.code(503).header('Retry-After', retryAfter).send({ status: 'not ready', reason });
      // Checked first: on a full disk PostgreSQL may exit, which is the consequence and not the cause.
      if ((await diskState(config.dataDir)) === 'full') return notReady('the disk is full', '30');
      try {
        if (await isMigrated((text) => db.appPool.query(text))) return { status: 'ready' };
        return notReady('migrations are missing');
      } catch {
        return notReady('the database is unavailable');
      }
    },
  },
];
