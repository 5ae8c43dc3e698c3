export { TooLarge } from './csv-file.ts';
export type { PersonInput } from './import.service.ts';
export { startIdentityJobs } from './jobs.ts';
export type { Clue, KnownPerson, Link, Match } from './match.service.ts';
export { FileFault } from './model.ts';
export { identityRoutes } from './routes.ts';
export { createIdentity, type Identity } from './service.ts';
