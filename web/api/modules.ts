import type { SetupCheck } from '../../contract/accounts/setup.ts';
import type { SessionUser } from '../../contract/accounts/users.ts';

const MODULES = ['local', 'locator', 'enhance', 'b2b', 'simplifi'] as const;
type Known = { user: SessionUser; setup: SetupCheck };

/** The modules that the root has and those for which the user has a name and slug, as one comparable text. */
function setOf({ user, setup }: Known): string {
  const has = (module: (typeof MODULES)[number]) =>
    `${setup.modules.includes(module) ? 1 : 0}${user[`${module}_url`] ? 1 : 0}`;
  return MODULES.map(has).join();
}

/**
 * Whether a user has lost or gained a module since the last check (spec product 4, Modules): the server has cleared or
 * filled the module's name and slug, and every earlier page, menu and address may be wrong. Renaming a module does not
 * count.
 */
export function modulesChanged(before: Known | undefined, after: Known): boolean {
  if (!before || before.user.id !== after.user.id) return false;
  return setOf(before) !== setOf(after);
}
