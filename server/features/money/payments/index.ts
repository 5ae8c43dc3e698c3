export type { Account } from './account.service.ts';
export type { OnStep } from './charge.service.ts';
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
export { CHARGE_STATES } from './model.ts';
export type { CardParts } from './parts.ts';
export type { SandboxStep } from './sandbox.service.ts';
export type { Payments } from './service.ts';
