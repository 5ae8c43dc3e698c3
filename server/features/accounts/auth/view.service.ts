import { Refusal } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { type Ctx, isSales, type Tenant } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import { readRotating } from '../../../platform/rotation.ts';
import type { Audit } from '../audit/index.ts';
import type { Sales } from '../sales/index.ts';
import type { Users } from '../users/index.ts';
import * as policy from './policy.ts';
import type { Sessions, ViewTokens } from './session.service.ts';
import * as sessionStore from './session.store.ts';
import * as store from './view.store.ts';

/** The parameters of a list of companies. */
interface CompaniesAsked {
  page: number;
  per_page: number;
  sort?: string | undefined;
  order?: 'asc' | 'desc' | undefined;
  search?: string | undefined;
  company_id?: string | undefined;
}

/** Viewing the product as a user of a company below the actor's own (spec product 4, View mode; BEY-12). */
export function createView(
  { db, clock }: Platform,
  parts: { audit: Audit; users: Users; sessions: Sessions; sales: Sales },
) {
  const { audit, users, sessions, sales } = parts;
  const minutes = (until: Date): string => until.toISOString().slice(11, 16);

  /** Changes the active view, at the request of the view itself or of the login behind it, with its row in the log. */
  async function changed<T extends { action: string; description: string }>(
    ctx: Ctx,
    work: (tx: Tx, view: { id: string }, login: { expires_at: Date }, now: Date) => Promise<T>,
  ): Promise<T> {
    const { actor } = ctx;
    const none = new Refusal('conflict', ownMessages.viewNone);
    const state = actor.trueActor ? await sessionStore.sessionState(db.app, actor.sessionId) : null;
    const loginId = state?.viewer_session_id ?? actor.sessionId;
    // In the root's scope: the login behind belongs to a company above the one viewed.
    const done = await inScope(db.app, { rootId: actor.rootId }, async (tx) => {
      const now = clock.now();
      const login = await sessionStore.lockSession(tx, loginId);
      const view = await store.openView(tx, loginId);
      if (!login || login.revoked_at || !view || view.expires_at <= now) throw none;
      const viewed = await users.byId(tx, view.user_id);
      if (!viewed) throw none;
      const did = await work(tx, view, login, now);
      await audit.record(tx, ctx, {
        action: did.action,
        objectKind: 'user',
        objectId: viewed.id,
        description: did.description,
        owner: { root_id: viewed.root_id, agency_id: viewed.agency_id, company_id: viewed.company_id },
        viewedAs: { userId: viewed.id, name: viewed.name, companyName: viewed.company_name },
      });
      return { did, viewId: view.id };
    });
    sessions.forget([done.viewId]);
    return done.did;
  }

  return {
    /**
     * Starts a view: a session of the viewed user, behind which the current login stays. Throws 404 for a user whom the
     * actor cannot see (sales: not assigned to them) or who may not sign in, 403 for a user whom the actor may not view
     * as, 409 while another view is active.
     */
    async start(ctx: Ctx, given: { user_id: string; reason: string }): Promise<ViewTokens> {
      const { actor } = ctx;
      const begun = await inScope(db.app, ctx.scope, async (tx) => {
        const viewed = await users.byId(tx, given.user_id);
        if (!viewed || viewed.disabled_at || viewed.removed_at)
          throw new Refusal('not_found', ownMessages.notFound);
        // An agency assigned to the actor is shown with its clients.
        if (isSales(actor)) await sales.mustCare(tx, ctx, [viewed.company_id, viewed.agency_id]);
        const [, role = ''] = actor.grade.split('.');
        const place = {
          rootId: viewed.root_id,
          agencyId: viewed.agency_id,
          companyId: viewed.company_id,
          kind: viewed.kind,
          role: viewed.role,
        };
        if (!policy.mayView({ ...actor, role }, place) || !policy.belongsAt(ctx.tenant, place))
          throw new Refusal('forbidden', ownMessages.viewNotAllowed, {
            errors: { user_id: ['is not below your own company'] },
          });
        const now = clock.now();
        // The login's row is the lock: of two simultaneous starts, the second finds the first.
        const login = await sessionStore.lockSession(tx, actor.sessionId);
        if (!login || login.revoked_at) throw new Refusal('unauthenticated', messages.unauthenticated);
        const open = await store.openView(tx, login.id);
        if (open && open.expires_at > now) throw new Refusal('conflict', ownMessages.viewAlready);
        if (open) await sessionStore.revokeSession(tx, open.id, now, 'lapsed');
        const id = newId(now);
        const owner = { root_id: viewed.root_id, agency_id: viewed.agency_id, company_id: viewed.company_id };
        const expiresAt = policy.viewEnd(now, login.expires_at);
        await sessionStore.insertSession(tx, {
          id,
          ...owner,
          user_id: viewed.id,
          viewer_session_id: login.id,
          viewer_id: actor.userId,
          view_reason: given.reason,
          rotated_at: now,
          created_at: now,
          expires_at: expiresAt,
          host: ctx.tenant.host,
          ip: ctx.ip,
          user_agent: ctx.userAgent,
        });
        await audit.record(tx, ctx, {
          action: 'view.start',
          objectKind: 'user',
          objectId: viewed.id,
          description: `Started viewing as ${viewed.name} until ${minutes(expiresAt)} UTC. Reason: ${given.reason}`,
          owner,
          viewedAs: { userId: viewed.id, name: viewed.name, companyName: viewed.company_name },
        });
        return { id, userId: viewed.id, viewerId: actor.userId, expiresAt };
      });
      return sessions.viewToken(ctx.tenant, begun);
    },

    /** Whether a view is active behind this refresh token; false for an invalid token. */
    async isViewing(refreshToken: string): Promise<boolean> {
      const read = readRotating(sessions.refreshKey, refreshToken);
      const login = read && (await sessions.stateOf(read.family));
      if (!login) return false;
      const view = await inScope(db.app, { rootId: login.root_id }, (tx) => store.openView(tx, read.family));
      return view !== undefined && view.expires_at > clock.now();
    },

    /**
     * Extends the view by 30 minutes from now, at most until the login behind it ends. Throws 409 if there is no view.
     */
    async renew(ctx: Ctx): Promise<Date> {
      const { until } = await changed(ctx, async (tx, view, login, now) => {
        const until = policy.viewEnd(now, login.expires_at);
        await store.setViewEnd(tx, view.id, until);
        return { action: 'view.renew', description: `Extended the view until ${minutes(until)} UTC`, until };
      });
      return until;
    },

    /** Ends the view; the login behind it goes on. Throws 409 when there is none. */
    async revert(ctx: Ctx): Promise<void> {
      await changed(ctx, async (tx, view, _login, now) => {
        await sessionStore.revokeSession(tx, view.id, now, 'reverted');
        return { action: 'view.end', description: 'Stopped viewing' };
      });
    },

    /** The token of the view that a login is in; null if it is not in one (anymore). */
    async tokenOf(tenant: Tenant, loginId: string): Promise<ViewTokens | null> {
      const open = await inScope(db.app, { rootId: tenant.rootId }, (tx) => store.openView(tx, loginId));
      if (!open) return null;
      const state = await sessionStore.sessionState(db.app, open.id);
      const actor = sessions.actorIn(tenant, open.id, state, state?.viewer_id ?? null);
      if (!actor?.trueActor || !state) return null;
      return sessions.viewToken(tenant, {
        id: open.id,
        userId: actor.userId,
        viewerId: actor.trueActor.userId,
        expiresAt: state.expires_at,
      });
    },

    /** Why and until when the signed-in person is viewed; null outside view mode. */
    async about(ctx: Ctx): Promise<{ reason: string; expiresAt: Date } | null> {
      const { actor } = ctx;
      if (!actor.trueActor) return null;
      const view = await inScope(db.app, ctx.scope, (tx) => store.viewOf(tx, actor.sessionId));
      return view ? { reason: view.reason ?? '', expiresAt: view.expires_at } : null;
    },

    /**
     * Who looked at the actor's own company in view mode, newest first (BEY-12); sessions are kept, so each entry still
     * shows until when.
     */
    views: (ctx: Ctx, asked: { page: number; per_page: number }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await store.pageOfViews(
          tx,
          ctx.actor.companyId,
          asked.per_page,
          (asked.page - 1) * asked.per_page,
        );
        return page(rows, total, asked);
      }),

    /**
     * The agencies of a root, the clients of an agency, or those of `company_id`. Throws 404 if that is not an agency in
     * scope.
     */
    companies: (ctx: Ctx, asked: CompaniesAsked) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const parent = asked.company_id ?? ctx.actor.companyId;
        if (asked.company_id && !(await store.isAgency(tx, asked.company_id)))
          throw new Refusal('not_found', ownMessages.notFound);
        const { rows, total } = await store.pageOfCompanies(tx, parent, {
          search: asked.search ?? '',
          sort: asked.sort,
          order: asked.order ?? 'asc',
          limit: asked.per_page,
          offset: (asked.page - 1) * asked.per_page,
        });
        return page(rows, total, asked);
      }),
  };
}
