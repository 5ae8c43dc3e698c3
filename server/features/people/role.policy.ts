import { MODULE_NAMES, type RoleModule } from '../../../contract/people.ts';

/** What an administrator may do in one module. */
export interface ModuleRight {
  module: (typeof MODULE_NAMES)[number];
  see: boolean;
  create: boolean;
  update: boolean;
  delete: boolean;
}

const all = (module: ModuleRight['module'], allowed: boolean): ModuleRight => ({
  module,
  see: allowed,
  create: allowed,
  update: allowed,
  delete: allowed,
});
const only = (module: ModuleRight['module'], see: boolean): ModuleRight => ({ ...all(module, false), see });

/** The roles that a company begins with (migration 0018 has them for the companies before it). */
export const FIRST_ROLES: { name: string; rights: ModuleRight[] }[] = [
  { name: 'Full access', rights: MODULE_NAMES.map((module) => all(module, true)) },
  { name: 'Campaign manager', rights: MODULE_NAMES.map((module) => all(module, module !== 'Settings')) },
  { name: 'Read only', rights: MODULE_NAMES.map((module) => only(module, module !== 'Settings')) },
];

const flag = (value: boolean | undefined): 'T' | 'F' => (value ? 'T' : 'F');

/** Rows as they travel, one a module; null: everything is allowed. */
export const toRows = (rights: ModuleRight[] | null): RoleModule[] =>
  MODULE_NAMES.map((module_name) => {
    const right = rights?.find((one) => one.module === module_name);
    const may = (action: 'see' | 'create' | 'update' | 'delete') => flag(rights ? right?.[action] : true);
    return {
      module_name,
      enable_permission: may('see'),
      create_permission: may('create'),
      update_permission: may('update'),
      delete_permission: may('delete'),
    };
  });

export const fromRows = (rows: readonly RoleModule[]): ModuleRight[] =>
  rows.map((row) => ({
    module: row.module_name,
    see: row.enable_permission === 'T',
    create: row.create_permission === 'T',
    update: row.update_permission === 'T',
    delete: row.delete_permission === 'T',
  }));

/** The first module in which `given` allows more than `held`; null: none. Nobody gives away what they do not hold. */
export function beyond(given: readonly RoleModule[], held: readonly RoleModule[] | null): string | null {
  if (!held) return null;
  const actions = [
    'enable_permission',
    'create_permission',
    'update_permission',
    'delete_permission',
  ] as const;
  const more = given.find((row) => {
    const own = held.find((one) => one.module_name === row.module_name);
    return actions.some((action) => row[action] === 'T' && own?.[action] !== 'T');
  });
  return more?.module_name ?? null;
}

/**
 * What somebody may by their rows; in a view only what whoever is behind it may by theirs, too: a view must not lift the
 * limits of a role. Null: no row limits anything.
 */
export function modulesOf(own: ModuleRight[] | null, behind: ModuleRight[] | null): RoleModule[] | null {
  if (!own || !behind) return own || behind ? toRows(own ?? behind) : null;
  const common = own.map((right) => {
    const other = behind.find((one) => one.module === right.module);
    return {
      module: right.module,
      see: right.see && Boolean(other?.see),
      create: right.create && Boolean(other?.create),
      update: right.update && Boolean(other?.update),
      delete: right.delete && Boolean(other?.delete),
    };
  });
  return toRows(common);
}
