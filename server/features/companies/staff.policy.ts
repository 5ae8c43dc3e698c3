import { Refusal } from '../../../contract/errors.ts';
import { ownMessages } from '../../../contract/messages.ts';
import { configMessages } from '../../../contract/messages-config.ts';
import type { RoleModule } from '../../../contract/people.ts';
import { beyond, type ModuleRight, toRows } from '../people/index.ts';
import { refuse } from './policy.ts';

/** Who changes somebody: what the rules ask of them. */
export interface Changer {
  userId: string;
  isOwner: boolean;
  /** The rows of their role; null: nothing limits them. */
  modules: readonly RoleModule[] | null;
}

/** Somebody as the rules see them. */
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
 * Whether `by` may have to do with somebody of these rights at all: owners are left to owners, and nobody changes a person
 * who may more than they themselves. @throws Refusal 403
 */
export function mustReach(by: Changer, who: Standing): void {
  if (who.role === 'owner' && !by.isOwner) forbid(configMessages.ownersOnly);
  if (who.role === 'administrator' && beyond(toRows(who.rights), by.modules)) forbid(ownMessages.roleBeyond);
}

/**
 * Whether an administrator may enter another address for the owner of a company below: whoever reads the mail of an owner can
 * become them, so only who may everything may. @throws Refusal 403
 */
export function mustMoveOwner(modules: Changer['modules']): void {
  if (beyond(toRows(null), modules)) forbid(configMessages.ownerAddress, 'ClientEmail');
}

/** Whether `by` may give a role with these rights; null: all that administrators may. @throws Refusal 403 */
export function mustGive(
  by: Changer,
  role: 'owner' | 'administrator' | 'sales',
  rights: ModuleRight[] | null,
): void {
  if (role === 'owner' && !by.isOwner) forbid(configMessages.ownersOnly, 'ClientRole');
  if (role === 'administrator' && beyond(toRows(rights), by.modules))
    forbid(ownMessages.roleBeyond, 'ClientRole');
}

/**
 * Whether somebody may lose their place, or get another role: nobody does that to themselves, and a company keeps an owner.
 * @throws Refusal 403 for oneself, 409 for the last owner
 */
export function mustKeep(by: Changer, who: Standing, ownersBesides: number): void {
  if (who.id === by.userId) forbid(configMessages.personSelf);
  if (who.role === 'owner' && ownersBesides === 0) throw new Refusal('conflict', configMessages.lastOwner);
}

/** A second factor is changed by nobody but its holder (AUTH-15). @throws Refusal 422 for another one than there is */
export function keepsFactor(given: string | undefined, is: string | null): void {
  if (given !== undefined && given !== (is ?? ''))
    throw refuse('twoFactorAuth', 'can only be set by the user');
}
