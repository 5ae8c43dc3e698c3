export type { Profile } from './graph.store.ts';
export type { PersonInput } from './import.service.ts';
export { startPeople } from './jobs.ts';
export { type Clue, type KnownPerson, type Link, type Match, MOST_OTHERS } from './match.service.ts';
export { hasMerges, type MergeStep } from './merge.store.ts';
export { createPeople, type People } from './service.ts';
