import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import type { Payments } from '../payments/index.ts';
import { onboardingChargeRoutes } from './routes.ts';
import { createOnboardingCharge, type OnboardingCharges } from './service.ts';

export const feature = defineFeature({
  name: 'money/onboarding-charge',
  about: 'The one-time charge of a new agency, with its coupon.',
  tables: [],
  reads: ['invoice'],
  create: (platform, below: Parameters<typeof createOnboardingCharge>[1]) => ({
    onboardingCharge: createOnboardingCharge(platform, below),
  }),
  http: ({ onboardingCharge, payments }: { onboardingCharge: OnboardingCharges; payments: Payments }) => ({
    calls: [serve(contract.onboardingCharge, onboardingChargeRoutes(onboardingCharge, payments))],
  }),
});
