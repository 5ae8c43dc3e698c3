import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { userQuery } from '../../api/user.ts';

/** The roles of the own company, with how many people hold each. */
export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: ({ signal }) => api.roles.list({ getType: 'getrole' }, { signal }),
});

/** What one role allows, a row a module. */
export const roleQuery = (roleID: string) =>
  queryOptions({
    queryKey: ['roles', roleID],
    queryFn: async ({ signal }) =>
      (await api.roles.list({ getType: 'getrolemodule', roleID }, { signal })).data,
  });

export type Role = Awaited<ReturnType<typeof api.roles.list>>['roles'][number];

/** Loads the roles anew, and the person, whose own may be among them. */
export async function rolesChanged(cache: QueryClient): Promise<void> {
  await Promise.all([
    cache.invalidateQueries({ queryKey: ['roles'] }),
    cache.invalidateQueries({ queryKey: userQuery.queryKey }),
  ]);
}
