import { jwtVerify } from 'jose';
import { Refusal } from '../../../../contract/errors.ts';
import { messages } from '../../../../contract/messages.ts';
import { hashToken, newToken } from '../../../platform/crypto.ts';
import type { Actor, Ctx, Tenant } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Mail } from '../../../platform/mail.ts';
import type { Platform } from '../../../platform/platform.ts';
import { readRotating } from '../../../platform/rotation.ts';
import type { Audit } from '../audit/index.ts';
import type { Sales } from '../sales/index.ts';
import { scopeOfNewRoot, type Tenants } from '../tenants/index.ts';
import { modulesOf, type Users } from '../users/index.ts';
import { alertJob, createAlerts } from './alerts.service.ts';
import { createCaptcha, type OutsideCaptcha } from './captcha.service.ts';
import { createConfirmation } from './confirm.service.ts';
import { deviceOf } from './device.policy.ts';
import { createEmails } from './email.service.ts';
import { createEntry } from './entry.service.ts';
import { deleteCaptchas, deleteOld, factorDutyOf } from './entry.store.ts';
import { hasFactor } from './factor.policy.ts';
import { createFactors, refuseGuessable } from './factor.service.ts';
import { createInvites } from './invite.service.ts';
import { createKeys } from './keys.ts';
import * as limit from './limit.policy.ts';
import { createLogin } from './login.service.ts';
import { deleteNotices } from './notice.store.ts';
import { createPasskeys } from './passkey.service.ts';
import * as policy from './policy.ts';
import { createPost } from './post.service.ts';
import { createRecovery } from './recovery.service.ts';
import { createSessions, type TokenPair, type ViewTokens } from './session.service.ts';
import * as sessionStore from './session.store.ts';
import { createSso } from './sso.service.ts';
import * as store from './store.ts';
import { createView } from './view.service.ts';

export type Auth = ReturnType<typeof createAuth>;

/** What the feature depends on. */
export interface AuthParts {
  tenants: Tenants;
  users: Users;
  audit: Audit;
  sales: Sales;
  mail: Mail;
  limits: Limits;
  /** Instead of the built-in captcha. */
  outsideCaptcha: OutsideCaptcha | undefined;
}

/** Signing in and staying signed in: passwords, access and refresh tokens, sessions, one-use tokens. */
export function createAuth(platform: Platform, deps: AuthParts) {
  const { db, clock, config, jobs } = platform;
  const { tenants, users, audit, sales, limits } = deps;
  const keys = createKeys(platform);
  const sessions = createSessions(platform, { audit, keys });
  const captcha = createCaptcha(platform, limits, deps.outsideCaptcha);
  const post = createPost(deps);
  const recovery = createRecovery(platform, { users, audit, post });
  const passkeys = createPasskeys(platform, { users, audit, limits, sessions, post, recovery });
  const parts = { tenants, users, audit, sales, limits, captcha, sessions, post, recovery, passkeys };
  const factors = createFactors(platform, parts);
  const login = createLogin(platform, parts);

  const refuse = (): never => {
    throw new Refusal('unauthenticated', messages.unauthenticated);
  };

  /** Who downloads a file by a token; null if they may no longer. */
  async function downloader(
    tenant: Tenant,
    who: Owner & { user_id: string; viewer_id: string | null },
  ): Promise<Actor | null> {
    const { user, viewer, isSignedIn } = await inScope(db.app, { rootId: who.root_id }, async (tx) => ({
      user: await users.byId(tx, who.user_id),
      viewer: who.viewer_id ? await users.byId(tx, who.viewer_id) : null,
      isSignedIn: await sessionStore.isSignedIn(tx, who.user_id, who.viewer_id, clock.now()),
    }));
    // A token is valid no longer than the login, or the view, in which it was created.
    if (!isSignedIn || !user || user.disabled_at || user.removed_at || viewer?.disabled_at) return null;
    const actor: Actor = {
      userId: who.user_id,
      sessionId: '',
      rootId: who.root_id,
      agencyId: who.agency_id,
      companyId: who.company_id,
      kind: user.kind,
      grade: policy.gradeOf(user.kind, user.role),
      isAccountExecutive: user.is_account_executive,
      trueActor: viewer
        ? {
            userId: viewer.id,
            name: viewer.name,
            companyId: viewer.company_id,
            kind: viewer.kind,
            grade: policy.gradeOf(viewer.kind, viewer.role),
          }
        : null,
      modules: modulesOf(user.rights, viewer?.rights ?? null),
    };
    return policy.belongsAt(tenant, actor) ? actor : null;
  }

  const emails = createEmails(platform, { users, audit, limits, post, factors, sessions });
  const alerts = createAlerts(platform, parts);
  const view = createView(platform, { audit, users, sessions, sales: parts.sales });

  return {
    keys,

    sessions,
    view,
    alerts,
    captcha,
    login,
    factors,
    recovery,
    passkeys,
    confirmation: createConfirmation(platform, parts),
    emails,
    entry: createEntry(platform, { ...parts, login }),
    /** Invitations for users of the actor's own company and the companies directly below it. */
    invites: createInvites(platform, { users, post, sessions }),
    sso: createSso(platform, parts),

    /**
     * Returns new tokens for a refresh token, with rotation and reuse detection (AUTH-02), and that of the login's
     * active view, if any: a view has no refresh token of its own, so it cannot outlive the login or its 30 minutes.
     */
    async refresh(ctx: Ctx, token: string | undefined): Promise<TokenPair & { view?: ViewTokens }> {
      const read = token ? readRotating(sessions.refreshKey, token) : null;
      if (!read) return refuse();
      const state = await sessionStore.sessionState(db.app, read.family);
      if (!state?.live || state.viewer_id) return refuse();
      const who = {
        rootId: state.root_id,
        agencyId: state.agency_id,
        companyId: state.company_id,
        kind: state.kind,
      };
      if (!policy.belongsAt(ctx.tenant, who)) return refuse();
      const now = clock.now();
      // What is required of a user is stored with the companies above.
      const renewed = await inScope(db.app, { rootId: state.root_id }, async (tx) => {
        const session = await sessionStore.lockSession(tx, read.family);
        if (!session) return null;
        const verdict = policy.renewal(session, read.generation, now);
        if (verdict === 'reuse') {
          await sessionStore.revokeSession(tx, session.id, now, 'reuse');
          const { root_id, agency_id, company_id } = session;
          const logId = await audit.recordEntry(tx, ctx, { root_id, agency_id, company_id }, null, {
            action: 'session.revoked',
            objectKind: 'user',
            objectId: session.user_id,
            description: `An old refresh token was used from ${ctx.ip}; the session was ended`,
          });
          await jobs.send(tx, alertJob, [{ rootId: root_id, userId: session.user_id, logId }]);
        }
        if (verdict === 'rotate')
          await sessionStore.advanceSession(tx, session.id, session.generation + 1, now, ctx.ip);
        if (verdict !== 'rotate' && verdict !== 'repeat') return null;
        return { changed: await sessions.weighFactor(tx, ctx, session) };
      });
      if (!renewed) {
        sessions.forget([read.family]);
        return refuse();
      }
      if (renewed.changed) sessions.forget([read.family]);
      const pair = await sessions.tokens(ctx.tenant, state.user_id, read.family, read.generation + 1);
      const viewing = await view.tokenOf(ctx.tenant, read.family);
      return { ...pair, ...(viewing ? { view: viewing } : {}) };
    },

    /** Ends the login; in view mode the one behind the view, and so both. */
    async logout(ctx: Ctx): Promise<void> {
      const { actor } = ctx;
      const state = await sessionStore.sessionState(db.app, actor.sessionId);
      const id = state?.viewer_session_id ?? actor.sessionId;
      await inScope(db.app, { rootId: actor.rootId }, async (tx) => {
        if (await sessionStore.revokeSession(tx, id, clock.now(), 'logout')) {
          await audit.record(tx, ctx, {
            action: 'logout',
            objectKind: 'session',
            objectId: id,
            description: 'Signed out',
          });
        }
      });
      sessions.forget([id, actor.sessionId]);
    },

    /** Returns the owner of an access token at this tenant's host. Throws 401. */
    async actorOf(token: string, tenant: Tenant): Promise<Actor> {
      let sessionId: string | undefined;
      let trueActorId: string | null = null;
      try {
        const { payload } = await jwtVerify(
          token,
          async (header) => (await keys.checking(header.kid)) ?? refuse(),
          {
            algorithms: ['EdDSA'],
            typ: 'at+jwt',
            audience: policy.audienceOf(tenant),
            currentDate: clock.now(),
          },
        );
        sessionId = typeof payload.sid === 'string' ? payload.sid : undefined;
        trueActorId = (payload.act as { sub?: string } | undefined)?.sub ?? null;
      } catch (error) {
        if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J'))
          return refuse();
        throw error;
      }
      if (!sessionId) return refuse();
      const state = await sessions.stateOf(sessionId);
      return sessions.actorIn(tenant, sessionId, state, trueActorId) ?? refuse();
    },

    /**
     * The actor of a request that takes long, as they are now: nothing about them is taken from what is cached. Null if
     * they may no longer act here.
     */
    async actorNow(actor: Actor, tenant: Tenant): Promise<Actor | null> {
      if (actor.sessionId) {
        const state = await sessionStore.sessionState(db.app, actor.sessionId);
        return sessions.actorIn(tenant, actor.sessionId, state, actor.trueActor?.userId ?? null);
      }
      return downloader(tenant, {
        user_id: actor.userId,
        viewer_id: actor.trueActor?.userId ?? null,
        root_id: actor.rootId,
        agency_id: actor.agencyId,
        company_id: actor.companyId,
      });
    },

    /**
     * Since when a second factor is required of a user who has none; null if it is not. Needs a scope that sees the
     * companies above.
     */
    async factorMissing(tx: Tx, userId: string): Promise<Date | null> {
      const duty = await factorDutyOf(tx, userId);
      return hasFactor(duty) ? null : duty.since;
    },

    /** Which second factor a user's account asks for when they sign in; '' if none. */
    async factorOf(tx: Tx, userId: string): Promise<'' | 'email' | 'google' | 'passkey'> {
      const { kind, passkeys } = await factorDutyOf(tx, userId);
      return kind ?? (passkeys.length > 0 ? 'passkey' : '');
    },
    /** Describes the device in a user agent, in words. */
    deviceOf: (userAgent: string): string => deviceOf(userAgent).device,

    userType: policy.userType,
    gradeOf: policy.gradeOf,
    /** Where a person's newest login came from. */
    lastAddress: sessionStore.lastAddress,

    /** A one-use token for a browser download of `path`. */
    async downloadToken(ctx: Ctx, path: string): Promise<{ url: string; expires_at: string }> {
      const { token, hash } = newToken();
      const now = clock.now();
      const expires = new Date(now.getTime() + policy.DOWNLOAD_MS);
      const [pathname = '', search = ''] = path.split('?');
      const query = new URLSearchParams(search).toString();
      const wanted = pathname + (query ? `?${query}` : '');
      const { actor } = ctx;
      await limits.take(limit.DOWNLOAD, actor.userId);
      // Files leave the product only if the user has just confirmed who they are, whatever their address looks like.
      if (!policy.isOneDocument(pathname)) await ctx.mustBeConfirmed();
      await inScope(db.app, ctx.scope, async (tx) => {
        await store.insertDownloadToken(tx, {
          token_hash: hash,
          root_id: actor.rootId,
          agency_id: actor.agencyId,
          company_id: actor.companyId,
          user_id: actor.userId,
          viewer_id: actor.trueActor?.userId ?? null,
          path: wanted,
          created_at: now,
          expires_at: expires,
        });
        await audit.record(tx, ctx, {
          action: 'download',
          objectKind: 'file',
          objectId: pathname,
          description: `Download of ${wanted}`,
        });
      });
      return { url: `${wanted}${query ? '&' : '?'}token=${token}`, expires_at: expires.toISOString() };
    },

    /** Uses up a download token. Null if it is not valid for this path. */
    async actorOfDownload(token: string, path: string, tenant: Tenant): Promise<Actor | null> {
      const used = await store.useDownloadToken(db.app, hashToken(token), path, clock.now());
      return used ? downloader(tenant, used) : null;
    },

    /** Enqueues emails to owners about what happened to their users' accounts. */
    enqueueNews: (): Promise<void> => tenants.eachRoot(alerts.enqueueNews),

    /**
     * Applies address changes that are due; deletes data meant to last minutes or hours that is days old.
     */
    async sweep(): Promise<void> {
      const now = clock.now().getTime();
      await limits.sweep();
      await deleteCaptchas(db.app, new Date(now));
      await passkeys.sweep();
      await tenants.eachRoot(async (rootId) => {
        await emails.takeDue(rootId);
        await inScope(db.app, { rootId }, (tx) => deleteOld(tx, new Date(now - 7 * 86_400_000)));
        await inScope(db.app, { rootId }, (tx) => deleteNotices(tx, new Date(now - 30 * 86_400_000)));
      });
    },

    /** The token of a setup link if the installation has no root yet, otherwise null. Printed at startup. */
    async offerSetup(): Promise<string | null> {
      if (!(await tenants.noRootYet(db.app))) return null;
      const { token, hash } = newToken();
      const now = clock.now();
      await store.insertSetupLink(db.app, {
        token_hash: hash,
        created_at: now,
        expires_at: new Date(now.getTime() + policy.SETUP_LINK_MS),
      });
      return token;
    },

    /** Creates the master root and its owner, once. */
    async firstOwner(given: {
      token: string;
      company_name: string;
      name: string;
      email: string;
      password: string;
    }): Promise<void> {
      const stale = (): never => {
        throw new Refusal(
          'gone',
          'This setup link is no longer valid. Restart the server to get a new one.',
          { errors: { token: ['has already been used or has expired'] } },
        );
      };
      // Hashing is expensive: no one can trigger it at will once the platform is set up.
      if (!(await tenants.noRootYet(db.app))) stale();
      refuseGuessable(given.password, given.email, 'password');
      const passwordHash = await users.hashPassword(given.password);
      const now = clock.now();
      const rootId = newId(now);
      await inScope(db.app, scopeOfNewRoot(rootId), async (tx) => {
        await store.lockSetup(tx);
        const good = await store.useSetupLink(tx, hashToken(given.token), now);
        if (!good || !(await tenants.noRootYet(tx))) stale();
        const root = await tenants.create(tx, {
          id: rootId,
          name: given.company_name,
          host: config.rootDomain,
          isMaster: true,
        });
        await users.create(tx, {
          company: root,
          role: 'owner',
          email: given.email,
          name: given.name,
          passwordHash,
        });
        await audit.recordSystem(
          tx,
          now,
          { root_id: root.id, agency_id: null, company_id: root.id },
          {
            action: 'setup',
            objectKind: 'company',
            objectId: root.id,
            description: `${given.name} set up ${given.company_name}`,
          },
        );
      });
      tenants.forgetHosts();
    },
  };
}
