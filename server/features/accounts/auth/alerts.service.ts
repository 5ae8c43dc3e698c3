import { z } from 'zod';
import { inScope } from '../../../platform/db/scope.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../tenants/index.ts';
import type { Users } from '../users/index.ts';
import * as limit from './limit.policy.ts';
import { alertMail, ownersMail } from './mails.ts';
import * as notices from './notice.store.ts';
import type { Post } from './post.service.ts';
import * as store from './session.store.ts';

/**
 * Notifies a user of what was logged for their account: a sign-in on a new device, attempts that were stopped, a token
 * used twice. Also sent without a user (`userId` null), so that the cost of a refusal does not reveal whether there is
 * an account.
 */
export const alertJob = defineJob(
  'access.alert',
  z.object({ rootId: z.uuid(), userId: z.uuid().nullable(), logId: z.uuid() }),
);

/** Notifies the owners of one company: what fails or takes long for one does not concern the others. */
export const ownersJob = defineJob('access.owners', z.object({ rootId: z.uuid(), companyId: z.uuid() }));

/** Companies whose emails are enqueued in one transaction. */
const STEP = 500;
/** How often the owners of one company are emailed at most about what happened to their people. */
const CALM_MS = 4 * 3_600_000;

export type Alerts = ReturnType<typeof createAlerts>;

/** Emails about account security. */
export function createAlerts(
  { db, clock, jobs }: Platform,
  { users, tenants, limits, post }: { users: Users; tenants: Tenants; limits: Limits; post: Post },
) {
  return {
    /** Sends the email about one log row, once, up to a daily limit per person. */
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
        user: await users.secretOf(tx, userId),
        row: await store.loggedOf(tx, logId),
      }));
      if (!user || user.disabled_at || !row) return;
      await noteForOwners(user, logId);
      const tenantId = user.agency_id ?? user.root_id;
      const host = (await tenants.primaryHost(tenantId)) ?? (await tenants.primaryHost(user.root_id));
      if (!host) return;
      try {
        await limits.take(limit.ALERT, userId);
      } catch {
        return; // They have been notified often enough today; the log has everything.
      }
      const sender = await post.sender(tenantId, host);
      await inScope(db.app, { rootId }, (tx) =>
        post.send(tx, 'account.alert', sender, user, alertMail(user.name, row), logId),
      );
    },

    /** Enqueues the emails to the owners of a root's companies: each company's is its own job. */
    async enqueueNews(rootId: string): Promise<void> {
      const calmSince = new Date(clock.now().getTime() - CALM_MS);
      for (let after: string | null = null; ; ) {
        const page: { after: string | null; companies: number } = { after, companies: STEP };
        const waiting = await inScope(db.app, { rootId }, async (tx) => {
          const companies = await notices.companiesToTell(tx, rootId, calmSince, page);
          await jobs.send(
            tx,
            ownersJob,
            companies.map((companyId) => ({ rootId, companyId })),
            { unlessWaiting: true },
          );
          return companies;
        });
        if (waiting.length < STEP) return;
        after = waiting.at(-1)!;
      }
    },

    /**
     * Emails the owners of a company what has been noted for them since their last email, each event once, in one
     * transaction.
     */
    async tellOwners({ rootId, companyId }: { rootId: string; companyId: string }): Promise<void> {
      const now = clock.now();
      const owners = await inScope(db.app, { rootId }, (tx) => notices.ownersOf(tx, companyId));
      const tenantId = owners[0]?.agency_id ?? rootId;
      const host = (await tenants.primaryHost(tenantId)) ?? (await tenants.primaryHost(rootId));
      if (!host) return;
      const sender = await post.sender(tenantId, host);
      await inScope(db.app, { rootId }, async (tx) => {
        const news = await notices.takeNotices(tx, companyId, now, new Date(now.getTime() - CALM_MS));
        if (news.length === 0) return;
        for (const owner of owners)
          await post.send(tx, 'account.news', sender, owner, ownersMail(owner.name, news));
      });
    },
  };

  /** Notes a log row for the owners of the user's company or, if the user is its only owner, of the company above. */
  async function noteForOwners(
    { id, root_id, company_id }: { id: string; root_id: string; company_id: string },
    logId: string,
  ): Promise<void> {
    await inScope(db.app, { rootId: root_id }, async (tx) => {
      const company = await tenants.company(tx, company_id);
      const others = (await notices.ownersOf(tx, company_id)).filter((one) => one.id !== id);
      const told =
        others.length > 0 || !company?.parent_id ? company : await tenants.company(tx, company.parent_id);
      if (!told || (told.id === company_id && others.length === 0)) return;
      await notices.insertNotice(tx, {
        log_id: logId,
        root_id,
        agency_id: told.agency_id,
        company_id: told.id,
        user_id: id,
        created_at: clock.now(),
      });
    });
  }
}
