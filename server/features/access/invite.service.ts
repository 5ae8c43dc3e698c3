import { derive } from '../../platform/crypto.ts';
import type { Ctx } from '../../platform/ctx.ts';
import type { Owner } from '../../platform/db/owner.ts';
import type { Tx } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import type { Platform } from '../../platform/platform.ts';
import type { People } from '../people/index.ts';
import * as emailStore from './email.store.ts';
import * as store from './entry.store.ts';
import { inviteMail, noticeMail } from './mails.ts';
import * as policy from './policy.ts';
import type { Post, Sender } from './post.service.ts';
import type { Sessions } from './session.service.ts';

/** Somebody of a company below one's own. */
export type Invited = Owner & { id: string; name: string; email: string };

/** What those above a company do about its owner's way in: invitations, and another e-mail address. */
export function createInvites(platform: Platform, parts: { people: People; post: Post; sessions: Sessions }) {
  const { clock, config } = platform;
  const { people, post, sessions } = parts;
  const linkKey = derive(config.appKey, 'links');

  return {
    /** In whose name the mails go out: the company above, at the host where it works. Asked before the transaction. */
    sender: (ctx: Ctx, companyId: string): Promise<Sender> => post.sender(companyId, ctx.tenant.host),

    /**
     * Sends somebody the link to set their first password: good once, for 7 days; the links before it end.
     * @param host where they will sign in
     */
    async invite(tx: Tx, ctx: Ctx, sender: Sender, user: Invited, host: string): Promise<void> {
      const now = clock.now();
      const { id: userId, root_id, agency_id, company_id } = user;
      await store.endResets(tx, userId, now);
      const id = newId(now);
      const origin = policy.siteOf(host, ctx.origin, config.port);
      await store.insertReset(tx, {
        id,
        root_id,
        agency_id,
        company_id,
        user_id: userId,
        tenant_id: company_id,
        origin,
        created_at: now,
        expires_at: new Date(now.getTime() + policy.INVITE_MS),
      });
      const token = policy.linkToken(linkKey, 'reset', id);
      const url = `${origin}/set-new-password/${token}?email=${encodeURIComponent(user.email)}`;
      await post.send(tx, 'account.invitation', sender, user, inviteMail(user.name, sender.name, url));
    },

    /** Ends every way in that somebody has: sessions, invitations, codes. `forget` them when the transaction is done. */
    async shutOut(tx: Tx, userId: string): Promise<void> {
      const now = clock.now();
      await sessions.endAll(tx, userId, null, 'disabled');
      await emailStore.endChanges(tx, userId, now);
      await store.endResets(tx, userId, now);
      await store.endChallenges(tx, userId, now);
    },

    /** What is remembered of somebody's sessions is asked anew: their place or rights have changed. */
    forget: (userId: string): void => sessions.forgetPerson(userId),

    /**
     * Gives somebody another address, by decision of the company above: the old one is told, and what was sent there opens
     * nothing any more. Throws on the unique constraint when another account of the root has it.
     */
    async moveAddress(tx: Tx, ctx: Ctx, sender: Sender, user: Invited, email: string): Promise<void> {
      const now = clock.now();
      await people.setEmail(tx, user.id, email);
      await emailStore.endChanges(tx, user.id, now);
      await store.endResets(tx, user.id, now);
      await store.endChallenges(tx, user.id, now);
      const notice = noticeMail(
        user.name,
        `The e-mail address of your account was changed to ${email}`,
        ctx.ip,
      );
      await post.send(tx, 'account.notice', sender, user, notice);
    },
  };
}
