export type { OnboardingCharges, OnboardingState } from './service.ts';
