import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import * as store from './store.ts';

export interface Look {
  list: string;
  density: 'comfortable' | 'compact';
  /** null: the list's own columns. */
  columns: string[] | null;
}

/** What can be changed of a saved view. */
export interface ViewData {
  name: string;
  is_shared: boolean;
  params: Record<string, string>;
  columns: string[] | null;
}

export type Views = ReturnType<typeof createViews>;

/** How people look at lists: columns and density for each person, and views saved under a name. */
export function createViews({ db, clock }: Platform, { audit }: { audit: Audit }) {
  const ownerOf = ({ actor }: Ctx) => ({
    root_id: actor.rootId,
    agency_id: actor.agencyId,
    company_id: actor.companyId,
  });
  /** A view belongs to who saved it; an owner also keeps order among what the company shares. */
  const mayChange = ({ actor }: Ctx, row: store.ViewRow): boolean =>
    row.user_id === actor.userId || (row.is_shared && actor.grade.endsWith('.owner'));

  /** @throws Refusal 404 for a view that the actor does not see, 403 for one that they may only use */
  async function changeable(tx: Tx, ctx: Ctx, id: string): Promise<store.ViewRow> {
    const row = await store.viewFor(tx, ctx.actor.companyId, ctx.actor.userId, id);
    if (!row) throw new Refusal('not_found', ownMessages.notFound);
    if (!mayChange(ctx, row))
      throw new Refusal('forbidden', 'Only the user who saved this view can change it.');
    return row;
  }

  return {
    /** The actor's looks, and the views that they can use, by name. */
    mine: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { companyId, userId } = ctx.actor;
        const rows = await store.viewsFor(tx, companyId, userId);
        return {
          looks: await store.looksOf(tx, userId),
          views: rows.map(({ user_id, ...row }) => ({
            ...row,
            may_change: mayChange(ctx, { user_id, ...row }),
          })),
        };
      }),

    setLook: (ctx: Ctx, look: Look) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { userId } = ctx.actor;
        if (!(await store.hasLook(tx, userId, look.list))) await boundedBy(tx, 'looks', userId, 'list');
        await store.saveLook(tx, { user_id: userId, ...ownerOf(ctx), ...look, updated_at: clock.now() });
        await audit.record(tx, ctx, {
          action: 'look.set',
          objectKind: 'list_look',
          objectId: look.list,
          description: `Changed the columns or density of ${look.list}`,
        });
      }),

    /** Saves a view; returns its id. */
    create: (ctx: Ctx, view: ViewData & { list: string }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const at = clock.now();
        const id = newId(at);
        await boundedBy(tx, 'views', ctx.actor.userId, 'name');
        await store.insertView(tx, {
          id,
          ...ownerOf(ctx),
          user_id: ctx.actor.userId,
          ...view,
          params: JSON.stringify(view.params),
          created_at: at,
          updated_at: at,
        });
        await audit.record(tx, ctx, {
          action: 'view.create',
          objectKind: 'list_view',
          objectId: id,
          description: `Saved the view ${view.name} of ${view.list}${view.is_shared ? ', shared' : ''}`,
        });
        return id;
      }),

    /** @throws Refusal 404, 403 */
    update: (ctx: Ctx, id: string, { params, ...change }: Partial<ViewData>) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await changeable(tx, ctx, id);
        await store.updateView(tx, id, {
          ...change,
          ...(params && { params: JSON.stringify(params) }),
          updated_at: clock.now(),
        });
        await audit.record(tx, ctx, {
          action: 'view.update',
          objectKind: 'list_view',
          objectId: id,
          description: `Changed the view ${row.name} of ${row.list}`,
        });
      }),

    /** @throws Refusal 404, 403 */
    remove: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await changeable(tx, ctx, id);
        await store.deleteView(tx, id);
        await audit.record(tx, ctx, {
          action: 'view.remove',
          objectKind: 'list_view',
          objectId: id,
          description: `Deleted the view ${row.name} of ${row.list}`,
        });
      }),
  };
}
