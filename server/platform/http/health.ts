import { Refusal } from '../../../contract/errors.ts';
import type { Role } from '../config.ts';
import { isMigrated } from '../db/migrate.ts';
import { diskState } from '../disk.ts';
import type { Platform } from '../platform.ts';
import type { PlainRoute } from './routes.ts';

/** Why a role cannot do its work now, and when to ask again, in seconds; null if it can. */
type NotReady = { reason: string; retryAfter: string } | null;

/** Whether the process lives, and whether each of its roles can do its work. */
export const healthRoutes = ({ config, db }: Pick<Platform, 'config' | 'db'>): PlainRoute[] => {
  async function database(): Promise<NotReady> {
    // Checked first: on a full disk PostgreSQL may exit, which is the consequence and not the cause.
    if ((await diskState(config.dataDir)) === 'full') return { reason: 'the disk is full', retryAfter: '30' };
    try {
      if (await isMigrated((text) => db.appPool.query(text))) return null;
      return { reason: 'migrations are missing', retryAfter: '5' };
    } catch {
      return { reason: 'the database is unavailable', retryAfter: '5' };
    }
  }

  return [
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
      summary: 'Whether each role of the process is ready, or only the one named by `role`',
      async handler(_ctx, request, reply) {
        const { role } = request.query as { role?: unknown };
        if (role !== undefined && !config.roles.includes(role as Role))
          throw new Refusal(
            'bad_request',
            `role: must be a role of this process: ${config.roles.join(', ')}`,
          );
        const roles = role === undefined ? config.roles : [role as Role];
        const found = await database();
        const states = Object.fromEntries(roles.map((one) => [one, found?.reason ?? 'ready']));
        if (!found) return { status: 'ready', roles: states };
        return reply
          .code(503)
          .header('Retry-After', found.retryAfter)
          .send({ status: 'not ready', reason: found.reason, roles: states });
      },
    },
  ];
};
