import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { createCoupons } from './coupon.service.ts';
import { exports } from './exports.ts';
import { createPlans } from './plan.service.ts';
import { pricingRoutes } from './routes.ts';
import { createPricing } from './service.ts';

type ChargeOf = Parameters<typeof pricingRoutes>[1];

export const feature = defineFeature({
  name: 'money/pricing',
  about: 'What agencies and clients are charged: prices by product and term, minimum spend plans, coupons.',
  tables: [
    'coupon',
    'coupon_use',
    'margin_rule',
    'minspend_amount',
    'minspend_choice',
    'minspend_plan',
    'retail_cost',
    'supplier_cost',
    'wholesale_cost',
  ],
  reads: ['campaign'],
  create: (
    platform,
    below: Parameters<typeof createPricing>[1] &
      Parameters<typeof createPlans>[1] &
      Parameters<typeof createCoupons>[1],
  ) => ({
    pricing: createPricing(platform, below),
    plans: createPlans(platform, below),
    coupons: createCoupons(platform, below),
  }),
  http: (all: Parameters<typeof pricingRoutes>[0] & { settings: { onboardingOf: ChargeOf } }) => ({
    calls: [serve(contract.pricing, pricingRoutes(all, all.settings.onboardingOf))],
  }),
  exports,
});
