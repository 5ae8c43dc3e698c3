import type { Clock } from '../platform/clock.ts';
import { Ctx } from '../platform/ctx.ts';
import { newId } from '../platform/ids.ts';

/** The context of an owner of a root or, with an agency, of the agency, for services called without a request. */
export function actingOwner(clock: Clock, rootId: string, agencyId: string | null): Ctx {
  const kind = agencyId ? 'agency' : 'root';
  const place = { rootId, agencyId, companyId: agencyId ?? rootId, kind } as const;
  return new Ctx({
    tenant: { ...place, host: 'acting.test', companyName: 'Acting', timeZone: 'UTC' },
    actor: {
      ...place,
      userId: newId(clock.now()),
      sessionId: '',
      grade: `${kind}.owner`,
      isAccountExecutive: false,
      modules: null,
      trueActor: null,
    },
    requestId: 'test',
    clock,
    ip: '127.0.0.1',
    userAgent: 'test',
    origin: 'http://acting.test',
  });
}
