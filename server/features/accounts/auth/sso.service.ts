import { Refusal } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { hashToken, newToken } from '../../../platform/crypto.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Tenants } from '../tenants/index.ts';
import type { Users } from '../users/index.ts';
import * as store from './entry.store.ts';
import * as limit from './limit.policy.ts';
import type { Passkeys } from './passkey.service.ts';
import * as policy from './policy.ts';
import type { Sessions } from './session.service.ts';
import * as sessionStore from './session.store.ts';

/** Signing in on a partner's word: a token for one user at one tenant's host, valid once within 60 s (AUTH-12). */
export function createSso(
  { db, clock, config }: Platform,
  {
    tenants,
    users,
    audit,
    limits,
    sessions,
    passkeys,
  }: { tenants: Tenants; users: Users; audit: Audit; limits: Limits; sessions: Sessions; passkeys: Passkeys },
) {
  return {
    /**
     * Creates a token for a user whom the requester may see, at the host of the user's company (its agency's or root's
     * if it has none). Throws 404 for anyone else. The link carries the token and must not be stored anywhere.
     */
    async mint(ctx: Ctx, userId: string): Promise<{ token: string; url: string; expires_at: string }> {
      const nobody = (): Refusal => new Refusal('not_found', ownMessages.notFound);
      const user = await inScope(db.app, ctx.scope, (tx) => users.secretOf(tx, userId));
      if (!user || user.disabled_at) throw nobody();
      await limits.take(limit.SSO_LINK, ctx.actor.userId);
      const host = await tenants.primaryHost(user.company_id);
      const tenant = host ? await tenants.byHost(host) : null;
      if (!host || !tenant) throw nobody();
      const { token, hash } = newToken();
      const now = clock.now();
      const expires = new Date(now.getTime() + policy.SSO_MS);
      const owner = { root_id: user.root_id, agency_id: user.agency_id, company_id: user.company_id };
      await inScope(db.app, ctx.scope, async (tx) => {
        await store.insertSsoToken(tx, {
          token_hash: hash,
          ...owner,
          user_id: user.id,
          tenant_id: tenant.companyId,
          created_at: now,
          expires_at: expires,
        });
        const description = `A one-time sign-in for ${user.name} was created`;
        await audit.record(tx, ctx, {
          action: 'sso.token',
          objectKind: 'user',
          objectId: user.id,
          description,
          owner,
        });
      });
      return {
        token,
        url: `${policy.siteOf(host, ctx.origin, config.port)}/sso?token=${token}`,
        expires_at: expires.toISOString(),
      };
    },

    /**
     * Uses up a token and signs its user in. Every failure is a 410 with the text of the spec (AUTH-14), with one
     * exception: someone holding a token that was already used is told so. That reveals nothing about anyone, and they
     * ask for another link rather than wait.
     */
    async validate(
      ctx: Ctx,
      given: { token: string; subdomain?: string | undefined; current_user_id?: string | null | undefined },
    ) {
      const { tenant } = ctx;
      const refused = new Refusal('gone', messages.ssoInvalid, { errors: { token: ['is not valid'] } });
      const named = given.subdomain?.toLowerCase();
      if (named && named !== tenant.host && named !== tenant.host.split('.')[0]) throw refused;
      const opened = await inScope(db.app, { rootId: tenant.rootId }, async (tx) => {
        const used = await store.useSsoToken(tx, hashToken(given.token), tenant.companyId, clock.now());
        if (!used && (await store.wasSsoTokenUsed(tx, hashToken(given.token), tenant.companyId)))
          return 'used';
        const secret = used && (await users.secretOf(tx, used.user_id));
        // A token used by someone who may not sign in is still used up.
        const user = secret && (await users.byEmail(tx, secret.email));
        if (!user || user.disabled_at || user.removed_at) return null;
        const who = {
          rootId: user.root_id,
          agencyId: user.agency_id,
          companyId: user.company_id,
          kind: user.kind,
        };
        if (!policy.belongsAt(tenant, who)) return null;
        const sessionId = await sessions.open(tx, ctx, user, ' by single sign-on', 'sso');
        // Whoever has a program sign someone in does not act as freshly confirmed as them. Someone without a password has
        // nothing to confirm with, and counts as confirmed except for what gives someone access.
        if (secret.password_hash || (await passkeys.worksAt(tx, user.id, tenant.host)))
          await sessionStore.setConfirmed(tx, sessionId, new Date(0));
        return { userId: user.id, sessionId };
      });
      if (!opened) throw refused;
      if (opened === 'used')
        throw new Refusal('gone', ownMessages.ssoUsed, { errors: { token: ['has already been used'] } });
      const others = given.current_user_id && given.current_user_id !== opened.userId;
      return {
        ...(await sessions.tokens(tenant, opened.userId, opened.sessionId)),
        status: 200 as const,
        message: messages.ssoValid,
        user_id: opened.userId,
        ...(others ? { action: 'replace_user' as const } : {}),
      };
    },
  };
}
