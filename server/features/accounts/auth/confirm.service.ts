import type { Assertion } from '../../../../contract/accounts/auth-passkeys.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Actor, Confirmation, Confirmed, Ctx, Tenant } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Users } from '../users/index.ts';
import * as store from './entry.store.ts';
import * as factor from './factor.policy.ts';
import * as limit from './limit.policy.ts';
import type { Passkeys } from './passkey.service.ts';
import * as policy from './policy.ts';
import * as sessionStore from './session.store.ts';

/**
 * Confirming one's identity again in an open session: a login and a confirmation are valid for 15 minutes. In view
 * mode, the person behind the view confirms.
 */
export function createConfirmation(
  { db, clock, vault }: Platform,
  { users, audit, limits, passkeys }: { users: Users; audit: Audit; limits: Limits; passkeys: Passkeys },
) {
  const whole = (actor: Actor) => ({ rootId: actor.rootId });
  const personOf = (actor: Actor): string => actor.trueActor?.userId ?? actor.userId;
  const howOf = async (tx: Tx, userId: string): Promise<'code' | 'password'> =>
    (await store.factorOf(tx, userId))?.kind === 'google' ? 'code' : 'password';

  return {
    /**
     * How an actor can confirm their identity at this tenant's host; null while they do not need to.
     * @throws Refusal 403 for access, to someone who has nothing to confirm with
     */
    missing: (actor: Actor, tenant: Tenant, what: Confirmed): Promise<Confirmation[] | null> =>
      inScope(db.app, whole(actor), async (tx) => {
        const last = await sessionStore.confirmedAt(tx, actor.sessionId);
        const isFresh = last && clock.now().getTime() - last.at.getTime() <= policy.CONFIRM_MS;
        if (isFresh && what !== 'access') return null;
        const userId = personOf(actor);
        const how = await howOf(tx, userId);
        const hasPasskey = await passkeys.worksAt(tx, userId, tenant.host);
        // Only a program can have signed them in, and whoever has its key must not keep a way in by that.
        if (what === 'access' && !hasPasskey && !(await users.secretOf(tx, userId))?.password_hash)
          throw new Refusal('forbidden', ownMessages.passwordFirst);
        if (isFresh) return null;
        return hasPasskey ? [how, 'passkey'] : [how];
      }),

    /**
     * Confirms with the password or, with an authenticator app, one of its codes; or with a passkey instead.
     * @throws Refusal 422 naming the field that is missing or wrong, 429 after too many tries
     */
    async confirm(
      ctx: Ctx,
      given: {
        password?: string | undefined;
        code?: string | undefined;
        credential?: Assertion | undefined;
        binding?: string | undefined;
      },
    ): Promise<void> {
      if (given.credential) return byPasskey(ctx, given.credential, given.binding);
      const { actor } = ctx;
      const userId = personOf(actor);
      const how = await inScope(db.app, whole(actor), (tx) => howOf(tx, userId));
      const value = given[how];
      if (!value) throw refusalOf(how, 'is required');
      const counted = how === 'code' ? limit.CODE : limit.PASSWORD;
      await limits.take(counted, userId);
      const user = await inScope(db.app, whole(actor), (tx) => users.secretOf(tx, userId));
      // Hashed before the transaction: it takes a while.
      const fits = how === 'code' || (await users.passwordFits(user?.password_hash, value));
      const isProven = await inScope(db.app, whole(actor), async (tx) => {
        const now = clock.now();
        const good = fits && (how === 'password' || (await takeCode(tx, userId, value, now)));
        const session = await sessionStore.confirmedAt(tx, actor.sessionId);
        if (good && session) await sessionStore.setConfirmed(tx, session.id, now);
        await audit.record(tx, ctx, {
          action: good ? 'session.confirmed' : 'session.unconfirmed',
          objectKind: 'user',
          objectId: userId,
          description: good
            ? `Confirmed their identity by ${how}`
            : `Failed to confirm their identity by ${how}, from ${ctx.ip}`,
        });
        return good;
      });
      if (!isProven) {
        const words = how === 'code' ? ownMessages.badCode : messages.currentPasswordWrong;
        throw new Refusal('invalid', words, { errors: { [how]: [words] } });
      }
      await limits.clear(counted, userId);
    },
  };

  async function byPasskey(ctx: Ctx, credential: Assertion, binding: string | undefined): Promise<void> {
    const { actor } = ctx;
    const userId = personOf(actor);
    await limits.take(limit.CODE, userId);
    const challenge = await passkeys.answered(ctx, credential, binding);
    const isProven = await inScope(db.app, whole(actor), async (tx) => {
      if (!(await passkeys.confirms(tx, ctx, userId, credential, challenge))) return false;
      const session = await sessionStore.confirmedAt(tx, actor.sessionId);
      if (session) await sessionStore.setConfirmed(tx, session.id, clock.now());
      await audit.record(tx, ctx, {
        action: 'session.confirmed',
        objectKind: 'user',
        objectId: userId,
        description: 'Confirmed their identity with a passkey',
      });
      return true;
    });
    if (!isProven)
      throw new Refusal('invalid', ownMessages.badPasskey, {
        errors: { credential: [ownMessages.badPasskey] },
      });
    await limits.clear(limit.CODE, userId);
  }

  /** Uses up a code from the authenticator. */
  async function takeCode(tx: Tx, userId: string, code: string, now: Date): Promise<boolean> {
    const row = await store.lockFactor(tx, userId);
    if (row?.kind !== 'google') return false;
    const secret = vault.open(row.secret_sealed ?? '', 'user_factor.secret');
    const step = factor.stepOf(secret, code, now, row.last_step);
    if (step !== null) await store.useStep(tx, userId, step);
    return step !== null;
  }
}
