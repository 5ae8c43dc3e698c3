export type { Coupons } from './coupon.service.ts';
export { createPlans, type Plans } from './plan.service.ts';
export {
  atLeast,
  checkLeast,
  FREE,
  FREQUENCY_DAYS,
  type Pricing,
  priceWith,
  type Retail,
  type RetailLimits,
  retailWire,
  retailWith,
} from './service.ts';
export type { MarginRule } from './store.ts';
