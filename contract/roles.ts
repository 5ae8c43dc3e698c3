import { z } from 'zod';
import { call } from './base.ts';
import { RoleModule } from './people.ts';
import { Done, Flag, Id, Instant, Line } from './primitives.ts';

/** The rows that somebody gives a role; modules that are not named are off, or stay as they are when it is changed. */
const RoleModules = z
  .array(RoleModule)
  .max(10)
  .refine((rows) => new Set(rows.map((row) => row.module_name)).size === rows.length, 'names a module twice');

/** Roles of a company's administrators (ROLE-01). */
export const roles = {
  list: call
    .route({
      method: 'GET',
      path: '/configuration/role-module/get',
      tags: ['Roles'],
      summary: "GetRoleList: a company's roles (getrole), or the rows of a role or person (getrolemodule)",
    })
    .meta({ access: 'session.own' })
    .input(
      z.object({
        companyID: Id.optional().describe('The own one, when it is not given'),
        getType: z.enum(['getrole', 'getrolemodule']).default('getrolemodule'),
        roleID: Id.optional(),
        usrID: Id.optional().describe('Oneself, when neither is given'),
      }),
    )
    .output(
      z.object({
        roles: z.array(z.object({ id: Id, role_name: z.string(), people: z.int(), created_at: Instant })),
        user_type: z
          .enum(['F', 'R'])
          .describe('F: full access, so the rows are left off; R: limited by the rows'),
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
      summary: 'Add a role to a company of the own scope',
    })
    .meta({ access: 'role.create' })
    .input(z.object({ companyID: Id.optional(), roleName: Line, roleModule: RoleModules }))
    .output(z.object({ ...Done.shape, roleID: Id })),
  update: call
    .route({
      method: 'PUT',
      path: '/configuration/role-module/update',
      tags: ['Roles'],
      summary: 'Change the name and rows of a role',
    })
    .meta({ access: 'role.update' })
    .input(z.object({ roleID: Id, roleName: Line, roleModule: RoleModules }))
    .output(Done),
  remove: call
    .route({
      method: 'DELETE',
      path: '/configuration/role-module/remove/{roleID}',
      tags: ['Roles'],
      summary: 'Remove a role that nobody holds',
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
        'Give an administrator a role of their company, or none (roleID null: all that administrators may)',
    })
    .meta({ access: 'role.update' })
    .input(z.object({ usrID: Id, roleID: Id.nullable() }))
    .output(Done),
};
