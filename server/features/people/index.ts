export { createPeople, type NewUser, type People } from './service.ts';
