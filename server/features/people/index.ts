export type { PersonRow } from './profile.store.ts';
export type { ModuleRight } from './role.policy.ts';
export { createPeople, type NewUser, type People } from './service.ts';
