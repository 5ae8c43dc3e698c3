import type { CodeStep } from '../../../../contract/accounts/auth-tokens.ts';
import { type FieldErrors, Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { derive, hashToken, newToken } from '../../../platform/crypto.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { type LimitRule, type Limits, networkOf } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Users } from '../users/index.ts';
import { alertJob } from './alerts.service.ts';
import type { Captcha } from './captcha.service.ts';
import * as store from './entry.store.ts';
import * as factor from './factor.policy.ts';
import * as limit from './limit.policy.ts';
import { codeMail } from './mails.ts';
import { belongsAt, hintsFit } from './policy.ts';
import type { Post } from './post.service.ts';
import type { Recovery } from './recovery.service.ts';
import type { Sessions, TokenPair } from './session.service.ts';

interface Hints {
  company_id?: string | undefined;
  root_id?: string | undefined;
}
type User = NonNullable<Awaited<ReturnType<Users['byEmail']>>>;

export type Login = ReturnType<typeof createLogin>;

/** Signing in with a password, plus a code where a second factor is on (AUTH-01, AUTH-06). */
export function createLogin(
  platform: Platform,
  parts: {
    users: Users;
    audit: Audit;
    limits: Limits;
    captcha: Captcha;
    sessions: Sessions;
    post: Post;
    recovery: Recovery;
  },
) {
  const { db, clock, vault, jobs } = platform;
  const { users, audit, limits, captcha, sessions, post, recovery } = parts;
  const codeKey = derive(platform.config.appKey, 'login codes');

  const whole = (ctx: Ctx) => ({ rootId: ctx.tenant.rootId });
  const over = (): never => {
    throw new Refusal('gone', ownMessages.codeOver, {
      errors: { otp_token: ['has already been used or has expired'] },
    });
  };

  const stepOf = (
    row: { kind: CodeStep['type']; sent: number; sent_at: Date; expires_at: Date },
    token: string,
    email: string,
    hosts: readonly string[] = [],
  ): CodeStep => ({
    otp_token: token,
    type: row.kind,
    sent_to:
      row.kind === 'email' ? factor.maskedAddress(email) : row.kind === 'passkey' ? hosts.join(', ') : null,
    expires_at: row.expires_at.toISOString(),
    resend_at:
      row.kind === 'email' && row.sent < factor.CODES_SENT
        ? new Date(row.sent_at.getTime() + factor.RESEND_MS).toISOString()
        : null,
  });

  /**
   * Locks the user. A new password, or a second factor turned on, ends the sign-ins in progress: one whose password was
   * checked just before must not be completed after it.
   * @throws Refusal 401 if the password is no longer theirs
   */
  async function mustStand(tx: Tx, user: User): Promise<void> {
    if (!(await users.lockIfPassword(tx, user.id, user.password_hash)))
      throw new Refusal('unauthenticated', ownMessages.badLogin);
  }

  /** Starts the code step: the session is opened only when the code is proven. */
  async function askForCode(
    ctx: Ctx,
    user: User & { email: string },
    kind: CodeStep['type'],
    hosts: readonly string[] = [],
  ): Promise<CodeStep> {
    if (kind === 'email') await limits.take(limit.CODE_MAIL, user.id);
    const sender = await post.sender(ctx.tenant.companyId, ctx.tenant.host);
    const now = clock.now();
    const id = newId(now);
    const { token, hash } = newToken();
    const code = kind === 'email' ? factor.newCode() : null;
    const owner = { root_id: user.root_id, agency_id: user.agency_id, company_id: user.company_id };
    const row = {
      id,
      ...owner,
      token_hash: hash,
      user_id: user.id,
      tenant_id: ctx.tenant.companyId,
      kind,
      code_mac: code ? factor.codeMac(codeKey, id, code) : null,
      sent: 1,
      sent_at: now,
      created_at: now,
      expires_at: new Date(now.getTime() + factor.CODE_MS),
    };
    await inScope(db.app, whole(ctx), async (tx) => {
      await mustStand(tx, user);
      await store.insertChallenge(tx, row);
      if (code) await post.send(tx, 'login.code', sender, user, codeMail(user.name, code));
      await audit.recordEntry(tx, ctx, owner, null, {
        action: 'login.code',
        objectKind: 'user',
        objectId: user.id,
        description: `${user.name} entered the correct password from ${ctx.ip}; ${kind === 'passkey' ? 'a passkey' : `a code (${kind})`} is required`,
      });
    });
    return stepOf(row, token, user.email, hosts);
  }

  /** Opens a session for a user whose password has been verified, or asks for whatever else is required. */
  async function enter(ctx: Ctx, user: User, email: string, how = ''): Promise<TokenPair | CodeStep> {
    const { second, duty, id } = await inScope(db.app, whole(ctx), async (tx) => {
      await mustStand(tx, user);
      const second = await store.factorOf(tx, user.id);
      const duty = await store.factorDutyOf(tx, user.id);
      // A passkey that is the required second factor cannot be bypassed with the password alone.
      const isEnough = !second?.kind && !(factor.isDue(duty, clock.now()) && duty.passkeys.length > 0);
      return { second, duty, id: isEnough ? await sessions.open(tx, ctx, user, how) : null };
    });
    if (second?.kind) return askForCode(ctx, { ...user, email: second.address ?? email }, second.kind);
    if (id === null) return askForCode(ctx, { ...user, email }, 'passkey', duty.passkeys);
    return sessions.tokens(ctx.tenant, user.id, id);
  }

  return {
    enter,

    /**
     * Signs in at the host's tenant: returns tokens, or starts the code step. Every kind of failure has the same text
     * and does the same work; attempts are counted before the password is checked (AUTH-21).
     */
    async login(
      ctx: Ctx,
      given: { username: string; password: string; captcha_token?: string | undefined } & Hints,
    ): Promise<TokenPair | CodeStep> {
      const { tenant } = ctx;
      const network = networkOf(ctx.ip);
      const account = `${tenant.rootId}\n${given.username}`;
      const counted: [LimitRule, string][] = [
        [limit.LOGIN, `${account}\n${network}`],
        [limit.LOGIN_NETWORK, limit.networkAt(ctx)],
        [limit.LOGIN_ACCOUNT, account],
      ];
      const [tries = 0, nearby = 0, everywhere = 0] = await limits.takeAll(counted);
      if (
        tries > limit.CAPTCHA_AFTER ||
        nearby > limit.CAPTCHA_AFTER_NETWORK ||
        everywhere > limit.CAPTCHA_AFTER_ACCOUNT
      ) {
        try {
          await captcha.check(ctx, given.captcha_token);
        } catch (error) {
          await limits.giveBackAll(counted);
          throw error;
        }
      }

      const user = await inScope(db.app, whole(ctx), (tx) => users.byEmail(tx, given.username));
      const fits = await users.passwordFits(user?.password_hash, given.password);
      const rightPlace =
        user &&
        !user.disabled_at &&
        !user.removed_at &&
        belongsAt(tenant, {
          rootId: user.root_id,
          agencyId: user.agency_id,
          companyId: user.company_id,
          kind: user.kind,
        }) &&
        hintsFit(tenant, given);
      if (!fits || !rightPlace) {
        await recordFailure(ctx, given.username, user, {
          paused: tries === limit.LOGIN.max,
          many: everywhere > 0 && everywhere % limit.MANY_TRIES === 0,
        });
        // Tells the page to show the captcha before the next attempt.
        const errors: FieldErrors =
          tries >= limit.CAPTCHA_AFTER || nearby >= limit.CAPTCHA_AFTER_NETWORK
            ? { captcha_token: [ownMessages.captchaNeeded] }
            : {};
        throw new Refusal('unauthenticated', ownMessages.badLogin, { errors });
      }
      await limits.giveBack(limit.LOGIN_NETWORK, limit.networkAt(ctx));
      await limits.clear(limit.LOGIN, `${account}\n${network}`);
      await limits.clear(limit.LOGIN_ACCOUNT, account);
      return enter(ctx, user, given.username);
    },

    /**
     * Completes a login with its code, or a recovery code instead. 422 for a wrong code, 410 when the login is over: used,
     * expired, five wrong codes.
     */
    async verifyLogin(
      ctx: Ctx,
      given: {
        email: string;
        code?: string | undefined;
        recovery_code?: string | undefined;
        otp_token: string;
      } & Hints,
    ): Promise<TokenPair & { recovery_codes_left?: number }> {
      const { tenant } = ctx;
      const hash = hashToken(given.otp_token);
      const known = await inScope(db.app, whole(ctx), (tx) => store.challengeByToken(tx, hash));
      if (
        !known ||
        known.tenant_id !== tenant.companyId ||
        known.email !== given.email ||
        !hintsFit(tenant, given)
      )
        return over();
      await limits.take(limit.CODE, known.user_id);
      const code = given.recovery_code;
      const spare = code ? { code, sender: await recovery.sender(ctx) } : null;
      const outcome = await inScope(db.app, whole(ctx), async (tx) => {
        const row = await store.lockChallenge(tx, known.id);
        const now = clock.now();
        if (row.used_at || row.expires_at <= now || row.attempts >= factor.CODE_TRIES) return 'over';
        const user = await users.byEmail(tx, known.email);
        const second = await store.lockFactor(tx, row.user_id);
        // The second factor has changed since, or it is a different person: this login is over.
        const kind = second?.kind ?? 'passkey';
        if (user?.id !== row.user_id || user.disabled_at || user.removed_at || kind !== row.kind)
          return 'over';
        await store.setChallenge(tx, row.id, { attempts: row.attempts + 1 });
        const person = { ...user, email: known.email };
        const left = spare && (await recovery.use(tx, ctx, person, spare));
        if (left === null && !(given.code && second && (await proves(tx, row, second, given.code, now)))) {
          const { root_id, agency_id, company_id } = row;
          await audit.recordEntry(tx, ctx, { root_id, agency_id, company_id }, null, {
            action: 'login.code_failed',
            objectKind: 'user',
            objectId: row.user_id,
            description: `A wrong ${given.recovery_code ? 'recovery ' : ''}code was entered for ${user.name} from ${ctx.ip} after the correct password`,
          });
          return row.attempts + 1 >= factor.CODE_TRIES ? 'over' : 'wrong';
        }
        await store.setChallenge(tx, row.id, { used_at: now });
        const how = left === null ? ` with a code (${row.kind})` : ' with a recovery code';
        return { sessionId: await sessions.open(tx, ctx, user, how), left };
      });
      if (outcome === 'over') return over();
      if (outcome === 'wrong')
        throw new Refusal('invalid', ownMessages.badCode, {
          errors: { [given.recovery_code ? 'recovery_code' : 'code']: [ownMessages.badCode] },
        });
      await limits.clear(limit.CODE, known.user_id);
      const pair = await sessions.tokens(tenant, known.user_id, outcome.sessionId);
      return outcome.left === null ? pair : { ...pair, recovery_codes_left: outcome.left };
    },

    /** Sends another code for a login; the previous code becomes invalid, but wrong attempts still count. */
    async resendCode(ctx: Ctx, given: { otp_token: string; email?: string | undefined }): Promise<CodeStep> {
      const { tenant } = ctx;
      const hash = hashToken(given.otp_token);
      const known = await inScope(db.app, whole(ctx), (tx) => store.challengeByToken(tx, hash));
      if (!known || known.tenant_id !== tenant.companyId || (given.email && known.email !== given.email))
        return over();
      if (known.kind !== 'email') throw new Refusal('conflict', ownMessages.codesFromApp);
      await limits.take(limit.CODE_MAIL, known.user_id);
      const sender = await post.sender(tenant.companyId, tenant.host);
      const outcome = await inScope(db.app, whole(ctx), async (tx) => {
        const row = await store.lockChallenge(tx, known.id);
        const now = clock.now();
        if (row.used_at || row.expires_at <= now || row.attempts >= factor.CODE_TRIES) return 'over';
        if (row.sent >= factor.CODES_SENT) return 'often';
        const wait = row.sent_at.getTime() + factor.RESEND_MS - now.getTime();
        if (wait > 0) return { wait };
        const email = (await store.factorOf(tx, row.user_id))?.address ?? known.email;
        const code = factor.newCode();
        const next = {
          sent: row.sent + 1,
          sent_at: now,
          expires_at: new Date(now.getTime() + factor.CODE_MS),
        };
        await store.setChallenge(tx, row.id, { ...next, code_mac: factor.codeMac(codeKey, row.id, code) });
        await post.send(
          tx,
          'login.code',
          sender,
          { ...row, name: known.name, email },
          codeMail(known.name, code),
        );
        await audit.recordEntry(
          tx,
          ctx,
          { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
          null,
          {
            action: 'login.code',
            objectKind: 'user',
            objectId: row.user_id,
            description: `${known.name} requested another code from ${ctx.ip}`,
          },
        );
        return { step: stepOf({ ...row, ...next }, given.otp_token, email) };
      });
      if (typeof outcome === 'object' && 'step' in outcome && outcome.step) return outcome.step;
      await limits.giveBack(limit.CODE_MAIL, known.user_id);
      if (outcome === 'over') return over();
      if (outcome === 'often') throw new Refusal('too_many', ownMessages.codeSentTooOften);
      throw new Refusal('too_many', ownMessages.codeSentTooSoon, {
        retryAfter: Math.ceil((outcome.wait ?? 0) / 1000),
      });
    },
  };

  /** Logs a failed login, the same way whether there is such an account or not. */
  async function recordFailure(
    ctx: Ctx,
    username: string,
    user: User | undefined,
    { paused, many }: { paused: boolean; many: boolean },
  ): Promise<void> {
    const { rootId } = ctx.tenant;
    const owner = user
      ? { root_id: user.root_id, agency_id: user.agency_id, company_id: user.company_id }
      : { root_id: rootId, agency_id: ctx.tenant.agencyId, company_id: ctx.tenant.companyId };
    await inScope(db.app, whole(ctx), async (tx) => {
      const logId = await audit.recordEntry(tx, ctx, owner, null, {
        action: paused ? 'login.paused' : 'login.failed',
        objectKind: 'user',
        objectId: user?.id ?? '',
        description: `A sign-in as ${username} failed from ${ctx.ip}${paused ? '; further attempts from there must wait' : ''}`,
      });
      if (paused || many) await jobs.send(tx, alertJob, [{ rootId, userId: user?.id ?? null, logId }]);
    });
  }

  /** Whether the code proves the factor. This uses up the authenticator's step. */
  async function proves(
    tx: Tx,
    row: { id: string; user_id: string; code_mac: Buffer | null },
    second: { kind: 'email' | 'google' | null; secret_sealed: string | null; last_step: bigint },
    code: string,
    now: Date,
  ): Promise<boolean> {
    if (second.kind === 'email') return factor.codeFits(row.code_mac, factor.codeMac(codeKey, row.id, code));
    // A passkey, which no code proves: the authenticator used before it is gone.
    if (second.kind !== 'google') return false;
    const secret = vault.open(second.secret_sealed ?? '', 'user_factor.secret');
    const step = factor.stepOf(secret, code, now, second.last_step);
    if (step !== null) await store.useStep(tx, row.user_id, step);
    return step !== null;
  }
}
