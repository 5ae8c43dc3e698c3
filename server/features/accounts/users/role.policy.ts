import { SALES_VIEW } from '../../../../contract/accounts/permissions.ts';
import { MODULE_NAMES, type RoleModule } from '../../../../contract/accounts/users.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { configMessages } from '../../../../contract/messages-config.ts';

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

/** The roles that a company starts with. */
export const FIRST_ROLES: { name: string; rights: ModuleRight[] }[] = [
  { name: 'Full access', rights: MODULE_NAMES.map((module) => all(module, true)) },
  { name: 'Campaign manager', rights: MODULE_NAMES.map((module) => all(module, module !== 'Settings')) },
  { name: 'Read only', rights: MODULE_NAMES.map((module) => only(module, module !== 'Settings')) },
];

const flag = (value: boolean | undefined): 'T' | 'F' => (value ? 'T' : 'F');

/** The rows in API form, one per module; null if everything is allowed. */
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

/**
 * The first module in which `given` allows more than `held`; null if none. No one can grant rights that they do not
 * have themselves.
 */
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

/** What salespeople get: the view of companies assigned to them, and changing those companies, as the rows of a role. */
const SALES_ROWS: readonly RoleModule[] = SALES_VIEW.map((row) =>
  row.module_name === 'Settings' ? { ...row, enable_permission: 'T', update_permission: 'T' } : row,
);

/**
 * Checks that someone whose role has the rows `held` may deal with salespeople, or assign companies to them: otherwise
 * they could see through a salesperson of their own what their role hides from them.
 * @throws Refusal 403
 */
export function mustGiveSales(held: readonly RoleModule[] | null, field?: string): void {
  if (!beyond(SALES_ROWS, held)) return;
  const message = configMessages.salesBeyond;
  throw new Refusal('forbidden', message, field ? { errors: { [field]: [message] } } : {});
}

/**
 * What a user may do according to their rows; in a view, only what the user behind it may also do according to theirs:
 * a view must not lift the limits of a role. Null if no row limits anything.
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
