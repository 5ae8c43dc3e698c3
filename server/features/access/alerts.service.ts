import { z } from 'zod';
import { inScope } from '../../platform/db/scope.ts';
import { defineJob } from '../../platform/jobs.ts';
import type { Limits } from '../../platform/limits.ts';
import type { Platform } from '../../platform/platform.ts';
import type { People } from '../people/index.ts';
import type { Tenants } from '../tenants/index.ts';
import * as limit from './limit.policy.ts';
import { alertMail } from './mails.ts';
import type { Post } from './post.service.ts';
import * as store from './session.store.ts';

/**
 * Tells somebody what the log has of their account: a sign-in on a new device, tries that were stopped, a token used twice.
 * Sent for nobody, too (`userId` null): what it costs to be refused must not tell whether there is an account.
 */
export const alertJob = defineJob(
  'access.alert',
  z.object({ rootId: z.uuid(), userId: z.uuid().nullable(), logId: z.uuid() }),
);

export type Alerts = ReturnType<typeof createAlerts>;

/** Mails about the safety of an account. */
export function createAlerts(
  { db }: Platform,
  { people, tenants, limits, post }: { people: People; tenants: Tenants; limits: Limits; post: Post },
) {
  return {
    /** Sends the mail about one row of the log, at most so many a day to one person. */
    async tell({
      rootId,
      userId,
      logId,
    }: {
      rootId: string;
      userId: string | null;
      logId: string;
    }): Promise<void> {
      if (!userId) return;
      const { user, row } = await inScope(db.app, { rootId }, async (tx) => ({
        user: await people.secretOf(tx, userId),
        row: await store.loggedOf(tx, logId),
      }));
      if (!user || user.disabled_at || !row) return;
      const tenantId = user.agency_id ?? user.root_id;
      const host = (await tenants.primaryHost(tenantId)) ?? (await tenants.primaryHost(user.root_id));
      if (!host) return;
      try {
        await limits.take(limit.ALERT, userId);
      } catch {
        return; // They have been told often enough today; the log has it all.
      }
      const sender = await post.sender(tenantId, host);
      await inScope(db.app, { rootId }, (tx) =>
        post.send(tx, 'account.alert', sender, user, alertMail(user.name, row)),
      );
    },
  };
}
