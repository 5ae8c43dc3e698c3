export { collectionRoutes } from './routes.ts';
export { type Collection, createCollection } from './service.ts';
