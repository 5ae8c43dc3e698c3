import type { SessionUser } from '../../contract/people.ts';
import type { SetupCheck } from '../../contract/setup.ts';

const MODULES = ['local', 'locator', 'enhance', 'b2b', 'simplifi'] as const;
type Known = { user: SessionUser; setup: SetupCheck };

/** The modules that the root has and those whose name and slug the person has, as one comparable text. */
function setOf({ user, setup }: Known): string {
  const has = (module: (typeof MODULES)[number]) =>
    `${setup.modules.includes(module) ? 1 : 0}${user[`lead${module}url`] ? 1 : 0}`;
  return MODULES.map(has).join();
}

/**
 * Whether a person has lost or got a module since they were last asked about (spec product 4, Modules): the server has
 * cleared or filled the module's name and slug, and every page, menu and address of before may be wrong. Another name of
 * the same module is none.
 */
export function modulesChanged(before: Known | undefined, after: Known): boolean {
  if (!before || before.user.id !== after.user.id) return false;
  return setOf(before) !== setOf(after);
}
