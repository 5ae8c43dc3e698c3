export { heldRoutes } from './held.routes.ts';
export { addVisitRoutes } from './routes.ts';
export { createVisits, type Visits } from './service.ts';
export type { NewVisit } from './store.ts';
