export { startSignals } from './jobs.ts';
export { signalsRoutes } from './routes.ts';
export { createSignals, type Signals } from './service.ts';
