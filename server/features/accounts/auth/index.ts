export { BAD_ACTIVITY } from './activity.policy.ts';
export type { OutsideCaptcha } from './captcha.service.ts';
export { startAccess } from './jobs.ts';
export { belongsAt } from './policy.ts';
export { accessFinish, accessIsViewing, accessRoutes } from './routes.ts';
export { type Access, createAccess } from './service.ts';
