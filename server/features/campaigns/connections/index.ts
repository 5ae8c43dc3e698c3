export { connectionsRoutes } from './routes.ts';
export { type Connections, createConnections, type StandIns } from './service.ts';
