export { type Coupons, createCoupons } from './coupon.service.ts';
export { createPlans, type Plans } from './plan.service.ts';
export { costsRoutes } from './routes.ts';
export {
  atLeast,
  type Costs,
  checkLeast,
  createCosts,
  FREE,
  FREQUENCY_DAYS,
  priceWith,
  type Retail,
  type RetailLimits,
  retailWire,
  retailWith,
} from './service.ts';
export type { MarginRule } from './store.ts';
