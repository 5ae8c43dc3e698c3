import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { mayUser, type Permission } from '../../contract/accounts/permissions.ts';
import type { SetupCheck } from '../../contract/accounts/setup.ts';
import type { SessionUser } from '../../contract/accounts/users.ts';
import type { Facts, SignedIn } from '../../contract/routing/routing-facts.ts';
import { api, keepAddress, session } from './client.ts';
import { readFacts } from './facts.ts';
import { modulesChanged } from './modules.ts';

export type { SessionUser } from '../../contract/accounts/users.ts';

/**
 * How the signed-in user is fetched and cached, with their setup check. If a module has been added or removed in the
 * meantime, the product restarts at / (TEN-08).
 */
export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: async ({ signal, client, queryKey }) => {
    const before = client.getQueryData<Awaited<ReturnType<typeof api.setup.retrieveUserData>>>(queryKey);
    const after = await api.setup.retrieveUserData(undefined, { signal });
    if (modulesChanged(before, after)) location.assign('/');
    keepAddress(after.user.ip);
    return after;
  },
  staleTime: 5 * 60_000,
});

/** The signed-in user; only below a protected route, which has loaded them. */
export function useUser(): SessionUser {
  return useSuspenseQuery(userQuery).data.user;
}

/** The user's setup progress (spec product 3, Setup-check response); only below a protected route. */
export function useSetup(): SetupCheck {
  return useSuspenseQuery(userQuery).data.setup;
}

/** The facts that routing and menus are based on; only below a protected route. */
export function useFacts(): SignedIn {
  return useSuspenseQuery(userQuery).data;
}

/** Whether the signed-in user has all of these permissions. Buttons and links check this; the server decides regardless. */
export function useMay(...permissions: readonly Permission[]): boolean {
  const user = useUser();
  return permissions.every((permission) => userMay(user, permission));
}

/** Whether this user has a permission. */
export function userMay(user: Parameters<typeof mayUser>[0], permission: Permission): boolean {
  return mayUser(user, permission);
}

/** Whether files can be downloaded: not by salespeople while they look at a company in view mode. */
export function useMayDownload(): boolean {
  const user = useUser();
  return !(user.in_view_mode && user.true_user_type === 'sales');
}

/** The facts about the current user, for the routing. @throws ApiError when the server cannot say */
export function loadFacts(queryClient: QueryClient): Promise<Facts> {
  return readFacts({
    alive: () => session.alive,
    load: () => queryClient.ensureQueryData(userQuery),
    forget: () => {
      session.forget();
      queryClient.removeQueries({ queryKey: userQuery.queryKey });
    },
  });
}
