import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { configMessages } from '../../../../contract/messages-config.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { newId } from '../../../platform/ids.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Auth } from '../auth/index.ts';
import { refuse } from '../companies/index.ts';
import { scopeOfNewRoot, type Tenants } from '../tenants/index.ts';
import type { Users } from '../users/index.ts';
import * as store from './store.ts';

/**
 * Additional roots, created by the master root: the only operation that crosses from one root's system to another
 * (CONF-11).
 */
export function rootsRoutes(
  { db, clock }: Platform,
  { tenants, users, audit, auth }: { tenants: Tenants; users: Users; audit: Audit; auth: Auth },
): Handlers<typeof contract.roots> {
  /** @throws Refusal 404 for anyone except the master root */
  async function masterOnly(ctx: Ctx): Promise<void> {
    const { actor } = ctx;
    const own = await inScope(db.app, ctx.scope, (tx) => tenants.company(tx, actor.companyId));
    if (actor.kind !== 'root' || !own?.is_master) throw new Refusal('not_found', ownMessages.notFound);
  }
  return {
    async list(ctx, input) {
      await masterOnly(ctx);
      const rows = await inScope(db.app, ctx.scope, (tx) =>
        store.list(tx, input.search ?? '', input.per_page, (input.page - 1) * input.per_page),
      );
      const data = rows.map(({ total: _, ...row }) => ({
        ...row,
        host: row.host ?? '',
        agencies: Number(row.agencies),
        is_master: row.is_master ? ('T' as const) : ('F' as const),
        created_at: row.created_at.toISOString(),
      }));
      return page(data, Number(rows[0]?.total ?? 0), input);
    },

    async create(ctx, input) {
      await masterOnly(ctx);
      const { rootId } = ctx.actor;
      const id = newId(clock.now());
      const sender = await auth.invites.sender(ctx, ctx.tenant.companyId);
      try {
        await inScope(db.app, scopeOfNewRoot(id), async (tx) => {
          // Brand, host and roles come with the company and its first owner, as for the master itself.
          const root = await tenants.create(tx, { id, name: input.name, host: input.host });
          const userId = await users.create(tx, {
            company: root,
            role: 'owner',
            email: input.owner_email,
            name: input.owner_name,
          });
          const owner = { root_id: id, agency_id: null, company_id: id };
          const who = { id: userId, name: input.owner_name, email: input.owner_email, ...owner };
          await auth.invites.invite(tx, ctx, sender, who, input.host);
          await store.goOnIn(tx, rootId);
          await audit.record(tx, ctx, {
            action: 'root.create',
            objectKind: 'company',
            objectId: id,
            description: `Created the root ${input.name} at ${input.host} and invited ${input.owner_name} (${input.owner_email})`,
          });
        });
      } catch (error) {
        const { code, constraint } = error as { code?: string; constraint?: string };
        if (code === '23505' && constraint?.startsWith('domain')) throw refuse('host', 'is already taken');
        throw error;
      }
      tenants.forgetHosts();
      return { result: 'success', message: configMessages.rootAdded, id };
    },
  };
}
