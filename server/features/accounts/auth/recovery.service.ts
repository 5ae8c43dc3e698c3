import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { derive } from '../../../platform/crypto.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Users } from '../users/index.ts';
import * as store from './entry.store.ts';
import { hasFactor, newRecoveryCode, RECOVERY_CODES, recoveryMac } from './factor.policy.ts';
import { noticeMail, recoveryMail } from './mails.ts';
import type { Post, Sender } from './post.service.ts';

type Person = Owner & { id: string; name: string; email: string };

export type Recovery = ReturnType<typeof createRecovery>;

/** Recovery codes: ten at a time, each usable once in place of a lost second factor. */
export function createRecovery(
  { db, clock, config }: Platform,
  { users, audit, post }: { users: Users; audit: Audit; post: Post },
) {
  const key = derive(config.appKey, 'recovery codes');

  /** Replaces a user's codes, inside the transaction that requires it. They are never shown again. */
  async function make(tx: Tx, { id, root_id, agency_id, company_id }: Person): Promise<string[]> {
    const codes = new Set<string>();
    while (codes.size < RECOVERY_CODES) codes.add(newRecoveryCode());
    const created_at = clock.now();
    await store.replaceRecoveryCodes(
      tx,
      id,
      [...codes].map((code) => ({
        user_id: id,
        root_id,
        agency_id,
        company_id,
        code_mac: recoveryMac(key, id, code),
        created_at,
      })),
    );
    return [...codes];
  }

  return {
    make,
    /** Deletes a user's codes: there is no second factor left for them to replace. */
    end: (tx: Tx, userId: string): Promise<void> => store.replaceRecoveryCodes(tx, userId, []),

    /**
     * Uses up a code, notifies the user and logs it. Returns how many are left; null if it is invalid or was already
     * used.
     */
    async use(
      tx: Tx,
      ctx: Ctx,
      person: Person,
      { code, sender }: { code: string; sender: Sender },
    ): Promise<number | null> {
      const isGood = await store.useRecoveryCode(
        tx,
        person.id,
        recoveryMac(key, person.id, code),
        clock.now(),
      );
      if (!isGood) return null;
      const { left } = await store.recoveryCodesOf(tx, person.id);
      await post.send(tx, 'account.notice', sender, person, recoveryMail(person.name, left, ctx.ip));
      const { root_id, agency_id, company_id } = person;
      await audit.recordEntry(tx, ctx, { root_id, agency_id, company_id }, person.id, {
        action: 'recovery.used',
        objectKind: 'user',
        objectId: person.id,
        description: `${person.name} used a recovery code from ${ctx.ip}; ${left} left`,
      });
      return left;
    },

    /** Who the email about a used code is from. */
    sender: (ctx: Ctx): Promise<Sender> => post.sender(ctx.tenant.companyId, ctx.tenant.host),

    /** How many codes the signed-in person has left. */
    stateOf: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { total, left, made_at } = await store.recoveryCodesOf(tx, ctx.actor.userId);
        return { total, left, made_at: made_at?.toISOString() ?? null };
      }),

    /**
     * Replaces the signed-in user's codes.
     * @throws Refusal 409 while they have neither a second factor nor a passkey
     */
    async renew(ctx: Ctx): Promise<string[]> {
      const { userId } = ctx.actor;
      const sender = await post.sender(ctx.tenant.companyId, ctx.tenant.host);
      return inScope(db.app, ctx.scope, async (tx) => {
        await users.lock(tx, userId);
        const [person, duty] = [await users.secretOf(tx, userId), await store.factorDutyOf(tx, userId)];
        if (!person || !hasFactor(duty)) throw new Refusal('conflict', ownMessages.recoveryNeedsFactor);
        const codes = await make(tx, person);
        const words = 'New recovery codes were created, and the previous ones no longer work';
        await post.send(tx, 'account.notice', sender, person, noticeMail(person.name, words, ctx.ip));
        await audit.record(tx, ctx, {
          action: 'recovery.made',
          objectKind: 'user',
          objectId: userId,
          description: words,
        });
        return codes;
      });
    },
  };
}
