import { Refusal } from '../../../contract/errors.ts';
import { ownMessages } from '../../../contract/messages.ts';
import { derive } from '../../platform/crypto.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { inScope } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import { type Limits, networkOf } from '../../platform/limits.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { People } from '../people/index.ts';
import * as store from './email.store.ts';
import * as entryStore from './entry.store.ts';
import type { Factors } from './factor.service.ts';
import * as limit from './limit.policy.ts';
import { newAddressMail, noticeMail } from './mails.ts';
import * as policy from './policy.ts';
import type { Post } from './post.service.ts';

/**
 * Another e-mail address for the own account. Who asks proves the password; the address is taken over when the link sent
 * to it is followed, and the old one is told. Until then everything goes on with the old one.
 */
export function createEmails(
  platform: Platform,
  parts: { people: People; audit: Audit; limits: Limits; post: Post; factors: Factors },
) {
  const { db, clock, config } = platform;
  const { people, audit, limits, post, factors } = parts;
  const linkKey = derive(config.appKey, 'links');

  return {
    /**
     * Checks a wish for another address before anything is saved. False: another account of the system has it.
     * @throws Refusal 422 for a wrong current password, 429 after too many tries
     */
    async mayAsk(ctx: Ctx, email: string, password: string): Promise<boolean> {
      await factors.proven(ctx, password);
      await limits.take(limit.NEW_ADDRESS, ctx.actor.userId);
      const holder = await inScope(db.app, { rootId: ctx.actor.rootId }, (tx) => people.byEmail(tx, email));
      return !holder;
    },

    /** Sends the link to the new address. Earlier wishes of the person are over. */
    async ask(ctx: Ctx, email: string): Promise<void> {
      const { actor, tenant } = ctx;
      const sender = await post.sender(tenant.companyId, tenant.host);
      const site = policy.siteOf(tenant.host, ctx.origin, config.port);
      await inScope(db.app, ctx.scope, async (tx) => {
        const now = clock.now();
        const user = await people.secretOf(tx, actor.userId);
        if (!user) throw new Refusal('not_found', ownMessages.notFound);
        const owner = { root_id: user.root_id, agency_id: user.agency_id, company_id: user.company_id };
        const id = newId(now);
        await store.endChanges(tx, user.id, now);
        await store.insertChange(tx, {
          id,
          ...owner,
          user_id: user.id,
          email,
          created_at: now,
          expires_at: new Date(now.getTime() + policy.SIGN_UP_MS),
        });
        const url = `${site}/confirm-email/${policy.linkToken(linkKey, 'email', id)}`;
        const mail = newAddressMail(user.name, url);
        await post.send(tx, 'account.email', sender, { ...owner, name: user.name, email }, mail);
        const notice = noticeMail(
          user.name,
          `Somebody asked to change its e-mail address to ${email}`,
          ctx.ip,
        );
        await post.send(tx, 'account.notice', sender, user, notice);
        await audit.record(tx, ctx, {
          action: 'email.asked',
          objectKind: 'user',
          objectId: user.id,
          description: `Asked to change the e-mail address to ${email}`,
        });
      });
    },

    /** The address that waits for its confirmation, or null. */
    pending: (ctx: Ctx): Promise<string | null> =>
      inScope(db.app, ctx.scope, (tx) => store.openChange(tx, ctx.actor.userId, clock.now())),

    /** Takes the new address over. @throws Refusal 410 for a link that is not good (any more), 429 */
    async confirm(ctx: Ctx, token: string): Promise<void> {
      const stale = new Refusal('gone', ownMessages.emailLinkInvalid, {
        errors: { token: ['is used or expired'] },
      });
      const network = networkOf(ctx.ip);
      await limits.take(limit.LINK_NETWORK, network);
      const id = policy.readLinkToken(linkKey, 'email', token);
      if (!id) throw stale;
      try {
        await inScope(db.app, { rootId: ctx.tenant.rootId }, async (tx) => {
          const now = clock.now();
          const row = await store.lockChange(tx, id);
          if (!row || row.used_at || row.expires_at <= now) throw stale;
          const user = await people.secretOf(tx, row.user_id);
          if (!user || user.disabled_at) throw stale;
          await people.setEmail(tx, row.user_id, row.email);
          await store.endChanges(tx, row.user_id, now);
          // What was sent to the old address opens nothing any more.
          await entryStore.endResets(tx, row.user_id, now);
          await entryStore.endChallenges(tx, row.user_id, now);
          const owner = { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id };
          await audit.recordSystem(tx, now, owner, {
            action: 'email.changed',
            objectKind: 'user',
            objectId: row.user_id,
            description: `The e-mail address of ${user.name} changed from ${user.email} to ${row.email}`,
          });
        });
      } catch (error) {
        // Somebody got the address in the meantime.
        if ((error as { code?: string }).code === '23505') throw stale;
        throw error;
      }
      await limits.giveBack(limit.LINK_NETWORK, network);
    },
  };
}
