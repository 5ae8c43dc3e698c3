import { mayPerson, type Permission } from '../../../../contract/accounts/permissions.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Ctx } from '../../../platform/ctx.ts';
import { newId } from '../../../platform/ids.ts';
import { type Recipient, toRows, type Worker } from '../users/index.ts';
import { gradeOf } from './policy.ts';

/**
 * A person as they would be signed in now, for a job that they started. They count as having confirmed who they are: the
 * call that started the job has to have asked for that.
 */
export const actingFor = (clock: Clock, who: Worker): Ctx => signedIn(clock, who);

/** A person as they would be signed in now, to read what is emailed to them. They have not confirmed who they are. */
export const readingFor = (clock: Clock, who: Worker | Recipient): Ctx =>
  signedIn(clock, who, async () => []);

function signedIn(clock: Clock, who: Worker | Recipient, unconfirmed?: () => Promise<[]>): Ctx {
  const place = { rootId: who.root_id, agencyId: who.agency_id, companyId: who.company_id, kind: who.kind };
  return new Ctx({
    tenant: { ...place, host: '', companyName: who.company_name, timeZone: who.time_zone },
    actor: {
      ...place,
      userId: who.user_id,
      sessionId: '',
      grade: gradeOf(who.kind, who.role),
      isAccountExecutive: false,
      modules: who.rights && toRows(who.rights),
      trueActor: null,
    },
    requestId: newId(clock.now()),
    clock,
    ip: '',
    userAgent: '',
    origin: '',
    unconfirmed,
  });
}

/** Whether they have a permission now. */
export const mayNow = (who: Worker | Recipient, permission: Permission): boolean =>
  mayPerson(gradeOf(who.kind, who.role), who.rights && toRows(who.rights), permission);
