import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { derive } from '../../../platform/crypto.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Users } from '../users/index.ts';
import * as emailStore from './email.store.ts';
import * as store from './entry.store.ts';
import { comingAddressMail, heldAddressMail, inviteMail, newOwnerMail, noticeMail } from './mails.ts';
import * as notices from './notice.store.ts';
import * as policy from './policy.ts';
import type { Post, Sender } from './post.service.ts';
import type { Sessions } from './session.service.ts';

/** A user of a company below the actor's own. */
export type Invited = Owner & { id: string; name: string; email: string };

/** What the companies above can do about an owner's sign-in: invitations, and a change of email address. */
export function createInvites(platform: Platform, parts: { users: Users; post: Post; sessions: Sessions }) {
  const { db, clock, config } = platform;
  const { users, post, sessions } = parts;
  const linkKey = derive(config.appKey, 'links');

  return {
    /** The sender of the emails: the company above, at the host where it works. Looked up before the transaction. */
    sender: (ctx: Ctx, companyId: string): Promise<Sender> => post.sender(companyId, ctx.tenant.host),

    /**
     * Sends a user the link to set their first password: valid once, for 7 days; earlier links stop working.
     * @param host where they will sign in
     * @throws Refusal 429 after five links within an hour
     */
    async invite(tx: Tx, ctx: Ctx, sender: Sender, user: Invited, host: string): Promise<void> {
      const now = clock.now();
      const { id: userId, root_id, agency_id, company_id } = user;
      const since = new Date(now.getTime() - policy.INVITES_MS);
      if ((await store.resetsSince(tx, root_id, userId, since)) >= policy.MOST_INVITES)
        throw new Refusal('too_many', ownMessages.tooManyInvitations(user.name), {
          retryAfter: policy.INVITES_MS / 1000,
        });
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

    /**
     * Tells a company's owners that it has another one, who can do whatever they can. Also the owner who made the change:
     * someone else may have made it in their session.
     */
    async tellOwners(tx: Tx, ctx: Ctx, sender: Sender, added: Invited): Promise<void> {
      const by = (await users.byId(tx, ctx.actor.userId))?.name ?? '';
      const content = (name: string) => newOwnerMail(name, { by, added, ip: ctx.ip });
      for (const owner of await notices.ownersOf(tx, added.company_id))
        if (owner.id !== added.id) await post.send(tx, 'account.notice', sender, owner, content(owner.name));
    },

    /**
     * Ends every way the user has to sign in: sessions, invitations, codes. `forget` them once the transaction is done.
     */
    async shutOut(tx: Tx, userId: string): Promise<void> {
      const now = clock.now();
      await sessions.endAll(tx, userId, null, 'disabled');
      await emailStore.endChanges(tx, userId, now);
      await store.endResets(tx, userId, now);
      await store.endChallenges(tx, userId, now);
    },

    /** Drops what is cached about the user's sessions, because their place or rights have changed. */
    forget: (userId: string): void => sessions.forgetPerson(userId),

    /** Drops what is cached about the sessions of a company's users and its clients', because it was removed. */
    forgetCompany: (companyId: string): void => sessions.forgetCompany(companyId),

    /**
     * The user who has an address in the actor's root, even if the actor's scope does not see them; null if there is
     * none.
     */
    async holderOf(ctx: Ctx, email: string): Promise<string | null> {
      const found = await inScope(db.app, { rootId: ctx.actor.rootId }, (tx) => users.byEmail(tx, email));
      return found?.id ?? null;
    },

    /**
     * Gives a user another address on someone else's decision. A user who has signed in before, in whatever way, is
     * asked: the old address is notified and can confirm or stop the change, otherwise it takes effect after 72 hours
     * (email.service.ts). Anyone else gets it at once, and the caller invites them again. Returns whether the change is pending.
     * @param host where they sign in
     * @throws on the unique constraint when another account of the root has it
     */
    async moveAddress(
      tx: Tx,
      ctx: Ctx,
      sender: Sender,
      user: Invited,
      email: string,
      host: string,
    ): Promise<boolean> {
      const now = clock.now();
      await emailStore.endChanges(tx, user.id, now);
      if (!(await emailStore.hasEntered(tx, user.id))) {
        await users.setEmail(tx, user.id, email);
        await store.endResets(tx, user.id, now);
        const words = `The email address of your account was changed to ${email}`;
        await post.send(tx, 'account.notice', sender, user, noticeMail(user.name, words, ctx.ip));
        return false;
      }
      const id = newId(now);
      const { root_id, agency_id, company_id } = user;
      const due = now.getTime() + policy.HOLD_MS;
      await emailStore.insertChange(tx, {
        id,
        root_id,
        agency_id,
        company_id,
        user_id: user.id,
        email,
        created_at: now,
        // The change stays pending even if it could not be processed for a while.
        expires_at: new Date(due + policy.HOLD_MS),
        effective_at: new Date(due),
        asked_by: ctx.actor.trueActor?.userId ?? ctx.actor.userId,
      });
      const site = policy.siteOf(host, ctx.origin, config.port);
      const link = (purpose: 'email-allow' | 'email-stop') =>
        `${site}/confirm-email/${policy.linkToken(linkKey, purpose, id)}`;
      const links = { allow: link('email-allow'), stop: `${link('email-stop')}?stop=1` };
      await post.send(
        tx,
        'account.email',
        sender,
        user,
        heldAddressMail(user.name, sender.name, email, links),
      );
      const coming = comingAddressMail(user.name, sender.name);
      await post.send(tx, 'account.email', sender, { ...user, email }, coming);
      return true;
    },
  };
}
