import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { userQuery } from '../../../api/user.ts';

/** The roles of the user's own company, with how many people have each. */
export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: ({ signal }) => api.roles.list({ kind: 'getrole' }, { signal }),
});

/** What one role allows, with one row per module. */
export const roleQuery = (roleId: string) =>
  queryOptions({
    queryKey: ['roles', roleId],
    queryFn: async ({ signal }) =>
      (await api.roles.list({ kind: 'getrolemodule', role_id: roleId }, { signal })).data,
  });

export type Role = Awaited<ReturnType<typeof api.roles.list>>['roles'][number];

/** Reloads the roles, and the user, whose own role may be among them. */
export async function rolesChanged(cache: QueryClient): Promise<void> {
  await Promise.all([
    cache.invalidateQueries({ queryKey: ['roles'] }),
    cache.invalidateQueries({ queryKey: userQuery.queryKey }),
  ]);
}
