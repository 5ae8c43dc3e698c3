export { creditsRoutes } from './routes.ts';
export { type Credits, createCredits } from './service.ts';
