export { onboardingRoutes } from './routes.ts';
export { createOnboarding, type OnboardingFeature, type OnboardingState } from './service.ts';
