import type { RoleModule } from '../../../../contract/accounts/users.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { configMessages } from '../../../../contract/messages-config.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { PersonalPermission } from '../../../platform/db/columns.ts';
import { beyond, type ModuleRight, mustGiveSales, toRows } from '../users/index.ts';
import { refuse } from './policy.ts';

/** The user who makes a change, as far as the rules need to know. */
export interface Changer {
  userId: string;
  isOwner: boolean;
  /** The rows of their role; null: no limits. */
  modules: readonly RoleModule[] | null;
}

/** A user as the rules see them. */
export interface Standing {
  id: string;
  role: 'owner' | 'administrator' | 'sales';
  role_id: string | null;
  rights: ModuleRight[] | null;
}

const forbid = (message: string, field?: string): never => {
  throw new Refusal('forbidden', message, field ? { errors: { [field]: [message] } } : {});
};

/**
 * Checks that `by` may deal with a user with these rights at all: only owners change owners, and no one changes a user
 * who has more rights than they do.
 * @throws Refusal 403
 */
export function mustReach(by: Changer, who: Standing): void {
  if (who.role === 'owner' && !by.isOwner) forbid(configMessages.ownersOnly);
  if (who.role === 'administrator' && beyond(toRows(who.rights), by.modules)) forbid(ownMessages.roleBeyond);
  if (who.role === 'sales') mustGiveSales(by.modules);
}

/**
 * Checks that an administrator may enter the owner of a company below that has none, or another address for its owner:
 * whoever reads that mailbox has the company, so only unrestricted administrators may.
 * @throws Refusal 403
 */
export function mustMoveOwner(modules: Changer['modules']): void {
  if (beyond(toRows(null), modules)) forbid(configMessages.ownerAddress, 'email');
}

/**
 * Checks that a user may change the addresses where the users of a company below sign in: people enter their passwords
 * there, so only owners may, signed in as themselves.
 * @throws Refusal 403
 */
export function mustMoveHost(ctx: Ctx, field: string): void {
  if (!ctx.may('owner.write')) forbid(configMessages.hostOwner, field);
  if (ctx.actor.trueActor) forbid(ownMessages.notInView);
}

/**
 * Checks that `by` may assign a role with these rights; null: everything that administrators may do. `field`: what gives
 * them.
 * @throws Refusal 403
 */
export function mustGive(
  by: Changer,
  role: 'owner' | 'administrator' | 'sales',
  rights: ModuleRight[] | null,
  field = 'role',
): void {
  if (role === 'owner' && !by.isOwner) forbid(configMessages.ownersOnly, 'role');
  if (role === 'administrator' && beyond(toRows(rights), by.modules)) forbid(ownMessages.roleBeyond, field);
  if (role === 'sales') mustGiveSales(by.modules, 'user_type');
}

/**
 * Checks that a user may lose their place, or get another role: users cannot do that to themselves, and a company keeps
 * an owner.
 * @throws Refusal 403 for oneself, 409 for the last owner
 */
export function mustKeep(by: Changer, who: Standing, ownersBesides: number): void {
  if (who.id === by.userId) forbid(configMessages.personSelf);
  if (who.role === 'owner' && ownersBesides === 0) throw new Refusal('conflict', configMessages.lastOwner);
}

/**
 * Checks that a user does not change the limit set for themselves (campaigns_closed).
 * @throws Refusal 403
 */
export function mustLimitOther(by: Changer, who: Standing): void {
  if (who.id === by.userId) forbid(configMessages.permissionSelf, 'campaigns_closed');
}

/** The personal permissions that count: none while they are turned off. */
export const activeOf = (who: {
  permission_active: boolean;
  permissions: readonly PersonalPermission[];
}): string[] =>
  who.permission_active ? who.permissions.filter((one) => one.active).map((one) => one.name) : [];

/**
 * Checks a change of a user's personal permissions: no one changes their own, and only owners and those who have one
 * give it.
 * @throws Refusal 403
 */
export function mustGivePersonal(
  by: Changer,
  held: readonly string[],
  who: { id: string | null; had: readonly string[]; gets: readonly string[] },
): void {
  const added = who.gets.filter((name) => !who.had.includes(name));
  if (who.id === by.userId) forbid(configMessages.permissionSelf, 'user_permissions');
  if (!by.isOwner && added.some((name) => !held.includes(name)))
    forbid(configMessages.permissionBeyond, 'user_permissions');
}

/**
 * Only its holder can change a second factor (AUTH-15).
 * @throws Refusal 422 if it differs from the current one
 */
export function keepsFactor(given: string | undefined, is: string | null): void {
  if (given !== undefined && given !== (is ?? ''))
    throw refuse('two_factor_auth_type', 'can only be set by the user');
}
