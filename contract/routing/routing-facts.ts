import type { SetupCheck } from '../accounts/setup.ts';
import {
  accountConnected,
  betaShown,
  hidesOperatingMenus,
  mayContinueAgency,
} from '../accounts/setup-rules.ts';
import type { SessionUser } from '../accounts/users.ts';

/**
 * What routing decisions are based on. Without a user, no one is signed in; without a setup check, its rules do not
 * apply.
 */
export interface Facts {
  user: SessionUser | null;
  setup: SetupCheck | null;
  /** Whether /register is open at this host. */
  registration_open?: boolean;
}

/** Facts about a signed-in user. */
export type SignedIn = Facts & { user: SessionUser };

/**
 * The user's role as far as the screens are concerned (design domain, Who). In view mode, the role of the person being
 * viewed.
 */
export const ROLES = [
  'root',
  'rootAdministrator',
  'rootSales',
  'agency',
  'agencyAdministrator',
  'agencySales',
  'client',
] as const;
export type Role = (typeof ROLES)[number];

/** The role of a person, by their company's kind and their type. */
export function roleOf(user: Pick<SessionUser, 'company_kind' | 'user_type'>): Role {
  if (user.company_kind === 'client') return 'client';
  const isRoot = user.company_kind === 'root';
  if (user.user_type === 'sales') return isRoot ? 'rootSales' : 'agencySales';
  if (user.user_type === 'administrator') return isRoot ? 'rootAdministrator' : 'agencyAdministrator';
  return isRoot ? 'root' : 'agency';
}

/**
 * Whether the user is a system user in the terms of the routes: the platform's people, excluding its sales (spec
 * product 6).
 */
export const isSystem = (user: SessionUser): boolean =>
  roleOf(user) === 'root' || roleOf(user) === 'rootAdministrator';

export const isSales = (user: SessionUser): boolean => user.user_type === 'sales';

/** Owner or administrator of an agency. */
export const isAgency = (user: SessionUser): boolean =>
  roleOf(user) === 'agency' || roleOf(user) === 'agencyAdministrator';

export type ModuleName = 'local' | 'locator' | 'enhance' | 'b2b' | 'simplifi';

/** A module as a tenant shows it: its own name, and the slug its pages are under. */
export interface ShownModule {
  module: ModuleName;
  name: string;
  slug: string;
}

const PAIRS = [
  ['local', 'local_name', 'local_url'],
  ['locator', 'locator_name', 'locator_url'],
  ['enhance', 'enhance_name', 'enhance_url'],
  ['b2b', 'b2b_name', 'b2b_url'],
  ['simplifi', 'simplifi_name', 'simplifi_url'],
] as const;

/** Global names, for the modules that every tenant has; the others have pages only where they are set. */
const GLOBAL: Partial<Record<ModuleName, { name: string; slug: string }>> = {
  local: { name: 'Site ID', slug: 'site-id' },
  locator: { name: 'Search ID', slug: 'search-id' },
};

/**
 * The modules whose pages the person has: named by the tenant, enabled for the root, allowed for the agency and, for a
 * client, part of the account; b2b and simplifi only in trial, simplifi only on the master system (spec product 2, 4,
 * 6).
 */
export function modulesOf({ user, setup }: Facts): ShownModule[] {
  if (!user) return [];
  const role = roleOf(user);
  const shown: ShownModule[] = [];
  for (const [module, nameKey, slugKey] of PAIRS) {
    // Modules that the root has but the person has no name for yet get the global name (spec product 4, Modules).
    const filled = setup?.modules.includes(module) ? GLOBAL[module] : undefined;
    const slug = user[slugKey] || filled?.slug;
    if (!slug) continue;
    if (setup && !setup.modules.includes(module)) continue;
    if (setup && role === 'client' && !setup.client_sidebar.includes(module)) continue;
    const isAgencys = role === 'agency' || role === 'agencyAdministrator' || role === 'agencySales';
    if (setup && isAgencys && !setup.agency_modules.includes(module)) continue;
    if (module === 'b2b' && !(setup && betaShown(setup, 'b2b_module'))) continue;
    if (module === 'simplifi' && !(user.is_master && setup && betaShown(setup, 'simplifi_module'))) continue;
    shown.push({ module, name: user[nameKey] || filled?.name || slug, slug });
  }
  return shown;
}

/** Slugs of modules that the person still has a name for, but the root no longer has (spec product 4, Modules). */
export function goneSlugs({ user, setup }: SignedIn): string[] {
  if (!setup) return [];
  return PAIRS.filter(([module]) => !setup.modules.includes(module))
    .map(([, , slugKey]) => user[slugKey])
    .filter((slug) => slug !== '');
}

/** What a role may do in a permission module (ROLE-01); owners and people without rows may do everything. */
export function roleModule(
  user: SessionUser,
  name: SessionUser['module_permissions'][number]['module_name'],
): { enabled: boolean; create: boolean; update: boolean; delete: boolean } {
  const row = user.module_permissions.find((one) => one.module_name === name);
  const may = (flag: 'T' | 'F' | undefined) => flag !== 'F';
  const enabled = may(row?.enable_permission);
  return {
    enabled,
    create: enabled && may(row?.create_permission),
    update: enabled && may(row?.update_permission),
    delete: enabled && may(row?.delete_permission),
  };
}

/**
 * Whether the user has a permission granted to one person; in view mode, whether the real user has it (spec product 6).
 */
export function hasPermission(user: SessionUser, name: string): boolean {
  const given = [...user.user_permissions, ...user.true_permissions];
  return given.some((one) => one.name === name && one.permission_active === 'T');
}

/** Whether the agency's payment account counts as connected (ROUT-12); while unknown, it counts as connected. */
export function paymentConnected({ user, setup }: Facts): boolean {
  return !user || !setup || accountConnected(setup, user.manual_bill === 'T');
}

/**
 * Whether the user has the developer page; it requires the developer mode: a root's own page, or an agency's with card
 * and account (NAV-02).
 */
export function mayDevelop(facts: SignedIn): boolean {
  const { user, setup } = facts;
  if (setup?.api_mode !== 'T') return false;
  if (roleOf(user) === 'root') return user.is_root;
  return roleOf(user) === 'agency' && setup.card_set && paymentConnected(facts);
}

/** Whether an agency may continue to its pages (ROUT-13); view mode can open them regardless. */
export function mayContinue({ user, setup }: Facts): boolean {
  return !user || !setup || !isAgency(user) || user.in_view_mode || mayContinueAgency(setup);
}

/** Whether the menus for daily work are hidden (ROUT-13). */
export function menusHidden({ user, setup }: Facts): boolean {
  return user !== null && setup !== null && !isSales(user) && hidesOperatingMenus(setup, user);
}
