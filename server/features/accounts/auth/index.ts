export { actingFor, mayNow, readingFor } from './acting.ts';
export { BAD_ACTIVITY } from './activity.policy.ts';
export type { OutsideCaptcha } from './captcha.service.ts';
export { belongsAt } from './policy.ts';
export { isViewing } from './routes.ts';
export type { Auth } from './service.ts';
