export { type Coupons, createCoupons } from './coupon.service.ts';
export { createPlans, type Plans } from './plan.service.ts';
export { pricingRoutes } from './routes.ts';
export {
  atLeast,
  checkLeast,
  createPricing,
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
