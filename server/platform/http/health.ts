import { Refusal } from '../../../contract/errors.ts';
import type { Role } from '../config.ts';
import type { ArchiveState } from '../db/archive.ts';
import { isMigrated, outdatedBy } from '../db/migrate.ts';
import { diskState } from '../disk.ts';
import type { Platform } from '../platform.ts';
import type { PlainRoute } from './routes.ts';

/** Where the ingest keeps visits, as far as its readiness is concerned. */
interface KeptVisits {
  form: string;
  promise: string;
  /** Why it accepts none now; null if it does. Undefined: it depends on the database. */
  notReady(): Promise<string | null> | undefined;
  state(): { records: number; bytes: number; oldestAt: Date | null; damaged: number };
}

/** Why a role cannot do its work now, and when to ask again, in seconds; null if it can. */
type NotReady = { reason: string; retryAfter: string } | null;

/** Whether the process lives, and whether each of its roles can do its work. */
export const healthRoutes = (
  { config, db, clock }: Pick<Platform, 'config' | 'db' | 'clock'>,
  visits: () => KeptVisits,
  backups?: () => ArchiveState,
): PlainRoute[] => {
  async function database(): Promise<NotReady> {
    // Checked first: on a full disk PostgreSQL may exit, which is the consequence and not the cause.
    if ((await diskState(config.dataDir)) === 'full') return { reason: 'the disk is full', retryAfter: '30' };
    try {
      const query = (text: string, values?: unknown[]) => db.appPool.query(text, values);
      if (!(await isMigrated(query))) return { reason: 'migrations are missing', retryAfter: '5' };
      const newer = await outdatedBy(query);
      if (newer === null) return null;
      return { reason: `the database needs a newer version (${newer})`, retryAfter: '60' };
    } catch {
      return { reason: 'the database is unavailable', retryAfter: '5' };
    }
  }

  /** The database is asked once, no matter how many roles depend on it. */
  async function statesOf(roles: Role[]): Promise<(readonly [Role, NotReady])[]> {
    const own = roles.includes('ingest') ? visits().notReady() : undefined;
    const reason = await own;
    const needDatabase = roles.some((one) => one !== 'ingest' || !own);
    const found = needDatabase ? await database() : null;
    return roles.map((one) => [
      one,
      one === 'ingest' && own ? (reason ? { reason, retryAfter: '30' } : null) : found,
    ]);
  }

  /** What the ingest has accepted and what of it is not in the database yet. */
  function keptVisits() {
    const log = visits();
    const { records, bytes, oldestAt, damaged } = log.state();
    return {
      kept_in: log.form,
      promise: log.promise,
      waiting: records,
      bytes,
      oldest_seconds: oldestAt
        ? Math.max(0, Math.round((clock.now().getTime() - oldestAt.getTime()) / 1000))
        : 0,
      damaged,
    };
  }

  /** They do not decide whether the process is ready: without them, it works. */
  function keptBackups(of: () => ArchiveState) {
    const { lastGood, archivedTo, fault } = of();
    // Not why: this is public.
    return { last: lastGood, log_until: archivedTo, failing: fault !== null };
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
        const states = await statesOf(roles);
        const said = {
          roles: Object.fromEntries(states.map(([one, found]) => [one, found?.reason ?? 'ready'])),
          ...(roles.includes('ingest') ? { visits: keptVisits() } : {}),
          ...(backups ? { backups: keptBackups(backups) } : {}),
        };
        const found = states.find(([, one]) => one)?.[1];
        if (!found) return { status: 'ready', ...said };
        return reply
          .code(503)
          .header('Retry-After', found.retryAfter)
          .send({ status: 'not ready', reason: found.reason, ...said });
      },
    },
  ];
};
