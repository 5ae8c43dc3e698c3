export { type Phone, readPhone } from './phone.policy.ts';
export type { PersonRow } from './profile.store.ts';
export {
  canReceive,
  type Recipient,
  recipientColumns,
  type Worker,
  workerOf,
  workersOf,
} from './recipients.store.ts';
export { beyond, fromRows, type ModuleRight, modulesOf, mustGiveSales, toRows } from './role.policy.ts';
export type { NewUser, Users } from './service.ts';
