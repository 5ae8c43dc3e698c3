export { type Phone, readPhone } from './phone.policy.ts';
export type { PersonRow } from './profile.store.ts';
export { beyond, fromRows, type ModuleRight, modulesOf, mustGiveSales, toRows } from './role.policy.ts';
export { createUsers, type NewUser, type Users } from './service.ts';
