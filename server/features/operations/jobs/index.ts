export { backgroundJobsRoutes } from './routes.ts';
export { type BackgroundJobs, createBackgroundJobs } from './service.ts';
