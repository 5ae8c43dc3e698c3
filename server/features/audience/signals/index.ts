export { startIntent } from './jobs.ts';
export { intentRoutes } from './routes.ts';
export { createIntent, type Intent } from './service.ts';
