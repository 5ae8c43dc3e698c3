export { marginsRoutes } from './routes.ts';
export { createMargins, type Margins } from './service.ts';
