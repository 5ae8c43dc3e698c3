export { salesNames } from './routes.ts';
export type { Sales } from './service.ts';
