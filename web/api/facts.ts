import type { SetupCheck } from '../../contract/accounts/setup.ts';
import type { SessionUser } from '../../contract/accounts/users.ts';
import type { Facts } from '../../contract/routing/routing-facts.ts';
import { ApiError } from './errors.ts';

/** Whether the user data is usable: it must say what kind of user it is (AUTH-17). */
function isWhole(user: Partial<SessionUser> | undefined): boolean {
  const hasFlags = typeof user?.system_user === 'boolean' && typeof user.is_root === 'boolean';
  return hasFlags || user?.in_view_mode === true;
}

/**
 * The facts about the signed-in user, or those of a signed-out visitor. A user who lacks the system's flags is signed
 * out (AUTH-17); one whose data cannot be fetched because the session is over counts as signed out (AUTH-18).
 * @param parts `load` asks the server once; `forget` signs out
 * @throws ApiError when the server cannot say
 */
export async function readFacts(parts: {
  alive: () => boolean;
  load: () => Promise<{ user: SessionUser; setup: SetupCheck }>;
  forget: () => void;
}): Promise<Facts> {
  const nobody: Facts = { user: null, setup: null };
  if (!parts.alive()) return nobody;
  try {
    const facts = await parts.load();
    if (isWhole(facts.user)) return facts;
    parts.forget();
    return nobody;
  } catch (error) {
    // The transport already tried to renew once, without success, and ended the session.
    if (error instanceof ApiError && error.status === 401) return nobody;
    throw error;
  }
}
