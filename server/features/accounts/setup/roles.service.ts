import type { RoleModule } from '../../../../contract/accounts/users.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import { beyond, fromRows, toRows } from '../users/index.ts';
import type { SetupParts } from './facts.service.ts';

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
const forbid = (message: string): never => {
  throw new Refusal('forbidden', message);
};

/**
 * Roles of administrators (ROLE-01). Users cannot change the role they hold or grant permissions that their own role
 * does not allow. A change takes effect for everyone within the 5 s that a session's state is cached.
 */
export function createRoles({ db }: Platform, { tenants, users, audit }: SetupParts) {
  const { roles } = users;

  /**
   * Returns a company in the actor's scope.
   * @throws Refusal 404
   */
  const companyOf = async (tx: Tx, ctx: Ctx, id: string | undefined) =>
    (await tenants.company(tx, id ?? ctx.actor.companyId)) ?? missing();

  const notBeyond = (ctx: Ctx, rows: RoleModule[]): void => {
    const module = beyond(rows, ctx.actor.modules);
    if (module) {
      throw new Refusal('forbidden', ownMessages.roleBeyond, {
        errors: { modules: [`grants more access to ${module} than your own role`] },
      });
    }
  };

  /**
   * @throws Refusal 404, 403 for the role that the actor holds, or one that allows more, whose holders the actor may
   * not limit
   */
  async function changeable(tx: Tx, ctx: Ctx, roleId: string) {
    const role = (await roles.byId(tx, roleId)) ?? missing();
    if (ctx.actor.modules && (await users.byId(tx, ctx.actor.userId))?.role_id === role.id)
      forbid(ownMessages.roleOwn);
    notBeyond(ctx, toRows(await roles.rights(tx, role.id)));
    return role;
  }

  const record = (
    tx: Tx,
    ctx: Ctx,
    action: string,
    role: { id: string; root_id: string; agency_id: string | null; company_id: string },
    description: string,
  ): Promise<void> => {
    const owner = { root_id: role.root_id, agency_id: role.agency_id, company_id: role.company_id };
    return audit.record(tx, ctx, { action, objectKind: 'role', objectId: role.id, description, owner });
  };

  /** Runs a change of a role's name. @throws Refusal 409 where the name is taken */
  async function named<T>(work: Promise<T>): Promise<T> {
    return work.catch((error: { constraint?: string }) => {
      if (error.constraint !== 'role_by_name') throw error;
      throw new Refusal('conflict', ownMessages.roleTaken, { errors: { role_name: ['is already taken'] } });
    });
  }

  return {
    /** The roles of a company. @throws Refusal 403, 404 */
    async list(ctx: Ctx, companyId: string | undefined) {
      ctx.need('role.read');
      return inScope(db.app, ctx.scope, async (tx) => {
        const company = await companyOf(tx, ctx, companyId);
        return (await roles.list(tx, company.id)).map((row) => ({ ...row, people: Number(row.people) }));
      });
    },

    /**
     * Returns the rows of a role or of a person; all off for salespeople; null means full access. Reading one's own
     * rows needs no permission.
     * @throws Refusal 403, 404
     */
    async rows(
      ctx: Ctx,
      wanted: { company_id?: string | undefined; role_id?: string | undefined; user_id?: string | undefined },
    ): Promise<RoleModule[] | null> {
      const { role_id, user_id = ctx.actor.userId } = wanted;
      if (role_id || user_id !== ctx.actor.userId) ctx.need('role.read');
      return inScope(db.app, ctx.scope, async (tx) => {
        if (wanted.company_id) await companyOf(tx, ctx, wanted.company_id);
        if (role_id) {
          const role = (await roles.byId(tx, role_id)) ?? missing();
          if (wanted.company_id && role.company_id !== wanted.company_id) missing();
          return toRows(await roles.rights(tx, role.id));
        }
        const person = (await users.byId(tx, user_id)) ?? missing();
        // Salespeople have none of the modules; they have their own permissions (spec product 6).
        if (person.role === 'sales') return toRows([]);
        return person.rights && toRows(person.rights);
      });
    },

    /** Adds a role. Returns its id. @throws Refusal 403, 404, 409 */
    add: (ctx: Ctx, companyId: string | undefined, name: string, rows: RoleModule[]): Promise<string> =>
      named(
        inScope(db.app, ctx.scope, async (tx) => {
          const company = await companyOf(tx, ctx, companyId);
          notBeyond(ctx, rows);
          await boundedBy(tx, 'roles', company.id, 'role_name');
          const at = ctx.clock.now();
          const role = {
            id: newId(at),
            root_id: company.root_id,
            agency_id: company.agency_id,
            company_id: company.id,
            name,
            created_at: at,
            updated_at: at,
          };
          // Every module gets a row, so that a module added later is not open by default.
          const given = new Map(rows.map((row) => [row.module_name, row]));
          const all = toRows([]).map((row) => given.get(row.module_name) ?? row);
          await roles.insert(tx, role, fromRows(all));
          await record(tx, ctx, 'role.added', role, `Added the role ${name}`);
          return role.id;
        }),
      ),

    /** Changes a role. @throws Refusal 403, 404, 409 */
    update: (ctx: Ctx, roleId: string, name: string, rows: RoleModule[]): Promise<void> =>
      named(
        inScope(db.app, ctx.scope, async (tx) => {
          const role = await changeable(tx, ctx, roleId);
          notBeyond(ctx, rows);
          await roles.rename(tx, role.id, name, ctx.clock.now());
          await roles.setRights(tx, role, fromRows(rows));
          await record(tx, ctx, 'role.updated', role, `Changed the role ${name}`);
        }),
      ),

    /** Removes a role that no one holds. @throws Refusal 403, 404, 409 */
    remove: (ctx: Ctx, roleId: string): Promise<void> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const role = await changeable(tx, ctx, roleId);
        if (!(await roles.remove(tx, role.id, ctx.clock.now())))
          throw new Refusal('conflict', ownMessages.roleHeld);
        await record(tx, ctx, 'role.removed', role, `Removed the role ${role.name}`);
      }),

    /**
     * Gives an administrator one of their company's roles, or none.
     * @throws Refusal 403, 404, 422
     */
    assign: (ctx: Ctx, userId: string, roleId: string | null): Promise<void> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const person = (await users.byId(tx, userId)) ?? missing();
        const role = roleId ? ((await roles.byId(tx, roleId)) ?? missing()) : null;
        if (ctx.actor.userId === userId) forbid(ownMessages.roleOwn);
        const refuse = (field: string, rule: string): never => {
          throw refusalOf(field, rule);
        };
        if (person.role !== 'administrator') refuse('user_id', 'must be an administrator');
        if (role && role.company_id !== person.company_id) refuse('role_id', 'belongs to another company');
        notBeyond(ctx, toRows(role ? await roles.rights(tx, role.id) : null));
        // Actors also cannot change a person who has more permissions than they do.
        notBeyond(ctx, toRows(person.rights));
        await roles.give(tx, userId, roleId);
        await audit.record(tx, ctx, {
          action: 'role.given',
          objectKind: 'user',
          objectId: userId,
          description: role
            ? `Assigned the role ${role.name} to ${person.name}`
            : `Removed the role of ${person.name}`,
          owner: { root_id: person.root_id, agency_id: person.agency_id, company_id: person.company_id },
        });
      }),
  };
}
