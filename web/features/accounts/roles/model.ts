import type { RoleModule, SessionUser } from '../../../../contract/accounts/users.ts';

/** The modules that have permission rows (importing the contract's own list would pull in its schemas). */
export const MODULE_NAMES = [
  'Ads Design',
  'Campaign',
  'LeadsPeek',
  'Settings',
] as const satisfies readonly RoleModule['module_name'][];

/** What a role may do in one module; the wire's flags as booleans. */
export interface Right {
  enable: boolean;
  create: boolean;
  update: boolean;
  delete: boolean;
}
export type ModuleName = (typeof MODULE_NAMES)[number];
export type Matrix = Record<ModuleName, Right>;
type Rows = SessionUser['module_permissions'];

export const FLAGS = ['enable', 'create', 'update', 'delete'] as const;
export type FlagName = (typeof FLAGS)[number];

export const FLAG_WORDS: Record<FlagName, string> = {
  enable: 'View',
  create: 'Create',
  update: 'Change',
  delete: 'Delete',
};

/** What each permission module covers. */
export const MODULE_LINES: Record<ModuleName, string> = {
  'Ads Design': 'Banners and audiences.',
  Campaign: 'Clients and their campaigns.',
  LeadsPeek: 'Leads, lead dashboards, and exports.',
  Settings: 'People, roles, brand, and other settings.',
};

/** Returns a role's matrix; a module without a row allows nothing. */
export function matrixOf(rows: Rows): Matrix {
  const entries = MODULE_NAMES.map((name) => {
    const row = rows.find((one) => one.module_name === name);
    const right: Right = {
      enable: row?.enable_permission === 'T',
      create: row?.create_permission === 'T',
      update: row?.update_permission === 'T',
      delete: row?.delete_permission === 'T',
    };
    return [name, right] as const;
  });
  return Object.fromEntries(entries) as Matrix;
}

const flag = (on: boolean) => (on ? ('T' as const) : ('F' as const));

/** Returns a matrix's rows in wire format. */
export function rowsOf(matrix: Matrix): Rows {
  return MODULE_NAMES.map((module_name) => ({
    module_name,
    enable_permission: flag(matrix[module_name].enable),
    create_permission: flag(matrix[module_name].create),
    update_permission: flag(matrix[module_name].update),
    delete_permission: flag(matrix[module_name].delete),
  }));
}

/**
 * Returns the matrix after one checkbox changes: nothing can be done in a module that cannot be seen, so the
 * permissions are kept consistent.
 */
export function tick(matrix: Matrix, module: ModuleName, name: FlagName, on: boolean): Matrix {
  const before = matrix[module];
  const off: Right = { enable: false, create: false, update: false, delete: false };
  const right = name === 'enable' && !on ? off : { ...before, [name]: on, enable: on || before.enable };
  return { ...matrix, [module]: right };
}

/** Describes a permission in one or two words. */
export function rightWords(right: Right): string {
  if (!right.enable) return 'None';
  const more = (['create', 'update', 'delete'] as const).filter((name) => right[name]);
  if (more.length === 3) return 'Everything';
  return more.length === 0
    ? 'View only'
    : ['View', ...more.map((name) => FLAG_WORDS[name].toLowerCase())].join(', ');
}

/** '1 person', '3 people'. */
export function peopleWords(count: number): string {
  return count === 1 ? '1 person' : `${count} people`;
}
