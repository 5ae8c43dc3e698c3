export { backgroundRoutes } from './routes.ts';
export { type Background, createBackground } from './service.ts';
