import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Flag, Id, Instant, Line } from '../primitives.ts';
import { RoleModule } from './users.ts';

/**
 * The permission rows for a role; modules that are not listed are off in a new role and unchanged when a role is
 * edited.
 */
const RoleModules = z
  .array(RoleModule)
  .max(10)
  .refine(
    (rows) => new Set(rows.map((row) => row.module_name)).size === rows.length,
    'must not list a module more than once',
  );

/** An id in a query; left blank, as users without a role have it, it is not given. */
const MaybeId = z.union([z.literal('').transform(() => undefined), Id]).optional();

/** Roles of a company's administrators (ROLE-01). */
export const roles = {
  list: call
    .route({
      method: 'GET',
      path: '/configuration/role-module/get',
      tags: ['Roles'],
      summary:
        "GetRoleList: returns a company's roles (getrole), or the rows of a role or user (getrolemodule)",
    })
    .meta({ access: 'session.own', salesView: true })
    .input(
      z.object({
        companyID: Id.optional().describe('Defaults to your own company'),
        getType: z.enum(['getrole', 'getrolemodule']).default('getrolemodule'),
        roleID: MaybeId,
        usrID: MaybeId.describe('Defaults to yourself if neither is given'),
      }),
    )
    .output(
      z.object({
        roles: z.array(z.object({ id: Id, role_name: z.string(), people: z.int(), created_at: Instant })),
        user_type: z.enum(['F', 'R']).describe('F: full access, so rows are omitted; R: limited to the rows'),
        data: z.array(RoleModule),
        settingMenuShow_update: Flag,
        settingMenuShow_create: Flag,
        settingMenuShow_delete: Flag,
      }),
    ),
  add: call
    .route({
      method: 'POST',
      path: '/configuration/role-module/add',
      tags: ['Roles'],
      summary: 'Adds a role to a company in your scope',
    })
    .meta({ access: 'role.create' })
    .input(z.object({ companyID: Id.optional(), roleName: Line, roleModule: RoleModules }))
    .output(z.object({ ...Done.shape, roleID: Id })),
  update: call
    .route({
      method: 'PUT',
      path: '/configuration/role-module/update',
      tags: ['Roles'],
      summary: 'Changes the name and rows of a role',
    })
    .meta({ access: 'role.update', fresh: 'access' })
    .input(z.object({ roleID: Id, roleName: Line, roleModule: RoleModules }))
    .output(Done),
  remove: call
    .route({
      method: 'DELETE',
      path: '/configuration/role-module/remove/{roleID}',
      tags: ['Roles'],
      summary: 'Removes a role that no one has',
    })
    .meta({ access: 'role.remove' })
    .input(z.object({ roleID: Id }))
    .output(Done),
  assign: call
    .route({
      method: 'PUT',
      path: '/configuration/role-module/assign',
      tags: ['Roles'],
      summary:
        'Gives an administrator a role in their company, or none (roleID null: full administrator access)',
    })
    .meta({ access: 'role.update', fresh: 'access' })
    .input(z.object({ usrID: Id, roleID: Id.nullable() }))
    .output(Done),
};
