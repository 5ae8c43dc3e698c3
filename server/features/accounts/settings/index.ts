export { startSettings } from './jobs.ts';
export { settingsRoutes } from './routes.ts';
export { createSettings, type Settings } from './service.ts';
export { createSmtp } from './smtp.service.ts';
