export { BAD_ACTIVITY } from './activity.policy.ts';
export type { OutsideCaptcha } from './captcha.service.ts';
export { startAuth } from './jobs.ts';
export { belongsAt } from './policy.ts';
export { authFinish, authRoutes, isViewing } from './routes.ts';
export { type Auth, createAuth } from './service.ts';
