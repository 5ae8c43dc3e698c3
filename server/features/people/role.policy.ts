import { MODULE_NAMES } from '../../../contract/people.ts';

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
