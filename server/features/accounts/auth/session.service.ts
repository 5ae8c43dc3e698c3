import { SignJWT } from 'jose';
import { SALES_VIEW } from '../../../../contract/accounts/permissions.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { derive } from '../../../platform/crypto.ts';
import { type Actor, type Ctx, isSales, type Tenant, type TrueActor } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { locate, plainAddress } from '../../../platform/geo.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import { rotatingToken } from '../../../platform/rotation.ts';
import type { Audit } from '../audit/index.ts';
import { modulesOf } from '../users/index.ts';
import { ACTIVITY, BAD_ACTIVITY } from './activity.policy.ts';
import { alertJob } from './alerts.service.ts';
import { deviceOf } from './device.policy.ts';
import { factorDutyOf } from './entry.store.ts';
import { hasFactor, isDue } from './factor.policy.ts';
import type { Keys } from './keys.ts';
import * as policy from './policy.ts';
import * as store from './session.store.ts';

export interface TokenPair {
  access_token: string;
  refresh_token: string;
  expires_in: number;
}

/** The token of a view, and when the view ends unless it is renewed. */
export interface ViewTokens {
  access_token: string;
  expires_in: number;
  expires_at: string;
}

export type Sessions = ReturnType<typeof createSessions>;

/** Login sessions: opened by every sign-in method, listed and ended by their owner. */
export function createSessions(
  { db, clock, config, jobs }: Platform,
  { audit, keys }: { audit: Audit; keys: Keys },
) {
  const refreshKey = derive(config.appKey, 'refresh tokens');
  const live = new Map<string, { state: store.SessionState | undefined; until: number }>();
  /** How often something was dropped: what was being read meanwhile is not kept. */
  let drops = 0;

  /** Drops what is cached about sessions, and about the views they are behind. */
  const forget = (ids: string[]): void => {
    drops++;
    const gone = new Set(ids);
    for (const [id, { state }] of live) {
      if (gone.has(id) || gone.has(state?.viewer_session_id ?? '')) live.delete(id);
    }
  };

  /** Drops what is cached about a user's sessions, views as them, and views by them. */
  const forgetPerson = (userId: string): void => {
    drops++;
    for (const [id, { state }] of live) {
      if (state?.user_id === userId || state?.viewer_id === userId) live.delete(id);
    }
  };

  /** Drops what is cached about sessions in a company or below it, and views by its users. */
  const forgetCompany = (companyId: string): void => {
    drops++;
    for (const [id, { state }] of live) {
      const places = [state?.company_id, state?.agency_id, state?.viewer_company_id, state?.viewer_agency_id];
      if (places.includes(companyId)) live.delete(id);
    }
  };

  /** Signs an access token for the host's tenant, valid for `seconds`; `claims` are added to the usual ones. */
  async function accessToken(
    tenant: Tenant,
    userId: string,
    claims: { sid: string; act?: { sub: string } },
    seconds: number,
  ): Promise<string> {
    const { kid, privateKey } = await keys.signing();
    const now = Math.floor(clock.now().getTime() / 1000);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid })
      .setSubject(userId)
      .setAudience(policy.audienceOf(tenant))
      .setIssuedAt(now)
      .setExpirationTime(now + seconds)
      .sign(privateKey);
  }

  return {
    refreshKey,
    forget,
    forgetPerson,
    forgetCompany,

    /** The state of a session, cached for at most 5 s. */
    async stateOf(sessionId: string): Promise<store.SessionState | undefined> {
      const now = performance.now();
      const known = live.get(sessionId);
      if (known && known.until > now) return known.state;
      const before = drops;
      const state = await store.sessionState(db.app, sessionId);
      if (live.size > 50_000) live.clear();
      if (before === drops) live.set(sessionId, { state, until: now + 5_000 });
      return state;
    },

    /**
     * Opens a session inside the transaction that verified the user, with its row in the user log. If the user lacks a
     * required second factor, the session can only set one up. `via`: whether a program opens it. Returns its id.
     */
    async open(
      tx: Tx,
      ctx: Ctx,
      user: Owner & { id: string; name: string },
      how = '',
      via: 'sso' | null = null,
    ): Promise<string> {
      const now = clock.now();
      const id = newId(now);
      const owner = { root_id: user.root_id, agency_id: user.agency_id, company_id: user.company_id };
      await store.lockOpening(tx, user.id);
      const known = await store.devicesOf(tx, user.id);
      const [{ device }, place] = [deviceOf(ctx.userAgent), locate(ctx.ip)];
      const isKnown = known.some(
        (one) => deviceOf(one.user_agent).device === device && locate(one.ip) === place,
      );
      const duty = await factorDutyOf(tx, user.id);
      await store.insertSession(tx, {
        id,
        ...owner,
        needs_factor: isDue(duty, now) && !hasFactor(duty),
        user_id: user.id,
        via,
        rotated_at: now,
        created_at: now,
        expires_at: new Date(now.getTime() + policy.SESSION_MS),
        host: ctx.tenant.host,
        ip: ctx.ip,
        user_agent: ctx.userAgent,
      });
      forget(await store.revokeOldest(tx, user.id, policy.MOST_SESSIONS, now));
      const logId = await audit.recordEntry(tx, ctx, owner, user.id, {
        action: 'login',
        objectKind: 'session',
        objectId: id,
        description: `${user.name} signed in from ${ctx.ip}${how}`,
      });
      // The very first device is not news to the user who just set up their account with it.
      if (known.length > 0 && !isKnown)
        await jobs.send(tx, alertJob, [{ rootId: user.root_id, userId: user.id, logId }]);
      return id;
    },

    /**
     * Checks again, when a session is renewed, whether its user lacks a required second factor. One that became
     * required since they signed in ends the view they are in and must be set up before anything else; one that is no
     * longer required is not asked for. Returns whether that changed the session; `forget` it then.
     */
    async weighFactor(
      tx: Tx,
      ctx: Ctx,
      session: Owner & { id: string; user_id: string; needs_factor: boolean },
    ): Promise<boolean> {
      const now = clock.now();
      const duty = await factorDutyOf(tx, session.user_id);
      const isMissing = isDue(duty, now) && !hasFactor(duty);
      if (isMissing === session.needs_factor) return false;
      await store.setNeedsFactor(tx, session.id, isMissing);
      if (!isMissing) return true;
      await store.revokeViewsBehind(tx, session.id, now);
      const { root_id, agency_id, company_id } = session;
      await audit.recordEntry(tx, ctx, { root_id, agency_id, company_id }, session.user_id, {
        action: 'factor.required',
        objectKind: 'user',
        objectId: session.user_id,
        description: 'Was asked to set up a second factor, which became required after they signed in',
      });
      return true;
    },

    /** The tokens of a session's generation, for the host's tenant. */
    async tokens(tenant: Tenant, userId: string, sessionId: string, generation = 0): Promise<TokenPair> {
      return {
        access_token: await accessToken(tenant, userId, { sid: sessionId }, policy.ACCESS_SECONDS),
        refresh_token: rotatingToken(refreshKey, sessionId, generation),
        expires_in: policy.ACCESS_SECONDS,
      };
    },

    /** The token of a view; it names the true actor and ends no later than the view. */
    async viewToken(
      tenant: Tenant,
      view: { id: string; userId: string; viewerId: string; expiresAt: Date },
    ): Promise<ViewTokens> {
      const left = Math.floor((view.expiresAt.getTime() - clock.now().getTime()) / 1000);
      const seconds = Math.min(policy.ACCESS_SECONDS, left);
      const claims = { sid: view.id, act: { sub: view.viewerId } };
      return {
        access_token: await accessToken(tenant, view.userId, claims, seconds),
        expires_in: seconds,
        expires_at: view.expiresAt.toISOString(),
      };
    },

    /**
     * Returns who acts through a session of this state at this host, where `trueActorId` is the true actor named in the
     * token; null if no one may (anymore).
     */
    actorIn(
      tenant: Tenant,
      sessionId: string,
      state: store.SessionState | undefined,
      trueActorId: string | null,
    ): Actor | null {
      if (!state?.live || state.expires_at <= clock.now() || state.viewer_id !== trueActorId) return null;
      const place = {
        rootId: state.root_id,
        agencyId: state.agency_id,
        companyId: state.company_id,
        kind: state.kind,
      };
      if (!policy.belongsAt(tenant, place)) return null;
      const trueActor = trueActorOf(state);
      if (state.viewer_session_id && !trueActor) return null;
      return {
        ...place,
        userId: state.user_id,
        sessionId,
        // Salespeople see a company as an administrator who may see its work, not as its owner.
        grade: policy.gradeOf(state.kind, trueActor && isSales(trueActor) ? 'administrator' : state.role),
        isAccountExecutive: state.is_account_executive,
        trueActor,
        modules:
          trueActor && isSales(trueActor) ? [...SALES_VIEW] : modulesOf(state.rights, state.viewer_rights),
        via: state.via,
        needsFactor: state.needs_factor,
      };
    },

    /**
     * Ends all of a user's sessions but one, inside the transaction that requires it; `forget` the ids when it is done.
     */
    endAll: (
      tx: Tx,
      userId: string,
      keep: string | null,
      why: 'ended' | 'password' | 'factor' | 'disabled',
    ): Promise<string[]> => store.revokeSessionsOf(tx, userId, keep, clock.now(), why),

    /** Where the signed-in user is signed in, the current session first. */
    async list(ctx: Ctx) {
      const { actor } = ctx;
      const rows = await inScope(db.app, ctx.scope, (tx) =>
        store.liveSessionsOf(tx, actor.userId, clock.now(), new Date(clock.now().getTime() - policy.IDLE_MS)),
      );
      return rows
        .map((row) => {
          const given = row.last_ip ?? row.ip;
          const ip = given && plainAddress(given);
          return {
            id: row.id,
            ...deviceOf(row.user_agent),
            place: locate(ip),
            ip,
            created_at: row.created_at.toISOString(),
            last_seen: row.rotated_at.toISOString(),
            expires_at: row.expires_at.toISOString(),
            current: row.id === actor.sessionId,
          };
        })
        .sort((a, b) => Number(b.current) - Number(a.current));
    },

    /** What happened to the user's own sign-in methods, newest first, the last hundred. */
    async activity(ctx: Ctx) {
      const { userId: id, companyId: company_id } = ctx.actor;
      const rows = await inScope(db.app, ctx.scope, (tx) =>
        store.activityOf(tx, { id, company_id }, Object.keys(ACTIVITY)),
      );
      return rows.map((row) => ({
        id: row.id,
        at: row.at.toISOString(),
        what: ACTIVITY[row.action] ?? row.action,
        detail: row.description ?? '',
        ip: row.ip && plainAddress(row.ip),
        place: row.location,
        suspicious: BAD_ACTIVITY.has(row.action),
      }));
    },

    /** Signs out one of the user's own devices. Throws 404 for a session that is over or someone else's. */
    async end(ctx: Ctx, id: string): Promise<void> {
      await inScope(db.app, ctx.scope, async (tx) => {
        if (!(await store.revokeOwnSession(tx, ctx.actor.userId, id, clock.now()))) {
          throw new Refusal('not_found', ownMessages.notFound);
        }
        await audit.record(tx, ctx, {
          action: 'session.ended',
          objectKind: 'session',
          objectId: id,
          description: 'Signed out a device',
        });
      });
      forget([id]);
    },

    /** Signs all other devices out. Returns how many there were. */
    async endOthers(ctx: Ctx): Promise<number> {
      const { actor } = ctx;
      const ended = await inScope(db.app, ctx.scope, async (tx) => {
        const ids = await store.revokeSessionsOf(tx, actor.userId, actor.sessionId, clock.now(), 'ended');
        const description = `Signed out ${ids.length} other devices`;
        await audit.record(tx, ctx, {
          action: 'session.ended',
          objectKind: 'user',
          objectId: actor.userId,
          description,
        });
        return ids;
      });
      forget(ended);
      return ended.length;
    },
  };
}

/** Who is behind a view, if they may still view as this user; null if it is not a view, or they may not. */
function trueActorOf(state: store.SessionState): TrueActor | null {
  const { viewer_id: userId, viewer_company_id: companyId, viewer_kind: kind, viewer_role: role } = state;
  if (!userId || !companyId || !kind || !role) return null;
  const viewer = { rootId: state.root_id, agencyId: state.viewer_agency_id, companyId, kind, role };
  const viewed = {
    rootId: state.root_id,
    agencyId: state.agency_id,
    companyId: state.company_id,
    kind: state.kind,
    role: state.role,
  };
  if (!policy.mayView(viewer, viewed)) return null;
  return { userId, name: state.viewer_name ?? '', companyId, kind, grade: policy.gradeOf(kind, role) };
}
