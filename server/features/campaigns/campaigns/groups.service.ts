import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import * as store from './groups.store.ts';

/** The entry before all groups (spec calls 3): every campaign, regardless of its group. */
const VIEW_ALL = 'View All';

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
const taken = (): never => {
  const rule = 'is already the name of another group';
  throw new Refusal('conflict', `group_name: ${rule}`, { errors: { group_name: [rule] } });
};

export type Groups = ReturnType<typeof createGroups>;

/** Company groups: each company sorts the campaigns it sees in its own way (spec product 3, calls 3). */
export function createGroups(platform: Platform, deps: { audit: Audit; tenants: Tenants }) {
  const { db, clock } = platform;
  const { audit, tenants } = deps;

  /**
   * The actor's own company as the owner of its groups.
   * @throws Refusal 404 for a root, which has no campaigns of its own
   */
  async function ownerOf(tx: Tx, ctx: Ctx): Promise<Owner & { agency_id: string }> {
    const company = await tenants.company(tx, ctx.actor.companyId);
    if (!company?.agency_id) return missing();
    return { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id };
  }
  const own = async (tx: Tx, ctx: Ctx, id: string, lock = false) =>
    (await store.groupById(tx, ctx.actor.companyId, id, lock)) ?? missing();
  const wire = (row: store.GroupRow) => ({
    id: row.id,
    group_name: row.name,
    campaigns: Number(row.campaigns),
  });

  return {
    /** The groups of a company, 'View All' first. @throws Refusal 404 for another tenant's */
    list: (ctx: Ctx, companyId: string | undefined) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = await tenants.company(tx, companyId ?? ctx.actor.companyId);
        if (!company) return missing();
        const rows = await store.groupsOf(tx, company.id);
        const all = await store.campaignsOfCompany(tx, company.id);
        return [{ id: '' as const, group_name: VIEW_ALL, campaigns: all }, ...rows.map(wire)];
      }),

    create: (ctx: Ctx, name: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const owner = await ownerOf(tx, ctx);
        const at = clock.now();
        const id = newId(at);
        await boundedBy(tx, 'groups', owner.company_id, 'group_name');
        const isNew = await store.insertGroup(tx, { id, ...owner, name, created_at: at, updated_at: at });
        if (!isNew) return taken();
        await audit.record(tx, ctx, {
          action: 'group.create',
          objectKind: 'company_group',
          objectId: id,
          description: `Added the campaign group ${name}`,
          owner,
        });
        return wire(await own(tx, ctx, id));
      }),

    rename: (ctx: Ctx, id: string, name: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await own(tx, ctx, id, true);
        if (row.name !== name) {
          if (!(await store.renameGroup(tx, row, name, clock.now()))) return taken();
          await audit.record(tx, ctx, {
            action: 'group.rename',
            objectKind: 'company_group',
            objectId: id,
            description: `Renamed the campaign group ${row.name} to ${name}`,
            owner: await ownerOf(tx, ctx),
          });
        }
        return wire(await own(tx, ctx, id));
      }),

    /** Deletes a group; its campaigns stay and are no longer in a group. */
    remove: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await own(tx, ctx, id, true);
        await store.deleteGroup(tx, id);
        await audit.record(tx, ctx, {
          action: 'group.remove',
          objectKind: 'company_group',
          objectId: id,
          description: `Deleted the campaign group ${row.name} with ${row.campaigns} campaigns`,
          owner: await ownerOf(tx, ctx),
        });
      }),

    /**
     * Puts a campaign into a group of the actor's own company; '': into no group.
     * @throws Refusal naming group_id
     */
    async put(tx: Tx, ctx: Ctx, campaignId: string, groupId: string): Promise<void> {
      const owner = await ownerOf(tx, ctx);
      if (groupId && !(await store.groupById(tx, owner.company_id, groupId, true))) {
        const rule = 'is not a group of your company';
        throw new Refusal('invalid', `group_id: ${rule}`, { errors: { group_id: [rule] } });
      }
      await store.putInGroup(tx, campaignId, owner, groupId || null);
    },

    /** The group of the actor's own company that each campaign is in. */
    of: (tx: Tx, ctx: Ctx, campaignIds: string[]) =>
      store.groupsOfCampaigns(tx, ctx.actor.companyId, campaignIds),
  };
}

/** The groups' calls. */
export function groupsRoutes(groups: Groups): Handlers<typeof contract.groups> {
  const saved = { result: 'success' as const };
  return {
    getCompanyGroup: async (ctx, { company_id }) => ({ data: await groups.list(ctx, company_id) }),
    create: async (ctx, { group_name }) => ({
      ...saved,
      message: messages.added,
      data: await groups.create(ctx, group_name),
    }),
    rename: async (ctx, { id, group_name }) => ({
      ...saved,
      message: messages.updated,
      data: await groups.rename(ctx, id, group_name),
    }),
    async remove(ctx, { id }) {
      await groups.remove(ctx, id);
      return { ...saved, message: messages.deleted };
    },
  };
}
