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
