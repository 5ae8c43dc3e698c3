export type { Account } from './account.service.ts';
export type { OnStep } from './charge.service.ts';
export { startPayments } from './jobs.ts';
export type {
  Charge,
  ChargeAsk,
  ChargeResult,
  Charges,
  DisputeOf,
  Purpose,
  PurposeHandler,
  RefundOf,
} from './model.ts';
export { addNoticeRoute, paymentsRoutes } from './routes.ts';
export type { SandboxStep } from './sandbox.service.ts';
export { sandboxStore } from './sandbox.store.ts';
export { createPayments, type Payments } from './service.ts';
