export { developerRoutes } from './routes.ts';
export { createDeveloper, type Developer, type NewKey } from './service.ts';
export { acceptedUnpaid } from './unpaid.store.ts';
export { addApiRoutes, apiRoutes, sendClient } from './v1.routes.ts';
