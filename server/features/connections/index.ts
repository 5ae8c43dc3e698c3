export { connectionsRoutes } from './routes.ts';
export { type Connections, createConnections } from './service.ts';
