export { mayReadOutbox, type Outbox } from './service.ts';
