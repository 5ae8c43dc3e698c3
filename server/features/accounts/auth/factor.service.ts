import QRCode from 'qrcode';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { derive } from '../../../platform/crypto.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Users } from '../users/index.ts';
import * as emailStore from './email.store.ts';
import * as store from './entry.store.ts';
import * as factor from './factor.policy.ts';
import * as limit from './limit.policy.ts';
import { noticeMail, passwordMail } from './mails.ts';
import type { Passkeys } from './passkey.service.ts';
import { isCommonPassword } from './password.policy.ts';
import { siteOf } from './policy.ts';
import type { Post } from './post.service.ts';
import type { Recovery } from './recovery.service.ts';
import type { Sessions } from './session.service.ts';
import { setFactorMet } from './session.store.ts';

type Kind = 'email' | 'google' | null;

export type Factors = ReturnType<typeof createFactors>;

/** The user's own password and second factor. No one can see or change another user's (AUTH-11, AUTH-15). */
export function createFactors(
  platform: Platform,
  parts: {
    users: Users;
    audit: Audit;
    limits: Limits;
    sessions: Sessions;
    post: Post;
    recovery: Recovery;
    passkeys: Passkeys;
  },
) {
  const { db, clock, vault } = platform;
  const { users, audit, limits, sessions, post, recovery, passkeys } = parts;
  const offerKey = derive(platform.config.appKey, 'offered authenticator secrets');

  /** Someone else's id returns 404, no matter who asks. */
  const ownOnly = (ctx: Ctx, userId: string, companyId = ctx.actor.companyId): void => {
    if (userId !== ctx.actor.userId || companyId !== ctx.actor.companyId)
      throw new Refusal('not_found', ownMessages.notFound);
  };

  /** Returns the user once the current password is proven; throws 422, and 429 after five wrong attempts. */
  async function proven(ctx: Ctx, password: string) {
    const { userId } = ctx.actor;
    await limits.take(limit.PASSWORD, userId);
    const user = await inScope(db.app, ctx.scope, (tx) => users.secretOf(tx, userId));
    if (!user || !(await users.passwordFits(user.password_hash, password))) {
      throw new Refusal('invalid', messages.currentPasswordWrong, {
        errors: { current_password: [messages.currentPasswordWrong] },
      });
    }
    await limits.clear(limit.PASSWORD, userId);
    return user;
  }

  /**
   * Locks the user whose password was proven.
   * @throws Refusal 422 if it is no longer theirs: whoever replaced it ended this session with it
   */
  async function mustStand(tx: Tx, user: { id: string; password_hash: string | null }): Promise<void> {
    if (!(await users.lockIfPassword(tx, user.id, user.password_hash)))
      throw new Refusal('invalid', messages.currentPasswordWrong, {
        errors: { current_password: [messages.currentPasswordWrong] },
      });
  }

  const offered = (ctx: Ctx, generation: number): string =>
    factor.offeredSecret(offerKey, ctx.actor.userId, generation, ctx.actor.sessionId);
  const settingOf = (kind: Kind | undefined) => ({
    two_factor_auth: Boolean(kind),
    two_factor_auth_type: kind ?? null,
  });

  return {
    proven,
    mustStand,

    /** Changes the user's own password and ends their other sessions. */
    async changePassword(
      ctx: Ctx,
      given: { user_id: string; new_password: string; current_password: string },
    ): Promise<void> {
      ownOnly(ctx, given.user_id);
      const user = await proven(ctx, given.current_password);
      refuseGuessable(given.new_password, user.email);
      const passwordHash = await users.hashPassword(given.new_password);
      const sender = await post.sender(ctx.tenant.companyId, ctx.tenant.host);
      const ended = await inScope(db.app, ctx.scope, async (tx) => {
        const now = clock.now();
        await mustStand(tx, user);
        await users.setPassword(tx, user.id, passwordHash);
        await store.endResets(tx, user.id, now);
        await emailStore.endChanges(tx, user.id, now);
        await store.endChallenges(tx, user.id, now);
        const ids = await sessions.endAll(tx, user.id, ctx.actor.sessionId, 'password');
        await post.send(
          tx,
          'account.notice',
          sender,
          user,
          passwordMail(user.name, ctx.ip, await passkeys.of(tx, user.id), {
            url: `${siteOf(ctx.tenant.host, ctx.origin, platform.config.port)}/user/sessions`,
          }),
        );
        const description = `Changed the password; ${ids.length} other devices were signed out`;
        await audit.record(tx, ctx, {
          action: 'password.change',
          objectKind: 'user',
          objectId: user.id,
          description,
        });
        return ids;
      });
      sessions.forget(ended);
    },

    async twoFactor(ctx: Ctx, userId: string) {
      ownOnly(ctx, userId);
      const row = await inScope(db.app, ctx.scope, (tx) => store.factorOf(tx, userId));
      return settingOf(row?.kind);
    },

    /** The secret offered for an authenticator app. Nothing changes until the user enters a code generated from it. */
    async offerSecret(
      ctx: Ctx,
      userId: string,
      companyId: string,
    ): Promise<{ qr_code_url: string; secret_key: string }> {
      ownOnly(ctx, userId, companyId);
      const sender = await post.sender(ctx.tenant.companyId, ctx.tenant.host);
      const { user, row } = await inScope(db.app, ctx.scope, async (tx) => ({
        user: await users.secretOf(tx, userId),
        row: await store.factorOf(tx, userId),
      }));
      const secretKey = offered(ctx, row?.generation ?? 0);
      const url = factor.secretUrl(secretKey, sender.name, user?.email ?? '');
      // A drawing costs a tenth of what an image does.
      const svg = await QRCode.toString(url, { type: 'svg', margin: 2, width: 232 });
      return {
        qr_code_url: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
        secret_key: secretKey,
      };
    },

    /**
     * Sets the user's own second factor: requires the current password and, for an authenticator, a code from the
     * offered secret. Returns new recovery codes when it is turned on.
     */
    async saveTwoFactor(
      ctx: Ctx,
      given: {
        user_id: string;
        two_factor_auth: boolean;
        two_factor_auth_type?: Kind | undefined;
        secret_key?: string | undefined;
        current_password: string;
        code?: string | undefined;
      },
    ) {
      ownOnly(ctx, given.user_id);
      const kind: Kind = given.two_factor_auth ? (given.two_factor_auth_type ?? null) : null;
      if (given.two_factor_auth && !kind) throw refusalOf('two_factor_auth_type', 'is required');
      if (kind === 'google' && !given.code) throw refusalOf('code', 'is required');
      const user = await proven(ctx, given.current_password);
      if (kind === 'google') await limits.take(limit.CODE, user.id);
      const sender = await post.sender(ctx.tenant.companyId, ctx.tenant.host);
      // The requirement is stored with the companies above.
      const codes = await inScope(db.app, { rootId: ctx.actor.rootId }, async (tx) => {
        const now = clock.now();
        await mustStand(tx, user);
        const duty = await store.factorDutyOf(tx, user.id);
        if (!kind && duty.since && duty.passkeys.length === 0)
          throw new Refusal('conflict', ownMessages.factorRequired);
        const row = await store.factorOf(tx, user.id);
        const generation = row?.generation ?? 0;
        const secret = offered(ctx, generation);
        if (kind === 'google' && given.secret_key && given.secret_key !== secret) {
          throw refusalOf('secret_key', 'is not the one created for you. Open the QR code again');
        }
        const step = kind === 'google' ? factor.stepOf(secret, given.code ?? '', now, 0n) : 0n;
        if (step === null)
          throw new Refusal('invalid', ownMessages.badCode, { errors: { code: [ownMessages.badCode] } });
        await store.saveFactor(tx, {
          user_id: user.id,
          root_id: user.root_id,
          agency_id: user.agency_id,
          company_id: user.company_id,
          kind,
          secret_sealed: kind === 'google' ? vault.seal(secret, 'user_factor.secret') : null,
          generation: generation + 1,
          last_step: step,
          updated_at: now,
        });
        await store.endChallenges(tx, user.id, now);
        const codes = kind ? await recovery.make(tx, user) : null;
        if (kind) await setFactorMet(tx, user.id);
        else if (duty.passkeys.length === 0) await recovery.end(tx, user.id);
        const ended = await sessions.endAll(tx, user.id, ctx.actor.sessionId, 'factor');
        const what = kind
          ? `Two-factor sign-in was set to ${kind === 'google' ? 'an authenticator app' : 'codes by email'}`
          : 'Two-factor authentication was turned off';
        await post.send(tx, 'account.notice', sender, user, noticeMail(user.name, what, ctx.ip));
        await audit.record(tx, ctx, {
          action: 'factor.change',
          objectKind: 'user',
          objectId: user.id,
          description: `${what}; ${ended.length} other devices were signed out`,
        });
        return codes;
      });
      if (kind === 'google') await limits.clear(limit.CODE, user.id);
      sessions.forgetPerson(user.id);
      return { ...settingOf(kind), recovery_codes: codes };
    },
  };
}

/** Throws 422 if the password is the user's own address or one that attackers try first. */
export function refuseGuessable(password: string, email: string, field = 'new_password'): void {
  if (password.trim().toLowerCase() === email) throw refusalOf(field, ownMessages.passwordIsAddress);
  if (isCommonPassword(password)) throw refusalOf(field, ownMessages.passwordIsCommon);
}
