import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { derive } from '../../../platform/crypto.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Users } from '../users/index.ts';
import * as store from './email.store.ts';
import * as entryStore from './entry.store.ts';
import type { Factors } from './factor.service.ts';
import * as limit from './limit.policy.ts';
import { newAddressMail, noticeMail } from './mails.ts';
import * as policy from './policy.ts';
import type { Post } from './post.service.ts';
import type { Sessions } from './session.service.ts';

/**
 * Changing the email address of one's own account. The user proves their password; the address takes effect when they
 * follow the link sent to it, and the old one is notified. Until then everything continues with the old one. An address
 * entered by another person (invite.service.ts) waits for approval from the old address, or 72 hours.
 */
export function createEmails(
  platform: Platform,
  parts: { users: Users; audit: Audit; limits: Limits; post: Post; factors: Factors; sessions: Sessions },
) {
  const { db, clock, config } = platform;
  const { users, audit, limits, post, factors, sessions } = parts;
  const linkKey = derive(config.appKey, 'links');

  return {
    /**
     * Checks a request for another address before anything is saved. Returns the password that was proven, as it is
     * stored, for `ask`; null if another account of the system has the address.
     * @throws Refusal 422 for a wrong current password, 429 after too many tries
     */
    async mayAsk(ctx: Ctx, email: string, password: string): Promise<string | null> {
      const { password_hash } = await factors.proven(ctx, password);
      await limits.take(limit.NEW_ADDRESS, ctx.actor.userId);
      const holder = await inScope(db.app, { rootId: ctx.actor.rootId }, (tx) => users.byEmail(tx, email));
      return holder ? null : password_hash;
    },

    /**
     * Sends the link to the new address. Cancels the person's earlier requests.
     * @throws Refusal 422 if the password that was proven is no longer theirs
     */
    async ask(ctx: Ctx, email: string, passwordHash: string): Promise<void> {
      const { actor, tenant } = ctx;
      const sender = await post.sender(tenant.companyId, tenant.host);
      const site = policy.siteOf(tenant.host, ctx.origin, config.port);
      await inScope(db.app, ctx.scope, async (tx) => {
        const now = clock.now();
        await factors.mustStand(tx, { id: actor.userId, password_hash: passwordHash });
        const user = await users.secretOf(tx, actor.userId);
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
          `Someone asked to change the email address of your account to ${email}`,
          ctx.ip,
        );
        await post.send(tx, 'account.notice', sender, user, notice);
        await audit.record(tx, ctx, {
          action: 'email.asked',
          objectKind: 'user',
          objectId: user.id,
          description: `Asked to change the email address to ${email}`,
        });
      });
    },

    /** The address awaiting confirmation, or null. */
    pending: (ctx: Ctx): Promise<string | null> =>
      inScope(db.app, ctx.scope, (tx) => store.openChange(tx, ctx.actor.userId, clock.now())),

    /** The pending address that another person has entered for someone in scope; null if there is none. */
    held: (ctx: Ctx, userId: string): Promise<string | null> =>
      inScope(db.app, ctx.scope, (tx) => store.heldChange(tx, userId, clock.now())),

    /**
     * Applies a new address: one's own by the link sent to it, one entered by another person by the link sent to the
     * old one.
     * @throws Refusal 410 for a link that is not valid (anymore), 429
     */
    confirm: (ctx: Ctx, token: string): Promise<void> =>
      byLink(ctx, token, ['email', 'email-allow'], (tx, row) => takeOver(tx, row, true)),

    /**
     * Stops a change requested by another person, by the link sent to the old address.
     * @throws Refusal 410, 429
     */
    stop: (ctx: Ctx, token: string): Promise<void> =>
      byLink(ctx, token, ['email-stop'], async (tx, row) => {
        const now = clock.now();
        const user = await users.secretOf(tx, row.user_id);
        await store.endChanges(tx, row.user_id, now);
        const owner = { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id };
        await audit.recordSystem(tx, now, owner, {
          action: 'email.stopped',
          objectKind: 'user',
          objectId: row.user_id,
          description: `${user?.name} canceled the change of their email address to ${row.email}, from ${ctx.ip}`,
        });
        return [];
      }),

    /** Applies the addresses entered by other people that were not stopped in time. */
    async takeDue(rootId: string): Promise<void> {
      const due = await inScope(db.app, { rootId }, (tx) => store.dueChanges(tx, clock.now()));
      for (const id of due) {
        const ended = await inScope(db.app, { rootId }, async (tx) => {
          const row = await store.lockChange(tx, id);
          if (!row || row.used_at) return [];
          const holder = await users.byEmail(tx, row.email);
          if (!holder) return takeOver(tx, row, false);
          // Another account got the address in the meantime.
          await store.endChanges(tx, row.user_id, clock.now());
          return [];
        });
        sessions.forget(ended);
      }
    },
  };

  type Change = NonNullable<Awaited<ReturnType<typeof store.lockChange>>>;

  /** Does what a link is for, once, and forgets the sessions that it ended. */
  async function byLink(
    ctx: Ctx,
    token: string,
    purposes: ('email' | 'email-allow' | 'email-stop')[],
    work: (tx: Tx, row: Change) => Promise<string[]>,
  ): Promise<void> {
    const stale = new Refusal('gone', ownMessages.emailLinkInvalid, {
      errors: { token: ['has already been used or has expired'] },
    });
    const network = limit.networkAt(ctx);
    await limits.take(limit.LINK_NETWORK, network);
    const purpose = purposes.find((one) => policy.readLinkToken(linkKey, one, token));
    const id = purpose && policy.readLinkToken(linkKey, purpose, token);
    if (!id) throw stale;
    try {
      const ended = await inScope(db.app, { rootId: ctx.tenant.rootId }, async (tx) => {
        const row = await store.lockChange(tx, id);
        if (!row || row.used_at || row.expires_at <= clock.now()) throw stale;
        return work(tx, row);
      });
      sessions.forget(ended);
    } catch (error) {
      // Another account got the address in the meantime.
      if ((error as { code?: string }).code === '23505') throw stale;
      throw error;
    }
    await limits.giveBack(limit.LINK_NETWORK, network);
  }

  /**
   * Makes the new address the account's. `isTheirs`: the person has confirmed it; otherwise codes of an email factor
   * still go to the old address, since whoever entered the new one may be malicious. Returns the sessions that ended.
   */
  async function takeOver(tx: Tx, row: Change, isTheirs: boolean): Promise<string[]> {
    const now = clock.now();
    const user = await users.secretOf(tx, row.user_id);
    if (!user || user.disabled_at) {
      await store.endChanges(tx, row.user_id, now);
      return [];
    }
    if (!isTheirs) await store.keepFactorAddress(tx, user.id, user.email);
    await users.setEmail(tx, row.user_id, row.email);
    await store.endChanges(tx, row.user_id, now);
    // Links and codes sent to the old address no longer work.
    await entryStore.endResets(tx, row.user_id, now);
    await entryStore.endChallenges(tx, row.user_id, now);
    const ended = row.asked_by ? await sessions.endAll(tx, user.id, null, 'ended') : [];
    const owner = { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id };
    await audit.recordSystem(tx, now, owner, {
      action: 'email.changed',
      objectKind: 'user',
      objectId: row.user_id,
      description: `The email address of ${user.name} changed from ${user.email} to ${row.email}${row.asked_by ? (isTheirs ? ', confirmed at the old address; all devices were signed out' : ' after 72 hours; all devices were signed out') : ''}`,
    });
    return ended;
  }
}
