export { outboxRoutes } from './routes.ts';
export { createOutbox, mayReadOutbox, type Outbox } from './service.ts';
