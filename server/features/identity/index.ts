export { findDelimiter, lineNumbers, readRows, TooLarge, takeIn } from './csv-file.ts';
export type { Profile } from './graph.store.ts';
export type { PersonInput } from './import.service.ts';
export { startIdentityJobs } from './jobs.ts';
export type { Clue, KnownPerson, Link, Match } from './match.service.ts';
export { FileFault } from './model.ts';
export { identityRoutes } from './routes.ts';
export { normalEmail, normalPhone } from './row.policy.ts';
export { createIdentity, type Identity } from './service.ts';
