import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { SessionUser } from '../../contract/people.ts';
import { type Grade, mayPerson, type Permission } from '../../contract/permissions.ts';
import { api } from './client.ts';

export type { SessionUser } from '../../contract/people.ts';

/** How the signed-in person is fetched and cached. */
export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: ({ signal }) => api.setup.user(undefined, { signal }),
  staleTime: 5 * 60_000,
});

/** The signed-in person; only below a protected route, which has loaded them. */
export function useUser(): SessionUser {
  return useSuspenseQuery(userQuery).data;
}

/** Whether the signed-in person may. Buttons and links ask this; the server decides anyway. */
export function useMay(permission: Permission): boolean {
  return userMay(useUser(), permission);
}

/** Whether this person may. */
export function userMay(
  user: Pick<SessionUser, 'grade' | 'module_permissions'>,
  permission: Permission,
): boolean {
  return mayPerson(user.grade as Grade, user.module_permissions, permission);
}
