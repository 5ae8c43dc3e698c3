export { onboardingChargeRoutes } from './routes.ts';
export { createOnboardingCharge, type OnboardingCharges, type OnboardingState } from './service.ts';
