import { randomBytes } from 'node:crypto';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { z } from 'zod';
import type { CodeStep } from '../../../../contract/accounts/auth-tokens.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { derive } from '../../../platform/crypto.ts';
import type { Ctx, Tenant } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { defineJob } from '../../../platform/jobs.ts';
import { type LimitRule, type Limits, rangeOf } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Sales } from '../sales/index.ts';
import type { Tenants } from '../tenants/index.ts';
import { readPhone, type Users } from '../users/index.ts';
import type { Captcha } from './captcha.service.ts';
import * as emailStore from './email.store.ts';
import * as store from './entry.store.ts';
import { refuseGuessable } from './factor.service.ts';
import * as limit from './limit.policy.ts';
import type { Login } from './login.service.ts';
import { confirmMail, knownMail, passwordMail, resetMail } from './mails.ts';
import type { Passkeys } from './passkey.service.ts';
import * as policy from './policy.ts';
import type { Post } from './post.service.ts';
import type { Sessions, TokenPair } from './session.service.ts';

/** Sends the link for a requested new password, or nothing if no one has the address. */
export const resetJob = defineJob('access.reset', z.object({ rootId: z.uuid(), resetId: z.uuid() }));

interface SignUp {
  company_name: string;
  name: string;
  email: string;
  phone?: string | undefined;
  password: string;
  captcha_token?: string | undefined;
  user_type?: 'userdownline' | 'client' | undefined;
  company_id?: string | undefined;
  root_id?: string | undefined;
  referral_code?: string | undefined;
}

/** The company and person that a tenant's own rows belong to while no user is known. */
const ownerOf = (tenant: Tenant) => ({
  root_id: tenant.rootId,
  agency_id: tenant.agencyId,
  company_id: tenant.companyId,
});

/**
 * Sign-up and forgotten password (AUTH-07 to AUTH-10). Whether an address has an account is never revealed: the
 * response, its status, the statements and the hashing are the same; only the owner of the mailbox finds out.
 */
export function createEntry(
  platform: Platform,
  parts: {
    tenants: Tenants;
    users: Users;
    audit: Audit;
    sales: Sales;
    limits: Limits;
    captcha: Captcha;
    sessions: Sessions;
    post: Post;
    passkeys: Passkeys;
    login: Login;
  },
) {
  const { db, clock, config, jobs } = platform;
  const { tenants, users, audit, sales, limits, captcha, sessions, post, passkeys, login } = parts;
  const linkKey = derive(config.appKey, 'links');
  const whole = (ctx: Ctx) => ({ rootId: ctx.tenant.rootId });

  /** Counts the request and checks its captcha; a request whose captcha fails does not count. */
  async function guard(
    ctx: Ctx,
    counted: [LimitRule, string][],
    captchaToken: string | undefined,
  ): Promise<void> {
    await limits.takeAll(counted);
    try {
      await captcha.check(ctx, captchaToken);
    } catch (error) {
      await limits.giveBackAll(counted);
      throw error;
    }
  }

  /** Checks a reset token: returns its row, or why it is not valid. */
  async function readReset(tx: Tx, token: string, email: string) {
    const id = policy.readLinkToken(linkKey, 'reset', token);
    const row = id ? await store.resetById(tx, id) : undefined;
    if (!row || row.email !== email.trim().toLowerCase() || row.disabled_at)
      return { reason: ownMessages.resetInvalid };
    if (row.used_at) return { reason: ownMessages.resetUsed };
    if (row.expires_at <= clock.now()) return { reason: ownMessages.resetExpired };
    return { row };
  }

  const kindAt = (tenant: Tenant): 'agency' | 'client' => (tenant.kind === 'root' ? 'agency' : 'client');

  return {
    /** The options that the login pages of this host offer. */
    async options(ctx: Ctx) {
      const { tenant } = ctx;
      const open =
        tenant.kind !== 'client' &&
        (await inScope(db.app, whole(ctx), (tx) => tenants.registrationOpen(tx, tenant)));
      return {
        registration_open: open ? ('T' as const) : ('F' as const),
        user_type: kindAt(tenant) === 'agency' ? ('userdownline' as const) : ('client' as const),
        captcha: captcha.kind,
        captcha_key: captcha.siteKey,
        emails: (await post.isKept(ctx)) ? ('kept' as const) : ('sent' as const),
      };
    },

    /** Takes a sign-up: an agency at a root's host, a client at an agency's. A link by email completes it. */
    async register(ctx: Ctx, given: SignUp): Promise<void> {
      const { tenant } = ctx;
      const kind = kindAt(tenant);
      const open =
        tenant.kind !== 'client' &&
        (await inScope(db.app, whole(ctx), (tx) => tenants.registrationOpen(tx, tenant)));
      if (!open) throw new Refusal('forbidden', ownMessages.registerClosed);
      if (given.user_type && given.user_type !== (kind === 'agency' ? 'userdownline' : 'client'))
        throw refusalOf('user_type', 'cannot register here');
      if (given.root_id && given.root_id !== tenant.rootId)
        throw refusalOf('root_id', 'is not this platform');
      if (!policy.hintsFit(tenant, given))
        throw refusalOf('company_id', 'is not the company that uses this host');
      refuseGuessable(given.password, given.email, 'password');
      const phone = given.phone ? parsePhoneNumberFromString(given.phone, 'US') : undefined;
      if (given.phone && !phone?.isValid()) throw refusalOf('phone', messages.phoneInvalid);
      const referralCode = given.referral_code || null;
      await guard(
        ctx,
        [
          [limit.REGISTER, `${tenant.rootId}\n${given.email}`],
          [limit.REGISTER_NETWORK, limit.networkAt(ctx)],
          [limit.REGISTER_RANGE, rangeOf(ctx.ip)],
        ],
        given.captcha_token,
      );
      const referredBy = referralCode
        ? await inScope(db.app, whole(ctx), (tx) => store.referrerOf(tx, referralCode))
        : null;
      if (referralCode && !referredBy) throw refusalOf('referral_code', ownMessages.refcodeUnknown);

      const passwordHash = await users.hashPassword(given.password);
      const sender = await post.sender(tenant.companyId, tenant.host);
      const site = policy.siteOf(tenant.host, ctx.origin, config.port);
      await inScope(db.app, whole(ctx), async (tx) => {
        const now = clock.now();
        const known = await users.byEmail(tx, given.email);
        const id = newId(now);
        await store.insertSignUp(tx, {
          id,
          ...ownerOf(tenant),
          kind,
          email: given.email,
          name: given.name,
          company_name: given.company_name,
          phone: phone?.number ?? null,
          password_hash: known ? null : passwordHash,
          referral_code: referralCode,
          referred_by: referredBy ?? null,
          created_at: now,
          expires_at: new Date(now.getTime() + policy.SIGN_UP_MS),
        });
        const url = `${site}/register/confirm/${policy.linkToken(linkKey, 'sign-up', id)}?email=${encodeURIComponent(given.email)}`;
        const content = known ? knownMail(`${site}/login`) : confirmMail(given.name, url);
        await post.send(
          tx,
          'register',
          sender,
          { ...ownerOf(tenant), name: given.name, email: given.email },
          content,
        );
        await audit.recordEntry(tx, ctx, ownerOf(tenant), null, {
          action: 'register',
          objectKind: 'sign_up',
          objectId: id,
          description: `${given.name} (${given.email}) asked to register ${given.company_name} from ${ctx.ip}`,
        });
      });
    },

    /** Completes a sign-up: makes the company and its owner, once. */
    async confirm(ctx: Ctx, given: { token: string; email: string }): Promise<void> {
      const stale = new Refusal('gone', ownMessages.registerInvalid, {
        errors: { token: ['has already been used or has expired'] },
      });
      const network = limit.networkAt(ctx);
      await limits.take(limit.LINK_NETWORK, network);
      const id = policy.readLinkToken(linkKey, 'sign-up', given.token);
      if (!id) throw stale;
      try {
        await inScope(db.app, whole(ctx), async (tx) => {
          const now = clock.now();
          const row = await store.lockSignUp(tx, id);
          if (!row?.password_hash || row.used_at || row.expires_at <= now || row.email !== given.email)
            throw stale;
          // The link is for where it was requested, and sign-up there may have closed since.
          const at = row.kind === 'client' && row.agency_id ? row.agency_id : row.root_id;
          if (ctx.tenant.companyId !== at) throw stale;
          if (!(await tenants.registrationOpen(tx, ctx.tenant)))
            throw new Refusal('forbidden', ownMessages.registerClosed);
          if (row.kind === 'client' && row.agency_id)
            await boundedBy(tx, 'clients', row.agency_id, 'company_name');
          else await boundedBy(tx, 'agencies', row.root_id, 'company_name');
          const company = await tenants.create(tx, {
            name: row.company_name,
            rootId: row.root_id,
            ...(row.kind === 'client' && row.agency_id ? { agencyId: row.agency_id } : {}),
            // An agency uses its own name from the start: without a brand, its host would show the root's.
            ...(row.kind === 'agency' ? { brand: { name: row.company_name } } : {}),
          });
          const userId = await users.create(tx, {
            company,
            role: 'owner',
            email: row.email,
            name: row.name,
            passwordHash: row.password_hash,
            phone: row.phone ? (readPhone(row.phone) ?? undefined) : undefined,
          });
          await store.setSignUpDone(tx, id, company.id, now);
          // The person who referred them has them among their companies from the start.
          if (row.referred_by && company.agency_id) {
            const parent_id = row.kind === 'client' ? company.agency_id : company.root_id;
            const made = { ...company, agency_id: company.agency_id, parent_id };
            await sales.referred(tx, made, row.referred_by, now);
          }
          await audit.recordEntry(
            tx,
            ctx,
            { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id },
            userId,
            {
              action: 'register.confirm',
              objectKind: 'user',
              objectId: userId,
              description: `${row.name} (${row.email}) registered ${row.company_name}${row.referral_code ? ` with referral code ${row.referral_code}` : ''}`,
            },
          );
        });
      } catch (error) {
        // The address got an account in the meantime.
        if ((error as { code?: string }).code === '23505') throw stale;
        throw error;
      }
      await limits.giveBack(limit.LINK_NETWORK, network);
    },

    /**
     * Accepts a request for a new password. A job creates and sends the link, so that requesting takes the same time
     * for everyone.
     */
    async forgot(
      ctx: Ctx,
      given: {
        username: string;
        captcha_token?: string | undefined;
        company_id?: string | undefined;
        root_id?: string | undefined;
      },
    ): Promise<void> {
      const { tenant } = ctx;
      await guard(
        ctx,
        [
          [limit.FORGOT, `${tenant.rootId}\n${given.username}`],
          [limit.FORGOT_NETWORK, limit.networkAt(ctx)],
        ],
        given.captcha_token,
      );
      const origin = policy.siteOf(tenant.host, ctx.origin, config.port);
      await inScope(db.app, whole(ctx), async (tx) => {
        const now = clock.now();
        const found = await users.byEmail(tx, given.username);
        const user =
          found &&
          !found.disabled_at &&
          !found.removed_at &&
          policy.hintsFit(tenant, given) &&
          policy.belongsAt(tenant, {
            rootId: found.root_id,
            agencyId: found.agency_id,
            companyId: found.company_id,
            kind: found.kind,
          })
            ? found
            : null;
        const owner = user
          ? { root_id: user.root_id, agency_id: user.agency_id, company_id: user.company_id }
          : ownerOf(tenant);
        const id = newId(now);
        await store.insertReset(tx, {
          id,
          ...owner,
          user_id: user?.id ?? null,
          tenant_id: tenant.companyId,
          origin,
          created_at: now,
          expires_at: new Date(now.getTime() + policy.RESET_MS),
        });
        await jobs.send(tx, resetJob, [{ rootId: tenant.rootId, resetId: id }]);
        await audit.recordEntry(tx, ctx, owner, null, {
          action: 'password.forgot',
          objectKind: user ? 'user' : 'password_reset',
          objectId: user?.id ?? id,
          description: `A new password was requested for ${given.username} from ${ctx.ip}`,
        });
      });
    },

    /** Sends the link for a requested new password. */
    async sendReset({ rootId, resetId }: { rootId: string; resetId: string }): Promise<void> {
      const row = await inScope(db.app, { rootId }, (tx) => store.resetById(tx, resetId));
      if (!row || row.used_at || row.expires_at <= clock.now()) return;
      const sender = await post.sender(row.tenant_id, new URL(row.origin).hostname);
      const url = `${row.origin}/set-new-password/${policy.linkToken(linkKey, 'reset', row.id)}?email=${encodeURIComponent(row.email)}`;
      await inScope(db.app, { rootId }, (tx) =>
        post.send(tx, 'password.reset', sender, row, resetMail(row.name, url)),
      );
    },

    /** Whether a link to set a new password is good, and if not, why. */
    async verifyReset(ctx: Ctx, given: { token: string; email: string }) {
      const network = limit.networkAt(ctx);
      await limits.take(limit.LINK_NETWORK, network);
      const answer = await inScope(db.app, whole(ctx), async (tx) => {
        const { reason, row } = await readReset(tx, given.token, given.email);
        if (!row) return { valid: false, reason: reason ?? null };
        const known = await passkeys.of(tx, row.user_id);
        return {
          valid: true,
          reason: null,
          is_invitation: row.password_hash === null,
          passkeys: known.map(({ name, host, created_at, last_used_at }) => ({
            name,
            host,
            created_at: created_at.toISOString(),
            last_used_at: last_used_at?.toISOString() ?? null,
          })),
          passkeys_stay: await passkeys.areRequired(tx, row.user_id),
        };
      });
      if (answer.valid) await limits.giveBack(limit.LINK_NETWORK, network);
      return answer;
    },

    /**
     * Sets a new password by a link, once; all sessions end. Passkeys stay valid unless they are removed with it; the
     * email names those that do. A user who was invited and had no password is signed in with it, or asked for their
     * second factor, if they belong at this host; null means they sign in themselves.
     */
    async setPassword(
      ctx: Ctx,
      given: { token: string; email: string; new_password: string; remove_passkeys?: boolean | undefined },
    ): Promise<TokenPair | CodeStep | null> {
      const network = limit.networkAt(ctx);
      await limits.take(limit.LINK_NETWORK, network);
      const gone = (reason: string): Refusal =>
        new Refusal('gone', reason, { errors: { token: ['is no longer valid'] } });
      const before = await inScope(db.app, whole(ctx), (tx) => readReset(tx, given.token, given.email));
      if (!before.row) throw gone(before.reason);
      refuseGuessable(given.new_password, before.row.email);
      const passwordHash = await users.hashPassword(given.new_password);
      const sender = await post.sender(ctx.tenant.companyId, ctx.tenant.host);
      const ended = await inScope(db.app, whole(ctx), async (tx) => {
        const now = clock.now();
        const { row } = before;
        if (!(await store.useReset(tx, row.id, row.user_id, now))) throw gone(ownMessages.resetUsed);
        await users.setPassword(tx, row.user_id, passwordHash);
        // Someone who had the old password may have used it to request another address.
        await emailStore.endChanges(tx, row.user_id, now);
        await store.endChallenges(tx, row.user_id, now);
        const ids = await sessions.endAll(tx, row.user_id, null, 'password');
        const removed = given.remove_passkeys ? await passkeys.removeAll(tx, ctx, row) : 0;
        await post.send(
          tx,
          'account.notice',
          sender,
          row,
          passwordMail(row.name, ctx.ip, await passkeys.of(tx, row.user_id), {
            removed,
            url: `${row.origin}/user/sessions`,
          }),
        );
        await audit.recordEntry(
          tx,
          ctx,
          { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
          row.user_id,
          {
            action: 'password.reset',
            objectKind: 'user',
            objectId: row.user_id,
            description: `${row.name} set a new password by email from ${ctx.ip}; all devices were signed out`,
          },
        );
        return ids;
      });
      sessions.forget(ended);
      await limits.giveBack(limit.LINK_NETWORK, network);
      if (before.row.password_hash) return null;
      const user = await inScope(db.app, whole(ctx), (tx) => users.byEmail(tx, before.row.email));
      const isHere =
        user?.id === before.row.user_id &&
        !user.disabled_at &&
        !user.removed_at &&
        policy.belongsAt(ctx.tenant, {
          rootId: user.root_id,
          agencyId: user.agency_id,
          companyId: user.company_id,
          kind: user.kind,
        });
      return isHere
        ? login.enter(ctx, user, before.row.email, ' with the password of their invitation')
        : null;
    },

    /**
     * The signed-in user's link for inviting others: to sign up as an agency at the root or, for an agency's people, as
     * a client at the agency's own host. Also returns whether sign-up is open there.
     */
    async referralLink(
      ctx: Ctx,
    ): Promise<{ url: string; referral_code: string; registration_open: 'T' | 'F' }> {
      const { actor } = ctx;
      const ownHost = await tenants.primaryHost(actor.companyId);
      // An agency without a host of its own works at its root's, where only agencies sign up.
      const host = ownHost ?? (await tenants.primaryHost(actor.rootId)) ?? ctx.tenant.host;
      const tenant = (await tenants.byHost(host)) ?? ctx.tenant;
      const owner = { root_id: actor.rootId, agency_id: actor.agencyId, company_id: actor.companyId };
      const referralCode = await inScope(db.app, ctx.scope, async (tx) => {
        const known = await store.referralCodeOf(tx, actor.userId);
        if (known) return known;
        const code = await this.referralCode(tx, { id: actor.userId, ...owner });
        await audit.record(tx, ctx, {
          action: 'referral.create',
          objectKind: 'user',
          objectId: actor.userId,
          description: 'Created a referral link',
        });
        return code;
      });
      const open = await inScope(db.app, whole(ctx), (tx) => tenants.registrationOpen(tx, tenant));
      const path =
        tenant.kind === 'root' ? `agency-register/${referralCode}` : `register?refcode=${referralCode}`;
      return {
        url: `${policy.siteOf(host, ctx.origin, config.port)}/${path}`,
        referral_code: referralCode,
        registration_open: open ? 'T' : 'F',
      };
    },

    /** The referral code of a person, made on first use. */
    async referralCode(
      tx: Tx,
      user: { id: string; root_id: string; agency_id: string | null; company_id: string },
    ): Promise<string> {
      const known = await store.referralCodeOf(tx, user.id);
      if (known) return known;
      const { id, ...owner } = user;
      await store.insertReferralCode(tx, {
        ...owner,
        user_id: id,
        code: randomBytes(9).toString('base64url'),
        created_at: clock.now(),
      });
      return (await store.referralCodeOf(tx, id))!;
    },
  };
}
